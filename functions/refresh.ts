// One timer of the refresh queue: asks a gateway's name again when its TTL has ended.
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import { refreshMessage } from '../lib/model/messages.ts';
import { refresh } from '../lib/runs/refresh.ts';
import { forEachMessage } from './batch.ts';
import { deadlineOf } from './deadline.ts';
import { readEnvironment, runEnvironment } from './environment.ts';
import { runWorld } from './run-world.ts';
import { logger, measureCheck, publishChecks } from './telemetry.ts';

const world = runWorld(readEnvironment(runEnvironment));

const run = forEachMessage(refreshMessage, async (message, context) => {
  const { hostname, family } = message;
  const result = await refresh(world, message, deadlineOf(context));
  measureCheck(result);
  const hasChanged = result.kind === 'asked' && Object.keys(result.changed).length > 0;
  const isUntold = result.kind === 'asked' && result.untold !== undefined;
  logger[hasChanged || isUntold ? 'info' : 'debug']('timer', { hostname, family, ...result });
});

export const handler = middy(run).use(injectLambdaContext(logger)).after(publishChecks);
