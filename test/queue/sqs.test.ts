// The queue on SQS: the contract on a stand-in, and what SQS does not take.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { sqsClient } from '../../lib/queue/client.ts';
import { QueueError, sqsQueue, type SqsQueue } from '../../lib/queue/sqs.ts';
import type { QueueMessage } from '../../lib/ports.ts';
import { standInAccess } from '../../sandbox/stand-in.ts';
import { startSqs } from '../../sandbox/sqs.ts';
import { queueContract } from '../contract/queue.contract.ts';
import {
  awsError,
  startAwsStub,
  stubAwsEnvironment,
  type AwsAnswer,
  type AwsRequest,
  type AwsStub,
} from '../support/aws-stub.ts';
import { testClock, type TestClock } from '../support/clock.ts';

queueContract('sqsQueue', async () => {
  const sqs = await startSqs();
  const client = sqsClient(standInAccess(sqs.endpoint));
  let queues = 0;
  return {
    async open() {
      queues += 1;
      const name = `queue-${queues}`;
      const queueUrl = await sqs.createQueue({ name });
      return {
        queue: sqsQueue<unknown>({ client, queueUrl, clock: testClock() }),
        lying: async () =>
          (await sqs.look(name)).map(({ body, delaySeconds }) => ({ body: JSON.parse(body), delaySeconds })),
      };
    },
    async close() {
      client.destroy();
      await sqs.close();
    },
  };
});

const URL = 'https://sqs.eu-west-1.amazonaws.com/111122223333/esm-prod-work';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

interface Answering {
  readonly queue: SqsQueue<string>;
  readonly stub: AwsStub;
  readonly clock: TestClock;
  /** Bodies of each request. */
  readonly asked: () => readonly (readonly string[])[];
}

async function answering(answer: (request: AwsRequest) => AwsAnswer): Promise<Answering> {
  const stub = await startAwsStub(answer);
  const client = sqsClient({ ...standInAccess(stub.endpoint), maxAttempts: 1, md5: false });
  closing.push(async () => {
    client.destroy();
    await stub.close();
  });
  const clock = testClock();
  const asked = () =>
    stub.requests.map(({ body }) => (body.Entries ?? []).map(({ MessageBody }) => JSON.parse(MessageBody)));
  return { queue: sqsQueue({ client, queueUrl: URL, clock }), stub, clock, asked };
}

/** Takes every entry but these bodies. */
const refusing =
  (refused: Readonly<Record<string, { readonly Code: string; readonly SenderFault: boolean }>>) =>
  ({ body }: AwsRequest): AwsAnswer => {
    const entries = (body.Entries ?? []).map(({ Id, MessageBody }) => ({
      Id,
      ...refused[JSON.parse(MessageBody)],
    }));
    return {
      body: {
        Successful: entries.filter((entry) => !('Code' in entry)),
        Failed: entries.filter((entry) => 'Code' in entry),
      },
    };
  };

const BUSY = { Code: 'ServiceUnavailable', SenderFault: false };
const WRONG = { Code: 'InvalidMessageContents', SenderFault: true };

const letters = (text: string): readonly QueueMessage<string>[] => text.split('').map((body) => ({ body }));

describe('requests', () => {
  it.each([
    [0, 0],
    [1, 1],
    [10, 1],
    [11, 2],
    [25, 3],
  ])('%i messages take %i', async (messages, requests) => {
    const { queue } = await answering(refusing({}));
    await queue.send(Array.from({ length: messages }, () => ({ body: 'west' })));
    expect(queue.requests()).toBe(requests);
  });

  it('a batch ends at 1 MiB of bodies, and what is larger by itself travels by itself', async () => {
    const { queue, asked } = await answering(refusing({}));
    const half = 'é'.repeat(262_143); // two bytes each, and two quotes: half a MiB
    const huge = 'x'.repeat(1_100_000);
    await queue.send([half, half, 'a', 'b', huge, 'c'].map((body) => ({ body })));
    expect(asked()).toStrictEqual([[half, half], ['a', 'b'], [huge], ['c']]);
  });
});

