// The real handlers with their real adapters, over stand-ins of AWS on loopback.
import { readFile } from 'node:fs/promises';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { aService, aSlice, GATEWAY_HOST } from '../support/builders.ts';
import { endpointsOf } from '../support/lab.ts';
import { startStack, type Stack } from '../support/stack.ts';

type Handler<T> = (event: unknown, context: Context) => Promise<T>;

const contextOf = (milliseconds = 60_000): Context => {
  const end = Date.now() + milliseconds;
  return {
    functionName: 'test',
    functionVersion: '1',
    invokedFunctionArn: 'arn:aws:lambda:eu-central-1:000000000000:function:test',
    memoryLimitInMB: '512',
    awsRequestId: 'request',
    logGroupName: 'group',
    logStreamName: 'stream',
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => end - Date.now(),
    done: () => {},
    fail: () => {},
    succeed: () => {},
  };
};

const eventOf = (bodies: readonly string[]): Pick<SQSEvent, 'Records'> => ({
  Records: bodies.map((body, index) => ({
    messageId: `m${index}`,
    receiptHandle: 'r',
    body,
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: '0',
      SenderId: 's',
      ApproximateFirstReceiveTimestamp: '0',
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-central-1:000000000000:work',
    awsRegion: 'eu-central-1',
  })),
});

let stack: Stack;
let tick: Handler<{ sent: readonly string[]; broken: readonly unknown[] }>;
let reconcile: Handler<SQSBatchResponse>;
let refresh: Handler<SQSBatchResponse>;
let resync: Handler<{ links: readonly object[]; errors: readonly object[] }>;
let status: Handler<{ statusCode: number; body: string }>;

/** Every handler as a new environment of it would load it. */
const load = async <T>(name: string): Promise<Handler<T>> => {
  const module = (await import(`../../functions/${name}.ts`)) as { handler: Handler<T> };
  return module.handler;
};

beforeAll(async () => {
  stack = await startStack();
  for (const [name, value] of Object.entries(stack.environment)) vi.stubEnv(name, value);
  tick = await load('tick');
  reconcile = await load('reconcile');
  refresh = await load('refresh');
  resync = await load('resync');
  status = await load('status');
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await stack.close();
});

let link: string;
let links = 0;
beforeEach(async () => {
  links += 1;
  link = `west-${links}`;
  stack.dns.set(GATEWAY_HOST, { a: ['203.0.113.10'], ttl: 60 });
  await stack.target.create('Service', aService());
  await stack.target.create('EndpointSlice', aSlice());
  await stack.store({ name: link });
});
afterEach(async () => {
  await resync({ link, unlink: true }, contextOf());
  await stack.target.remove('EndpointSlice', 'shop', 'web-abcde');
  await stack.target.remove('Service', 'shop', 'web');
});

const work = (...bodies: readonly object[]): Promise<SQSBatchResponse> =>
  reconcile(
    eventOf((bodies.length === 0 ? [{ link }] : bodies).map((body) => JSON.stringify(body))),
    contextOf(),
  );

const writesSince = (from: number): readonly string[] =>
  stack.servers.source.requests.all
    .slice(from)
    .filter(({ method, path }) => method !== 'GET' && !path.includes('/leases'))
    .map(({ method, path }) => `${method} ${path}`);
const requestsSoFar = (): number => stack.servers.source.requests.all.length;

const mirrorOf = () => ({ namespace: 'shop', name: `web-${link}` });

describe('tick and reconcile', () => {
  it('K5: from schedule to mirror, through the queue, with IAM at both clusters', async () => {
    const ticked = await tick({}, contextOf());
    expect(ticked.sent).toEqual([link]);
    const waiting = await stack.sqs.look('work');
    expect(waiting.map(({ body }) => JSON.parse(body))).toContainEqual({ link, hop: 0 });
    expect(await work()).toEqual({ batchItemFailures: [] });
    expect(await endpointsOf(stack.source, mirrorOf())).toEqual({
      ready: ['203.0.113.10'],
      notReady: [],
      ports: ['http:4143'],
    });
    const before = requestsSoFar();
    expect(await work()).toEqual({ batchItemFailures: [] });
    expect(writesSince(before)).toEqual([]);
  });

  it('K3: the same message twice, late and in a batch with others changes only when things happen', async () => {
    await work({ link }, { link }, { link: 'never-stored' });
    await stack.target.patch('Service', 'shop', 'web', { metadata: { labels: { tier: 'a' } } });
    const before = requestsSoFar();
    await work({ link, hop: 4 });
    await work({ link, hop: 0 });
    expect(writesSince(before)).toEqual([
      `PATCH /api/v1/namespaces/shop/services/web-${link}`,
      `PATCH /api/v1/namespaces/shop/endpoints/web-${link}`,
    ]);
    expect((await stack.source.read('Service', 'shop', `web-${link}`))?.metadata.labels?.['tier']).toBe('a');
  });

  it('K2: a source API that answers 500 for a while is outlasted within the run', async () => {
    stack.servers.source.faults.add({
      match: ({ method, path }) => method === 'POST' && path.endsWith('/services'),
      times: 2,
      action: { status: 500, reason: 'InternalError', message: 'for a while' },
    });
    await work();
    expect(await stack.source.read('Service', 'shop', `web-${link}`)).toBeDefined();
  });

  it('J8: a list of the source that fails crashes nothing, and the next message mirrors', async () => {
    stack.servers.source.faults.add({
      match: ({ method, path }) => method === 'GET' && path === '/api/v1/services',
      times: 1,
      action: { status: 500, reason: 'InternalError', message: 'for a while' },
    });
    expect(await work()).toEqual({ batchItemFailures: [] });
    expect((await stack.links.get(link))?.lastRun?.unobserved.map(({ what }) => what)).toEqual([
      'source Services',
    ]);
    await work();
    expect(await stack.source.read('Service', 'shop', `web-${link}`)).toBeDefined();
  });

  it('J1: a link whose target cluster is not there says so and keeps its mirrors; its neighbours go on', async () => {
    await stack.store({
      name: 'lost',
      target: { eks: 'arn:aws:eks:eu-central-1:000000000000:cluster/nowhere' },
    });
    expect(await work({ link: 'lost' }, { link })).toEqual({ batchItemFailures: [] });
    expect((await stack.links.get('lost'))?.lastRun?.unobserved.map(({ what }) => what)).toEqual([
      'target cluster',
    ]);
    expect(await stack.source.read('Service', 'shop', `web-${link}`)).toBeDefined();
    await resync({ link: 'lost', unlink: true }, contextOf());
  });

  it('J7: a hundred runs of one environment leave no socket behind', async () => {
    await work();
    const sockets = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
    await work();
    const before = sockets();
    for (let run = 0; run < 100; run += 1) await work();
    expect(sockets()).toBeLessThanOrEqual(before + 2);
    expect(await endpointsOf(stack.source, mirrorOf())).toMatchObject({ ready: ['203.0.113.10'] });
  });

  it('a bad message says all that is wrong with it and goes back alone', async () => {
    const result = await reconcile(
      eventOf(['no json', '{"link":"","hop":99}', JSON.stringify({ link })]),
      contextOf(),
    );
    expect(result).toEqual({ batchItemFailures: [{ itemIdentifier: 'm0' }, { itemIdentifier: 'm1' }] });
    expect(await stack.source.read('Service', 'shop', `web-${link}`)).toBeDefined();
  });
});

