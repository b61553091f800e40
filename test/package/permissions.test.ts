// Each bundled function with exactly the rights of its role: what it does is allowed, and what is allowed is done.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../lib/clock.ts';
import { dynamoClient } from '../../lib/store/dynamo/client.ts';
import { dynamoStores } from '../../lib/store/dynamo/stores.ts';
import { type LambdaService, startLambda } from '../../sandbox/lambda/service.ts';
import { bundle } from '../../scripts/bundle/bundle.ts';
import { FUNCTION_NAMES, type FunctionName } from '../../scripts/bundle/functions.ts';
import { roles } from '../../scripts/serverless/roles.ts';
import { aService, aSlice, GATEWAY_HOST } from '../support/builders.ts';
import { arnOf, type Stack, startStack } from '../support/stack.ts';
import { aDeployment } from './builders.ts';
import { covers, type Police, startPolice } from './police.ts';
import { statementsOf } from './statements.ts';
import { aWorkshop, type Workshop } from './support.ts';

const PATIENCE = 120_000; // ms: bundles, two clusters, five processes

const NAMES = { state: 'StateTable.Arn', work: 'WorkQueue.Arn', timers: 'TimerQueue.Arn' } as const;

const roleOf = (name: FunctionName) =>
  statementsOf(roles(aDeployment())[`${name.charAt(0).toUpperCase()}${name.slice(1)}Role`]);

let stack: Stack;
let workshop: Workshop;
let lambda: LambdaService;
let police: ReadonlyMap<FunctionName, Police>;
const output: string[] = [];

const policeFor = async (name: FunctionName): Promise<[FunctionName, Police]> => {
  const { environment, dynamo, sqs } = stack;
  const behind = {
    dynamodb: dynamo.endpoint,
    sqs: sqs.endpoint,
    eks: environment['AWS_ENDPOINT_URL_EKS'] ?? '',
  };
  return [name, await startPolice({ statements: roleOf(name), behind, names: NAMES, clusterArn: arnOf })];
};

const guarded = (name: FunctionName) => {
  const endpoint = police.get(name)?.endpoint ?? '';
  return {
    ...stack.environment,
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_ENDPOINT_URL_SQS: endpoint,
    AWS_ENDPOINT_URL_EKS: endpoint,
    AWS_ENDPOINT_URL_STS: endpoint,
  };
};

beforeAll(async () => {
  workshop = aWorkshop();
  [stack] = await Promise.all([startStack(), bundle(workshop.root, FUNCTION_NAMES)]);
  police = new Map(await Promise.all(FUNCTION_NAMES.map(policeFor)));
  lambda = await startLambda({
    clock: systemClock,
    onOutput: (_name, text) => output.push(text),
    functions: FUNCTION_NAMES.map((name) => ({
      name,
      arn: `arn:aws:lambda:eu-central-1:000000000000:function:${name}`,
      handler: `dist/${name}.handler`,
      folder: workshop.root,
      timeout: 60,
      memory: 512,
      variables: guarded(name),
    })),
  });
}, PATIENCE);
afterAll(async () => {
  await lambda?.close();
  await Promise.all([...(police?.values() ?? [])].map((one) => one.close()));
  await stack?.close();
  workshop?.remove();
});

const invoke = async (name: FunctionName, event: unknown): Promise<unknown> => {
  const { isError, payload } = await lambda.invoke(name, JSON.stringify(event));
  if (isError) throw new Error(`${name}: ${payload}\n${output.join('')}`);
  return JSON.parse(payload);
};

const message = (queue: string, body: object) => ({
  Records: [
    {
      messageId: 'm',
      eventSource: 'aws:sqs',
      eventSourceARN: `arn:aws:sqs:eu-central-1:000000000000:${queue}`,
      body: JSON.stringify(body),
    },
  ],
});

/** Puts the time of every name's next look-up into the past. */
const makeDue = async (): Promise<void> => {
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', AWS_REGION: region = '' } = stack.environment;
  const credentials = { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY };
  const client = dynamoClient({ endpoint: stack.dynamo.endpoint, region, credentials });
  const resolvers = stack.environment['DNS_SERVERS'] ?? '';
  const { names } = dynamoStores({ client, table: 'state', clock: systemClock, resolvers });
  const stored = await names.get(GATEWAY_HOST, 'IPv4');
  if (stored === undefined) throw new Error(`nothing is stored of ${GATEWAY_HOST}`);
  expect(await names.save({ ...stored.value, nextCheckAt: 0 }, stored.version)).toBe(true);
  client.destroy();
};

/** Its gateway is at an address that nobody may dial. */
const LINK = { name: 'west', probe: { off: true } } as const;

