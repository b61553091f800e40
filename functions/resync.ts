// Invoked by hand: a forced run of stored links past every cache, a look at what it would do, or the end of a link.
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { InputError } from '../lib/errors.ts';
import { mistakeLine, mistakesOf } from '../lib/mistakes.ts';
import { resync, resyncRequest, type ResyncResult } from '../lib/runs/resync.ts';
import { deadlineOf } from './deadline.ts';
import { readEnvironment, runEnvironment } from './environment.ts';
import { runWorld } from './run-world.ts';
import { logger } from './telemetry.ts';

const world = runWorld(readEnvironment(runEnvironment));

const run = (event: unknown, context: Context): Promise<ResyncResult> => {
  const parsed = resyncRequest.safeParse(event ?? {});
  if (!parsed.success)
    throw new InputError(mistakesOf(parsed.error.issues, resyncRequest, event).map(mistakeLine));
  return resync(world, parsed.data, deadlineOf(context));
};

export const handler = middy(run).use(injectLambdaContext(logger));
