// `serverless deploy`, `invoke` and `remove` for real, on AWS as ministack emulates it.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetFunctionConfigurationCommand, InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../lib/clock.ts';
import type { LinkStore } from '../../lib/ports.ts';
import { dynamoClient } from '../../lib/store/dynamo/client.ts';
import { dynamoStores } from '../../lib/store/dynamo/stores.ts';
import { linkOf } from '../support/lab.ts';
import { until } from '../support/until.ts';
import { type Aws, type Question, startAws } from './aws/ministack.ts';
import { aWorkshop, parameters, serverless, type Workshop } from './support.ts';

const STACK = 'eks-service-mirror-e2e';

/** Where something of a deployment would be seen. */
const PLACES: Readonly<Record<string, Question>> = {
  tables: { service: 'dynamodb', target: 'DynamoDB_20120810.ListTables' },
  queues: { service: 'sqs', target: 'AmazonSQS.ListQueues' },
  functions: { service: 'lambda', path: '/2015-03-31/functions/' },
  mappings: { service: 'lambda', path: '/2015-03-31/event-source-mappings/' },
  schedules: { service: 'scheduler', path: '/schedules' },
  roles: { service: 'iam', action: 'ListRoles', version: '2010-05-08' },
  alarms: { service: 'monitoring', action: 'DescribeAlarms', version: '2010-08-01' },
  'log groups': { service: 'logs', target: 'Logs_20140328.DescribeLogGroups' },
  buckets: { service: 's3', path: '/' },
};

let aws: Aws;
let workshop: Workshop;
let lambda: LambdaClient;
let dynamo: DynamoDBClient;
let links: LinkStore; // what the functions remember, seen from outside

/** The framework, for this stage and on this AWS; what it printed. */
const run = (...args: readonly string[]): string => {
  const environment = { ...aws.environment, SLS_AWS_MONITORING_FREQUENCY: '200' }; // ms between its looks
  const { code, text } = serverless(workshop.root, [...args, '--stage', 'e2e'], environment);
  if (code !== 0) throw new Error(`serverless ${args.join(' ')} ended with ${code}:\n${text}`);
  return text;
};

const invoke = async (name: string): Promise<unknown> => {
  const command = new InvokeCommand({ FunctionName: `${STACK}-${name}`, Payload: '{}' });
  const { Payload } = await lambda.send(command);
  return JSON.parse(Buffer.from(Payload ?? []).toString());
};

const placesWithTraces = async (): Promise<string[]> => {
  const seen = await Promise.all(
    Object.entries(PLACES).map(async ([place, question]) => ({ place, text: await aws.ask(question) })),
  );
  return seen.filter(({ text }) => text.includes(STACK)).map(({ place }) => place);
};

beforeAll(async () => {
  aws = await startAws();
  const { endpoint, region, keys: credentials } = aws;
  lambda = new LambdaClient({ endpoint, region, credentials });
  dynamo = dynamoClient({ endpoint, region, credentials });
  ({ links } = dynamoStores({
    client: dynamo,
    table: `${STACK}-state`,
    clock: systemClock,
    resolvers: 'system',
  }));
  workshop = aWorkshop();
  run('deploy');
});
afterAll(async () => {
  lambda?.destroy();
  dynamo?.destroy();
  workshop?.remove();
  await aws?.close();
});

describe('a deployment', () => {
  it('answers: no link is stored', async () => {
    expect(JSON.parse(run('invoke', '--function', 'tick'))).toEqual({
      sent: [],
      paused: [],
      broken: [],
      timers: 0,
    });
    expect(await invoke('status')).toMatchObject({ statusCode: 200, body: '{"links":[],"broken":[]}' });
    expect(await invoke('resync')).toEqual({ links: [], errors: [] });
    expect(run('invoke', 'local', '--function', 'status')).toContain('"statusCode": 200');
  });

  it('runs a link: from tick over the queue and a reconcile to what is remembered of it', async () => {
    const cluster = (name: string) => ({ eks: `arn:aws:eks:${aws.region}:000000000000:cluster/${name}` });
    await links.put(linkOf({ name: 'west', source: cluster('east'), target: cluster('west') }), 0);
    expect(await invoke('tick')).toMatchObject({ sent: ['west'] });
    await until('the link was reconciled', async () => (await links.get('west'))?.lastRun !== undefined);
    // There are no such clusters, which is as far as an emulator of AWS can tell.
    const lastRun = (await links.get('west'))?.lastRun;
    expect(lastRun?.unobserved.map(({ what, message }) => `${what}: ${message}`)).toContain(
      `target cluster: target: DescribeCluster ${cluster('west').eks}: there is no cluster west in ${aws.region} for these credentials`,
    );
  });

  it('is changed by another deployment, and keeps what it remembers', async () => {
    run('deploy', ...parameters({ memory: '1024' }));
    const command = new GetFunctionConfigurationCommand({ FunctionName: `${STACK}-reconcile` });
    expect(await lambda.send(command)).toMatchObject({
      MemorySize: 1024,
      Runtime: 'nodejs24.x',
    });
    expect(await links.get('west')).toMatchObject({ link: { name: 'west' } });
  });

  it('leaves nothing behind when it is removed', async () => {
    expect(await placesWithTraces()).toEqual(Object.keys(PLACES));
    run('remove');
    expect(await placesWithTraces()).toEqual([]);
  });
});
