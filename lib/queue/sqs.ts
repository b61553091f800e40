// A standard SQS queue: sends in batches, sends again what SQS did not take, and says how much it never took.
import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { awsFailure } from '../aws-failures.ts';
import type { Clock, Queue, QueueMessage } from '../ports.ts';
import { batchesOf, type Entry } from './batches.ts';
import { wholeDelay } from './delay.ts';

export interface SqsQueueOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly clock: Clock;
}

export interface SqsQueue<T> extends Queue<T> {
  /** How many batches were sent so far, those that were sent again included. */
  requests(): number;
}

/** Some messages were not taken; those that were are on their way. */
export class QueueError extends Error {
  override readonly name = 'QueueError';
}

/** How often a message is sent before it is given up, and the first pause, ms; each next one is twice as long. */
const ATTEMPTS = 4;
const FIRST_PAUSE = 100;

/** A message that SQS did not take of a batch that it answered. */
interface Untaken {
  readonly entry: Entry;
  readonly why: string;
  readonly canRetry: boolean;
}

/**
 * Requests: 1 per 10 messages. `send` throws QueueError, naming the queue and how many messages were not sent; RangeError for a
 * delay that SQS does not know, before anything is sent. Once SQS does not answer, batches that are left are not tried.
 */
export function sqsQueue<T>({ client, queueUrl, clock }: SqsQueueOptions): SqsQueue<T> {
  let requests = 0;

  const sendOnce = async (entries: readonly Entry[]): Promise<readonly Untaken[]> => {
    requests += 1;
    const answer = await client.send(
      new SendMessageBatchCommand({
        QueueUrl: queueUrl,
        Entries: entries.map(({ body, delaySeconds }, index) => ({
          Id: String(index),
          MessageBody: body,
          DelaySeconds: delaySeconds,
        })),
      }),
    );
    return (answer.Failed ?? []).flatMap(({ Id, Code = 'no reason given', SenderFault = false }) => {
      const entry = entries[Number(Id)];
      return entry === undefined ? [] : [{ entry, why: Code, canRetry: !SenderFault }];
    });
  };

  const sendBatch = async (batch: readonly Entry[]): Promise<readonly Untaken[]> => {
    const givenUp: Untaken[] = [];
    let untaken = await sendOnce(batch);
    for (let attempt = 2; attempt <= ATTEMPTS && untaken.some(({ canRetry }) => canRetry); attempt += 1) {
      givenUp.push(...untaken.filter(({ canRetry }) => !canRetry));
      await clock.sleep(FIRST_PAUSE * 2 ** (attempt - 2));
      untaken = await sendOnce(untaken.filter(({ canRetry }) => canRetry).map(({ entry }) => entry));
    }
    return [...givenUp, ...untaken];
  };

  return {
    requests: () => requests,
    async send(messages) {
      const reasons = new Set<string>();
      let taken = 0;
      const batches = batchesOf(messages.map(entryOf));
      try {
        for (const batch of batches) {
          const untaken = await sendBatch(batch);
          for (const { why } of untaken) reasons.add(why);
          taken += batch.length - untaken.length;
        }
      } catch (error) {
        reasons.add(awsFailure(error, 'SendMessageBatch').message);
      }
      if (taken === messages.length) return;
      const share = `${messages.length - taken} of ${messages.length} messages were not sent`;
      throw new QueueError(`queue ${nameOf(queueUrl)}: ${share}: ${[...reasons].join(', ')}`);
    },
  };
}

const entryOf = ({ body, delaySeconds }: QueueMessage<unknown>): Entry => ({
  body: JSON.stringify(body),
  delaySeconds: delaySeconds === undefined ? undefined : wholeDelay(delaySeconds),
});

/** The last part of a queue's URL; the part before it is the account. */
const nameOf = (queueUrl: string): string => queueUrl.split('/').at(-1) ?? queueUrl;
