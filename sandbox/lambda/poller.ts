// Plays the event source mapping between an SQS queue and a function: receives batches, invokes, and deletes what was worked off.
//
//   result of the function                      what stays in the queue
//   ─────────────────────────────────────────   ─────────────────────────────────────────────────────────
//   an error, or no such form                   the whole batch
//   {batchItemFailures: []}, null or nothing    nothing
//   {batchItemFailures: [{itemIdentifier}]}     these; all, when one of them is no message of the batch
//
// What stays is received again when its visibility timeout is over, until the queue's redrive policy moves it to the dead letters.
import {
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  type Message,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { errorText } from '../../lib/errors.ts';
import type { Clock } from '../../lib/ports.ts';
import type { Result } from './runtime-api.ts';
import type { LambdaService } from './service.ts';

export interface QueueMapping {
  readonly queueUrl: string;
  readonly queueArn: string;
  readonly functionName: string;
  readonly batchSize: number; // 1 to 10
  readonly concurrency: number; // invocations at a time
  /** Whether the function names the messages that it failed at. */
  readonly reportsFailures: boolean;
}

export interface PollerOptions {
  readonly sqs: SQSClient;
  readonly lambda: Pick<LambdaService, 'invoke'>;
  readonly clock: Clock;
  /** What AWS would show in the mapping's metrics only. */
  readonly onTrouble: (text: string) => void;
}

export interface Poller {
  /** Receives nothing any more; resolves when what was received is worked off. */
  close(): Promise<void>;
}

const WAIT_SECONDS = 20; // the longest that SQS knows
const PAUSE_MS = 1_000; // after a request to the queue that failed

export function startPoller(mapping: QueueMapping, options: PollerOptions): Poller {
  const closing = new AbortController();
  const loops = Array.from({ length: mapping.concurrency }, () => poll(mapping, options, closing.signal));
  return {
    async close() {
      closing.abort();
      await Promise.all(loops);
    },
  };
}

async function poll(mapping: QueueMapping, options: PollerOptions, signal: AbortSignal): Promise<void> {
  const { clock, onTrouble } = options;
  while (!signal.aborted) {
    try {
      const messages = await receive(mapping, options, signal);
      if (messages.length > 0) await workOff(mapping, options, messages);
    } catch (error) {
      if (signal.aborted) return;
      onTrouble(`queue of ${mapping.functionName}: ${errorText(error)}`);
      await clock.sleep(PAUSE_MS, signal).catch(() => undefined); // closing
    }
  }
}

async function receive(
  { queueUrl, batchSize }: QueueMapping,
  { sqs }: PollerOptions,
  abortSignal: AbortSignal,
): Promise<readonly Message[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl: queueUrl,
    MaxNumberOfMessages: batchSize,
    WaitTimeSeconds: WAIT_SECONDS,
    MessageSystemAttributeNames: ['All'],
    MessageAttributeNames: ['All'],
  });
  const { Messages = [] } = await sqs.send(command, { abortSignal });
  return Messages;
}

async function workOff(
  mapping: QueueMapping,
  { sqs, lambda, onTrouble }: PollerOptions,
  messages: readonly Message[],
): Promise<void> {
  const event = { Records: messages.map((message) => recordOf(mapping, message)) };
  const result = await lambda.invoke(mapping.functionName, JSON.stringify(event));
  const failed = failedIn(mapping, messages, result);
  if (result.isError) onTrouble(`${mapping.functionName}: ${result.payload}`);
  const done = messages.filter(({ MessageId = '' }) => !failed.has(MessageId));
  if (done.length === 0) return;
  await sqs.send(
    new DeleteMessageBatchCommand({
      QueueUrl: mapping.queueUrl,
      Entries: done.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle })),
    }),
  );
}

/** As a function sees a message of a standard queue. */
const recordOf = ({ queueArn }: QueueMapping, message: Message): object => ({
  messageId: message.MessageId,
  receiptHandle: message.ReceiptHandle,
  body: message.Body,
  attributes: message.Attributes ?? {},
  messageAttributes: {},
  md5OfBody: message.MD5OfBody,
  eventSource: 'aws:sqs',
  eventSourceARN: queueArn,
  awsRegion: queueArn.split(':')[3],
});

/** Ids of the messages that are to stay. */
export function failedIn(
  { reportsFailures }: Pick<QueueMapping, 'reportsFailures'>,
  messages: readonly Pick<Message, 'MessageId'>[],
  { isError, payload }: Result,
): ReadonlySet<string> {
  const all = new Set(messages.map(({ MessageId = '' }) => MessageId));
  if (isError) return all;
  const named = reportsFailures ? namedIn(JSON.parse(payload)) : [];
  const isSound = named?.every((id) => typeof id === 'string' && all.has(id)) ?? false;
  return isSound ? new Set(named?.map(String)) : all;
}

/** undefined: of no form that Lambda knows */
function namedIn(result: unknown): readonly unknown[] | undefined {
  if (result === null) return [];
  if (typeof result !== 'object') return undefined;
  const failures: unknown = Reflect.get(result, 'batchItemFailures') ?? [];
  if (!Array.isArray(failures)) return undefined;
  return failures.map((failure: unknown) =>
    typeof failure === 'object' && failure !== null ? Reflect.get(failure, 'itemIdentifier') : undefined,
  );
}