describe('messages that SQS does not take', () => {
  it('are sent again after a pause, they alone', async () => {
    const answers = [refusing({ b: BUSY, c: BUSY }), refusing({ c: BUSY }), refusing({})];
    const { queue, asked, clock } = await answering((request) => (answers.shift() ?? refusing({}))(request));
    await queue.send(letters('abc'));
    expect(asked()).toStrictEqual([['a', 'b', 'c'], ['b', 'c'], ['c']]);
    expect(clock.slept).toStrictEqual([100, 200]);
    expect(queue.requests()).toBe(3);
  });

  it('are given up in the end, by number and reason, when the others have been sent', async () => {
    const { queue, asked, clock } = await answering(refusing({ b: BUSY }));
    const send = queue.send(letters('abcdefghijkl'));
    await expect(send).rejects.toBeInstanceOf(QueueError);
    await expect(send).rejects.toThrow(
      'queue esm-prod-work: 1 of 12 messages were not sent: ServiceUnavailable',
    );
    expect(asked()).toStrictEqual(['abcdefghij'.split(''), ['b'], ['b'], ['b'], ['k', 'l']]);
    expect(clock.slept).toStrictEqual([100, 200, 400]);
  });

  it('are not sent again when they are at fault themselves', async () => {
    const { queue, asked } = await answering(refusing({ a: WRONG }));
    await expect(queue.send(letters('abc'))).rejects.toThrow(
      '1 of 3 messages were not sent: InvalidMessageContents',
    );
    expect(asked()).toStrictEqual([['a', 'b', 'c']]);
  });

  it('count together, whatever the reason', async () => {
    const answers = [refusing({ a: WRONG, b: BUSY, c: BUSY }), refusing({ b: WRONG }), refusing({})];
    const { queue, asked } = await answering((request) => (answers.shift() ?? refusing({}))(request));
    await expect(queue.send(letters('abc'))).rejects.toThrow(
      'queue esm-prod-work: 2 of 3 messages were not sent: InvalidMessageContents',
    );
    expect(asked()).toStrictEqual([
      ['a', 'b', 'c'],
      ['b', 'c'],
    ]);
  });
});

describe('an SQS that does not answer', () => {
  it('is not asked again by the batches that are left', async () => {
    const { queue } = await answering(() =>
      awsError(
        'AccessDenied',
        'User: arn:aws:iam::111122223333:role/tick is not authorized to perform: sqs:SendMessage',
      ),
    );
    await expect(queue.send(letters('abcdefghijkl'))).rejects.toThrow(
      'queue esm-prod-work: 12 of 12 messages were not sent: ' +
        'arn:aws:iam::111122223333:role/tick may not sqs:SendMessage',
    );
    expect(queue.requests()).toBe(1);
  });

  it('does not make what was sent before unsent', async () => {
    const answers = [refusing({}), () => awsError('InvalidClientTokenId', 'the token SECRET is not known')];
    const { queue } = await answering((request) => (answers.shift() ?? refusing({}))(request));
    await expect(queue.send(letters('abcdefghijkl'))).rejects.toThrow(
      /^queue esm-prod-work: 2 of 12 messages were not sent: AWS does not know the credentials$/,
    );
  });
});

describe('the client', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it("finds endpoint, region and credentials in the SDK's own variables, not in the URL of a queue", async () => {
    const { stub } = await answering(refusing({}));
    stubAwsEnvironment('AWS_ENDPOINT_URL_SQS', stub.endpoint);
    const client = sqsClient({ md5: false });
    closing.push(async () => client.destroy());
    await sqsQueue({ client, queueUrl: URL, clock: testClock() }).send(letters('a'));
    expect(stub.requests).toHaveLength(1);
    expect(await client.config.region()).toBe('eu-west-1');
  });

  it('sends a request at most 3 times', async () => {
    const client = sqsClient(standInAccess('http://127.0.0.1:9'));
    expect(await client.config.maxAttempts()).toBe(3);
    client.destroy();
  });
});
