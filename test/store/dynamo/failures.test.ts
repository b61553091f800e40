// What DynamoDB does not answer is a StateError: never "not stored", never a secret in its message.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { StateError } from '../../../lib/errors.ts';
import { dynamoClient } from '../../../lib/store/dynamo/client.ts';
import { dynamoStores, type DynamoStores } from '../../../lib/store/dynamo/stores.ts';
import { standInAccess } from '../../../sandbox/stand-in.ts';
import {
  awsError,
  startAwsStub,
  stubAwsEnvironment,
  type AwsAnswer,
  type AwsRequest,
  type AwsStub,
} from '../../support/aws-stub.ts';
import { testClock, type TestClock } from '../../support/clock.ts';
import { aLink, aSummary } from '../../contract/link-world.ts';
import { EMPTY_STATE } from '../../contract/gateway-store.contract.ts';
import { dynamoWorlds } from './world.ts';

const ENTRY = { link: 'west', at: 0, runId: 'r', what: 'w', reasons: [], result: 'applied' } as const;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

interface Failing extends DynamoStores {
  readonly stub: AwsStub;
  readonly clock: TestClock;
}

async function answering(
  answer: (request: AwsRequest) => AwsAnswer | undefined,
  maxAttempts = 1,
): Promise<Failing> {
  const stub = await startAwsStub(answer);
  const client = dynamoClient({ ...standInAccess(stub.endpoint), maxAttempts });
  closing.push(async () => {
    client.destroy();
    await stub.close();
  });
  const clock = testClock();
  return { ...dynamoStores({ client, table: 'state', clock }), stub, clock };
}

async function errorOf(work: Promise<unknown>): Promise<Error> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('expected an error');
}

describe('every method, when DynamoDB is throttled', () => {
  const rows: readonly (readonly [what: string, act: (stores: DynamoStores) => Promise<unknown>])[] = [
    ['list links', ({ links }) => links.list()],
    ['read link west', ({ links }) => links.get('west')],
    ['store link west', ({ links }) => links.put(aLink('west'), 0)],
    ['store link west', ({ links }) => links.put(aLink('west'), 1)],
    ['end link west', ({ links }) => links.end('west')],
    ['remove link west', ({ links }) => links.remove('west')],
    ['save the last run of link west', ({ links }) => links.saveRun('west', aSummary())],
    ['claim link west', ({ links }) => links.claim('west', 'run', 60)],
    ['read the gateway state of link west', ({ gateways }) => gateways.load('west')],
    ['save the gateway state of link west', ({ gateways }) => gateways.save('west', EMPTY_STATE, 1)],
    ['write the journal', ({ journal }) => journal.append([ENTRY])],
    ['read the journal of link west', ({ journal }) => journal.recent('west', 1)],
  ];
  it.each(rows)('cannot %s', async (what, act) => {
    const stores = await answering(() => awsError('ProvisionedThroughputExceededException', 'slow down'));
    const error = await errorOf(act(stores));
    expect(error).toBeInstanceOf(StateError);
    expect(error.message).toBe(
      `table state: cannot ${what}: AWS answered ProvisionedThroughputExceededException (HTTP 400)`,
    );
  });

  it('a request is sent again before that, and each time counts', async () => {
    const stores = await answering(() => awsError('InternalServerError', '', 500), 3);
    await errorOf(stores.links.get('west'));
    expect(stores.stub.requests).toHaveLength(3);
    expect(stores.requests()).toBe(3);
  });

  it('a page that fails fails the list', async () => {
    const item = { pk: { S: 'LINKS' }, sk: { S: 'a' } };
    const stores = await answering(({ body }) =>
      body.ExclusiveStartKey !== undefined
        ? awsError('ThrottlingException')
        : { body: { Items: [item], Count: 1, LastEvaluatedKey: item } },
    );
    expect((await errorOf(stores.links.list())).message).toMatch(
      /^table state: cannot list links: AWS answered Throttling/,
    );
  });
});