describe('refresh', () => {
  it('a timer that goes off early asks nothing; a resync asks at once, and the mirror follows', async () => {
    await work();
    const record = (await status({ queryStringParameters: { link } }, contextOf())).body;
    expect(JSON.parse(record)).toMatchObject({
      links: [{ gateway: { names: [{ hostname: GATEWAY_HOST, state: 'FRESH' }] } }],
    });
    const message = { link, hostname: GATEWAY_HOST, family: 'IPv4', due: 0 };
    const asked = stack.dns.queries.length;
    const early = await refresh(eventOf([JSON.stringify(message)]), contextOf());
    expect(early).toEqual({ batchItemFailures: [] });
    expect(stack.dns.queries).toHaveLength(asked);
    expect(await endpointsOf(stack.source, mirrorOf())).toMatchObject({ ready: ['203.0.113.10'] });
    stack.dns.set(GATEWAY_HOST, { a: ['203.0.113.10', '203.0.113.11'], ttl: 60 });
    await resync({ link }, contextOf());
    expect(await endpointsOf(stack.source, mirrorOf())).toMatchObject({
      ready: ['203.0.113.10', '203.0.113.11'],
    });
  });
});

describe('resync and status', () => {
  it('a dry run says what it would do and writes nothing', async () => {
    const { links: found, errors } = await resync({ link, dryRun: true }, contextOf());
    expect(errors).toEqual([]);
    expect(found).toMatchObject([
      {
        link,
        changes: [
          { action: 'create', kind: 'Service' },
          { action: 'create', kind: 'Endpoints' },
        ],
        refusals: [],
      },
    ]);
    expect(await stack.source.read('Service', 'shop', `web-${link}`)).toBeUndefined();
  });

  it('a bad event is one error with every mistake', async () => {
    await expect(resync({ link: 7, dry: true }, contextOf())).rejects.toThrow(
      'link: expected text, got 7\n' +
        'dry: unknown field, expected one of link, dryRun, namespaces, services, forceDeletes, unlink',
    );
  });

  it('the status of a link that is not stored is a 404', async () => {
    expect(await status({ queryStringParameters: { link: 'nobody' } }, contextOf())).toMatchObject({
      statusCode: 404,
      body: '{"message":"link nobody is not stored"}',
    });
  });
});

describe('the event files', () => {
  const event = async (name: string): Promise<unknown> =>
    JSON.parse(await readFile(new URL(`../../events/${name}.json`, import.meta.url), 'utf8'));

  it('run every function by hand', async () => {
    expect(await tick(await event('tick'), contextOf())).toMatchObject({ sent: [link], broken: [] });
    expect(await reconcile(await event('reconcile'), contextOf())).toEqual({ batchItemFailures: [] });
    expect(await refresh(await event('refresh'), contextOf())).toEqual({ batchItemFailures: [] });
    expect(await resync(await event('resync'), contextOf())).toEqual({
      links: [],
      errors: [{ link: 'west', message: 'link west is not stored' }],
    });
    expect(await status(await event('status'), contextOf())).toMatchObject({ statusCode: 404 });
  });
});

describe('environment', () => {
  it('is wrong: one error with every variable', async () => {
    vi.resetModules();
    vi.stubEnv('STATE_TABLE', undefined);
    vi.stubEnv('WORK_QUEUE_URL', 'work');
    await expect(load('tick')).rejects.toThrow(
      'environment STATE_TABLE: expected the name of the DynamoDB table, got nothing\n' +
        'environment WORK_QUEUE_URL: expected the URL of an SQS queue, got "work"',
    );
    vi.stubEnv('STATE_TABLE', stack.environment['STATE_TABLE']);
    vi.stubEnv('WORK_QUEUE_URL', stack.environment['WORK_QUEUE_URL']);
  });
});
