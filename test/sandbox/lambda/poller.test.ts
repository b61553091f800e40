// The event source mapping, on a real queue stand-in: what stays in the queue, and where it ends.
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../lib/clock.ts';
import { failedIn, startPoller, type Poller, type QueueMapping } from '../../../sandbox/lambda/poller.ts';
import { startSqs, type Sqs } from '../../../sandbox/sqs.ts';
import { standInAccess } from '../../../sandbox/stand-in.ts';

interface SeenRecord {
  readonly messageId: string;
  readonly body: string;
  readonly eventSourceARN: string;
  readonly awsRegion: string;
  readonly attributes: Readonly<Record<string, string>>;
}

type Answer = (records: readonly SeenRecord[]) => object | null | Error;

const ARN = 'arn:aws:sqs:us-east-1:000000000000:work';

let sqs: Sqs;
let client: SQSClient;
let queueUrl: string;
const troubles: string[] = [];

beforeEach(async () => {
  troubles.length = 0;
  sqs = await startSqs({ queues: [{ name: 'dead' }] });
  queueUrl = await sqs.createQueue({
    name: 'work',
    visibilityTimeout: 1,
    deadLetters: { queue: 'dead', maxReceiveCount: 2 },
  });
  client = new SQSClient({ ...standInAccess(sqs.endpoint), useQueueUrlAsEndpoint: false });
  return async () => {
    client.destroy();
    await sqs.close();
  };
});

const send = (...bodies: readonly string[]): Promise<unknown> =>
  client.send(
    new SendMessageBatchCommand({
      QueueUrl: queueUrl,
      Entries: bodies.map((body, index) => ({ Id: String(index), MessageBody: body })),
    }),
  );

/** A poller whose function answers like this; ended after the test. */
function poll(answer: Answer, given: Partial<QueueMapping> = {}): Poller {
  const mapping = {
    queueUrl,
    queueArn: ARN,
    functionName: 'work',
    batchSize: 10,
    concurrency: 1,
    reportsFailures: true,
  };
  const poller = startPoller(
    { ...mapping, ...given },
    {
      sqs: client,
      clock: systemClock,
      onTrouble: (text) => troubles.push(text),
      lambda: {
        invoke: (_name, payload) => {
          const { Records }: { Records: SeenRecord[] } = JSON.parse(payload);
          const result = answer(Records);
          const isError = result instanceof Error;
          const body = isError ? { errorMessage: result.message } : result;
          return Promise.resolve({ requestId: 'r', isError, payload: JSON.stringify(body) });
        },
      },
    },
  );
  onTestFinished(() => poller.close());
  return poller;
}

/** Waits until a queue holds these bodies. */
async function holds(queue: string, ...bodies: readonly string[]): Promise<void> {
  await expect
    .poll(async () => (await sqs.look(queue)).map(({ body }) => body).toSorted(), { timeout: 8_000 })
    .toStrictEqual(bodies.toSorted());
}

describe('a batch', () => {
  it('is given as SQS events are, and deleted when it is done', async () => {
    await send('a', 'b');
    const batches: (readonly SeenRecord[])[] = [];
    poll((records) => {
      batches.push(records);
      return { batchItemFailures: [] };
    });
    await holds('work');
    expect(batches).toHaveLength(1);
    expect(batches[0]?.map(({ body }) => body).toSorted()).toStrictEqual(['a', 'b']);
    expect(batches[0]?.[0]).toMatchObject({
      eventSource: 'aws:sqs',
      eventSourceARN: ARN,
      awsRegion: 'us-east-1',
      attributes: { ApproximateReceiveCount: '1' },
    });
    expect(await sqs.look('dead')).toStrictEqual([]);
  });

  it('comes in parts no larger than the mapping says', async () => {
    await send('a', 'b', 'c');
    const sizes: number[] = [];
    poll(
      ({ length }) => {
        sizes.push(length);
        return null;
      },
      { batchSize: 2 },
    );
    await holds('work');
    expect(sizes).toStrictEqual([2, 1]);
  });

  it('loses what was done; the message that failed comes again, alone', async () => {
    await send('good', 'bad');
    const seen: string[] = [];
    poll((records) => {
      seen.push(...records.map(({ body, attributes }) => `${body} ${attributes['ApproximateReceiveCount']}`));
      const failed = records.filter(
        ({ body, attributes }) => body === 'bad' && attributes['ApproximateReceiveCount'] === '1',
      );
      return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
    });
    await holds('work');
    expect(seen.toSorted()).toStrictEqual(['bad 1', 'bad 2', 'good 1']);
    expect(await sqs.look('dead')).toStrictEqual([]);
  });

  it('that fails as often as the queue allows ends among the dead letters', async () => {
    await send('bad');
    let times = 0;
    poll(() => {
      times += 1;
      return new Error('no');
    });
    await holds('dead', 'bad');
    expect(times).toBe(2);
    expect(await sqs.look('work')).toStrictEqual([]);
    expect(troubles).toStrictEqual(['work: {"errorMessage":"no"}', 'work: {"errorMessage":"no"}']);
  });
});

it('goes on when the queue was away', async () => {
  const { port } = sqs;
  await sqs.close();
  const seen: string[] = [];
  poll((records) => {
    seen.push(...records.map(({ body }) => body));
    return null;
  });
  await expect.poll(() => troubles.length, { timeout: 8_000 }).toBeGreaterThan(0);
  expect(troubles[0]).toContain('queue of work: ');
  sqs = await startSqs({ port, queues: [{ name: 'work' }] });
  await send('a');
  await expect.poll(() => seen, { timeout: 8_000 }).toStrictEqual(['a']);
});

it('receives nothing any more when it is closed', async () => {
  const poller = poll(() => null);
  await poller.close();
  await send('a');
  expect(await sqs.look('work')).toStrictEqual([{ body: 'a', delaySeconds: 0 }]);
});

describe('what stays in the queue', () => {
  const MESSAGES = [{ MessageId: 'a' }, { MessageId: 'b' }];
  const rows: readonly (readonly [title: string, payload: unknown, stays: readonly string[]])[] = [
    ['null', null, []],
    ['an empty list', { batchItemFailures: [] }, []],
    ['no list', {}, []],
    ['one named', { batchItemFailures: [{ itemIdentifier: 'b' }] }, ['b']],
    ['one named that is none of the batch', { batchItemFailures: [{ itemIdentifier: 'c' }] }, ['a', 'b']],
    ['an empty name', { batchItemFailures: [{ itemIdentifier: '' }] }, ['a', 'b']],
    ['no name', { batchItemFailures: [{}] }, ['a', 'b']],
    ['a list that is none', { batchItemFailures: 'a' }, ['a', 'b']],
    ['a text', 'done', ['a', 'b']],
  ];
  it.each(rows)('%s', (_title, payload, stays) => {
    const result = { isError: false, payload: JSON.stringify(payload) };
    expect([...failedIn({ reportsFailures: true }, MESSAGES, result)]).toStrictEqual(stays);
  });

  it('an error: everything', () => {
    expect([
      ...failedIn({ reportsFailures: true }, MESSAGES, { isError: true, payload: '{}' }),
    ]).toStrictEqual(['a', 'b']);
  });

  it('without partial failures a result is not looked at', () => {
    const result = { isError: false, payload: '{"batchItemFailures":[{"itemIdentifier":"a"}]}' };
    expect([...failedIn({ reportsFailures: false }, MESSAGES, result)]).toStrictEqual([]);
  });
});