describe('what the message says', () => {
  const arn = 'arn:aws:sts::111122223333:assumed-role/tick/tick';
  it.each([
    [
      'AccessDeniedException',
      `User: ${arn} is not authorized to perform: dynamodb:GetItem because no policy allows it`,
      `${arn} may not dynamodb:GetItem`,
    ],
    ['ResourceNotFoundException', 'Requested resource not found', 'there is no such table'],
    [
      'UnrecognizedClientException',
      'The security token SECRET is invalid',
      'AWS does not know the credentials',
    ],
    [
      'InvalidSignatureException',
      'The Canonical String should have been x-amz-security-token:SECRET',
      'AWS does not accept the signature: the secret key or the clock is wrong',
    ],
    ['ValidationException', 'SECRET is wrong', 'AWS answered ValidationException (HTTP 400)'],
  ])('%s', async (name, message, shown) => {
    const { links } = await answering(() => awsError(name, message));
    const error = await errorOf(links.get('west'));
    expect(error.message).toBe(`table state: cannot read link west: ${shown}`);
    expect(error.cause).toBeUndefined();
  });

  it('a server that is not there, by the name of its trouble', async () => {
    const { links, stub } = await answering(() => ({ body: {} }));
    await stub.close();
    expect((await errorOf(links.get('west'))).message).toBe(
      'table state: cannot read link west: no answer from AWS (ECONNREFUSED)',
    );
  });

  it('an answer that is not JSON', async () => {
    const { links } = await answering(() => ({ status: 502, body: [] }));
    expect(await errorOf(links.get('west'))).toBeInstanceOf(StateError);
  });
});

describe('what does not fit into an item', () => {
  const open = dynamoWorlds();
  const tooLarge = aLink('west', {
    excludedLabels: Array.from({ length: 7000 }, (_, index) => `example.com/${'k'.repeat(50)}${index}`),
  });

  it('is refused whole, and what was stored stays', async () => {
    const { reopen, table } = await open();
    const { links } = reopen();
    const error = await errorOf(links.put(tooLarge, 0));
    expect(error).toBeInstanceOf(StateError);
    expect(error.message).toBe(
      `table ${table}: cannot store link west: it is larger than an item may be (400 KiB)`,
    );
    await links.put(aLink('west'), 0);
    await expect(links.put(tooLarge, 1)).rejects.toBeInstanceOf(StateError);
    expect(await links.get('west')).toMatchObject({ link: aLink('west'), version: 1 });
  });
});

describe('journal lines that DynamoDB leaves over', () => {
  const entries = ['a', 'b', 'c'].map((what) => ({ ...ENTRY, what }));
  const itemsOf = ({ body }: AwsRequest): readonly unknown[] => body.RequestItems?.state ?? [];
  const leaving = (request: AwsRequest, count: number): AwsAnswer => ({
    body: { UnprocessedItems: count === 0 ? {} : { state: itemsOf(request).slice(-count) } },
  });
  const sizesOf = ({ requests }: AwsStub): readonly number[] =>
    requests.map((request) => itemsOf(request).length);

  it('are written again after a pause', async () => {
    const left = [2, 1, 0];
    const { journal, stub, clock } = await answering((request) => leaving(request, left.shift() ?? 0));
    await journal.append(entries);
    expect(sizesOf(stub)).toStrictEqual([3, 2, 1]);
    expect(clock.slept).toStrictEqual([100, 200]);
  });

  it('are given up in the end, and counted', async () => {
    const { journal, stub, clock } = await answering((request) => leaving(request, 1));
    const error = await errorOf(journal.append(entries));
    expect(error).toBeInstanceOf(StateError);
    expect(error.message).toBe(
      'table state: cannot write the journal: 1 of 3 lines were left over after 4 attempts',
    );
    expect(sizesOf(stub)).toStrictEqual([3, 1, 1, 1]);
    expect(clock.slept).toStrictEqual([100, 200, 400]);
  });
});

describe('the client', () => {
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllEnvs();
  });

  it('waits 3 seconds for an answer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { promise: asked, resolve: noteAsked } = Promise.withResolvers<void>();
    const { links } = await answering(() => {
      noteAsked();
      return undefined;
    });
    const settled = vi.fn<() => void>();
    const error = errorOf(links.get('west'));
    void error.then(settled);
    await asked;
    await vi.advanceTimersByTimeAsync(2999);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect((await error).message).toBe('table state: cannot read link west: no answer from AWS (ETIMEDOUT)');
  });

  it("finds endpoint, region and credentials in the SDK's own variables", async () => {
    const { stub } = await answering(() => ({ body: {} }));
    stubAwsEnvironment('AWS_ENDPOINT_URL_DYNAMODB', stub.endpoint);
    const client = dynamoClient();
    closing.push(async () => client.destroy());
    const { links } = dynamoStores({ client, table: 'state', clock: testClock() });
    expect(await links.get('west')).toBeUndefined();
    expect(stub.requests).toHaveLength(1);
    expect(await client.config.region()).toBe('eu-west-1');
  });

  it('sends a request at most 3 times', async () => {
    const client = dynamoClient(standInAccess('http://127.0.0.1:9'));
    expect(await client.config.maxAttempts()).toBe(3);
    client.destroy();
  });
});
