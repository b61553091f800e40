// A function URL with IAM auth: what the deployment knows of its links, as JSON. Asks no cluster.
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { LambdaFunctionURLEvent, LambdaFunctionURLResult } from 'aws-lambda';
import { systemClock } from '../lib/clock.ts';
import { status } from '../lib/runs/status.ts';
import { dynamoClient } from '../lib/store/dynamo/client.ts';
import { dynamoStores } from '../lib/store/dynamo/stores.ts';
import { readEnvironment, resolversOf, statusEnvironment } from './environment.ts';
import { logger } from './telemetry.ts';

const environment = readEnvironment(statusEnvironment);
const stores = dynamoStores({
  client: dynamoClient(),
  table: environment.STATE_TABLE,
  resolvers: resolversOf(environment),
  clock: systemClock,
});

/** `?link=NAME` shows one link; one that is not stored is a 404. */
const run = async (event: Partial<LambdaFunctionURLEvent>): Promise<LambdaFunctionURLResult> => {
  const only = event.queryStringParameters?.['link'];
  const data = await status({ ...stores, clock: systemClock }, only);
  const isMissing = only !== undefined && data.links.length === 0 && data.broken.length === 0;
  return {
    statusCode: isMissing ? 404 : 200,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: JSON.stringify(isMissing ? { message: `link ${only} is not stored` } : data),
  };
};

export const handler = middy(run).use(injectLambdaContext(logger));