/** Rights that are used by AWS itself in the function's name, or by a run that reaches its deadline. */
const NOT_SEEN: Readonly<Record<FunctionName, readonly string[]>> = {
  tick: [],
  reconcile: [
    'dynamodb:Query StateTable.Arn', // other gateways, when its own is silent
    'sqs:SendMessage WorkQueue.Arn', // the follow-up of a run that was cut short
  ],
  refresh: ['sqs:SendMessage WorkQueue.Arn'], // the link whose mirrors could not follow
  resync: [],
  status: [],
};
const BY_AWS = /^(?:logs|sqs:(?:ReceiveMessage|DeleteMessage|GetQueueAttributes)\b)/;

const allowed = (name: FunctionName): string[] =>
  roleOf(name)
    .flatMap(({ actions, resources }) =>
      actions.flatMap((action) => resources.map((place) => `${action} ${place}`)),
    )
    .filter((line) => !BY_AWS.test(line) && !NOT_SEEN[name].includes(line))
    .sort();

/** With clusters by the pattern that allows them. */
const done = (name: FunctionName): string[] => {
  const patterns = roleOf(name)
    .flatMap(({ resources }) => resources)
    .filter((text) => text.includes('*'));
  const lines = (police.get(name)?.done() ?? []).map((line) => {
    const [action = '', resource = ''] = line.split(' ');
    return `${action} ${patterns.find((pattern) => covers(pattern, resource)) ?? resource}`;
  });
  return [...new Set(lines)].sort();
};

describe('with the rights of its role and no other', () => {
  it(
    'each function does all that it is for',
    async () => {
      stack.dns.set(GATEWAY_HOST, { a: ['203.0.113.10'], ttl: 60 });
      await stack.target.create('Service', aService());
      await stack.target.create('EndpointSlice', aSlice());
      await stack.store(LINK);

      expect(await invoke('tick', {})).toEqual({ sent: ['west'], paused: [], broken: [], timers: 0 });
      expect(await invoke('reconcile', message('work', { link: 'west' }))).toEqual({ batchItemFailures: [] });
      expect(await stack.source.read('Service', 'shop', 'web-west')).toBeDefined();

      await makeDue();
      expect(await invoke('tick', {})).toMatchObject({ timers: 1 });
      stack.dns.set(GATEWAY_HOST, { a: ['203.0.113.11'], ttl: 60 });
      const timer = { hostname: GATEWAY_HOST, family: 'IPv4', due: 0 };
      expect(await invoke('refresh', message('timers', timer))).toEqual({ batchItemFailures: [] });

      stack.dns.set(GATEWAY_HOST, { a: ['203.0.113.11', '203.0.113.12'], ttl: 60 });
      expect(await invoke('resync', {})).toMatchObject({ errors: [], links: [{ link: 'west' }] });
      expect(await invoke('status', {})).toMatchObject({ statusCode: 200 });

      // A link that ends is removed by whoever comes first: by a reconcile, and by hand.
      expect(await stack.links.end('west')).toBe(true);
      expect(await invoke('reconcile', message('work', { link: 'west' }))).toEqual({ batchItemFailures: [] });
      expect(await stack.links.get('west')).toBeUndefined();
      // Its name is forgotten by the next timer.
      await makeDue();
      expect(await invoke('refresh', message('timers', timer))).toEqual({ batchItemFailures: [] });
      await stack.store(LINK);
      expect(await invoke('resync', { link: 'west', unlink: true })).toMatchObject({
        errors: [],
        links: [{ done: true }],
      });
    },
    PATIENCE,
  );

  it.each(FUNCTION_NAMES)('%s asked for nothing that it may not', (name) => {
    expect(police.get(name)?.refused()).toEqual([]);
  });

  it.each(FUNCTION_NAMES)('%s has no right that it did not use', (name) => {
    expect(done(name)).toEqual(allowed(name));
  });

  it('is refused what others may: a reconcile by the role of tick', async () => {
    const statements = roleOf('tick');
    const { dynamo, sqs } = stack;
    const one = await startPolice({
      statements,
      behind: { dynamodb: dynamo.endpoint, sqs: sqs.endpoint, eks: '' },
      names: NAMES,
      clusterArn: arnOf,
    });
    const ask = (target: string, body: object) =>
      fetch(one.endpoint, {
        method: 'POST',
        headers: { 'x-amz-target': target },
        body: JSON.stringify(body),
      });
    const answer = await ask('DynamoDB_20120810.GetItem', { TableName: 'state', Key: {} });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('AccessDeniedException');
    expect(one.refused()).toEqual(['dynamodb:GetItem StateTable.Arn']);
    await one.close();
  });
});
