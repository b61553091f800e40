// One message of the work queue: brings the mirrors of one link to what its target cluster exports.
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import { reconcileMessage } from '../lib/model/messages.ts';
import { workOn } from '../lib/runs/work.ts';
import { forEachMessage } from './batch.ts';
import { deadlineOf } from './deadline.ts';
import { readEnvironment, runEnvironment } from './environment.ts';
import { runWorld } from './run-world.ts';
import { logger, logRun, measureRun } from './telemetry.ts';

const world = runWorld(readEnvironment(runEnvironment));

const run = forEachMessage(reconcileMessage, async (message, context) => {
  const start = Date.now();
  const done = await workOn(world, message, deadlineOf(context));
  if (done.kind === 'gone') logger.info('the link is not stored any more', { link: message.link });
  if (done.kind === 'unlinked')
    logger.info('link is ending', { ...done.unlinked, outcomes: done.unlinked.outcomes.length });
  if (done.kind !== 'reconciled') return;
  logRun(done.report);
  measureRun(done.report, (Date.now() - start) / 1000);
});

export const handler = middy(run).use(injectLambdaContext(logger));
