// Each minute, by schedule: one message for every link that has something to be done.
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { logMetrics } from '@aws-lambda-powertools/metrics/middleware';
import middy from '@middy/core';
import { systemClock } from '../lib/clock.ts';
import type { ReconcileMessage, RefreshMessage } from '../lib/model/messages.ts';
import { sqsClient } from '../lib/queue/client.ts';
import { sqsQueue } from '../lib/queue/sqs.ts';
import { tick, type TickResult } from '../lib/runs/tick.ts';
import { dynamoClient } from '../lib/store/dynamo/client.ts';
import { dynamoStores } from '../lib/store/dynamo/stores.ts';
import { readEnvironment, resolversOf, tickEnvironment } from './environment.ts';
import { logger, measure, metrics } from './telemetry.ts';

const environment = readEnvironment(tickEnvironment);
const { links, names } = dynamoStores({
  client: dynamoClient(),
  table: environment.STATE_TABLE,
  resolvers: resolversOf(environment),
  clock: systemClock,
});
const client = sqsClient();
const { WORK_QUEUE_URL, TIMER_QUEUE_URL } = environment;
const work = sqsQueue<ReconcileMessage>({ client, queueUrl: WORK_QUEUE_URL, clock: systemClock });
const timers = sqsQueue<RefreshMessage>({ client, queueUrl: TIMER_QUEUE_URL, clock: systemClock });

const run = async (): Promise<TickResult> => {
  const result = await tick({ links, names, work, timers, clock: systemClock });
  measure('TimersReset', result.timers);
  measure('LinksSent', result.sent.length);
  measure('BrokenLinks', result.broken.length);
  for (const { name, why } of result.broken)
    logger.error('a stored link cannot be used', { link: name, why });
  return result;
};

export const handler = middy(run).use(injectLambdaContext(logger)).use(logMetrics(metrics));
