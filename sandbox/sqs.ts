// SQS on this computer: fauxqs in memory, on loopback, with the queues that it is told to have.
import { CreateQueueCommand, SQSClient, type QueueAttributeName } from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';
import { queueArn, standInAccess } from './stand-in.ts';

export interface QueueSpec {
  readonly name: string;
  readonly visibilityTimeout?: number; // seconds
  /** Where a message goes that was received so often and never deleted; that queue must come before this one. */
  readonly deadLetters?: { readonly queue: string; readonly maxReceiveCount: number };
}

export interface SqsOptions {
  readonly port?: number; // default: a free one
  readonly queues?: readonly QueueSpec[];
}

/** A message as it lies in a queue. */
export interface LyingMessage {
  readonly body: string;
  readonly delaySeconds: number; // it was sent with
}

export interface Sqs {
  /** `http://127.0.0.1:PORT`. The hosts in its queue URLs are others, which need not resolve: clients use this endpoint. */
  readonly endpoint: string;
  readonly port: number;
  /** The URL of the new queue. */
  readonly createQueue: (spec: QueueSpec) => Promise<string>;
  /** What lies in a queue, received or not; nothing is taken out. */
  readonly look: (queue: string) => Promise<readonly LyingMessage[]>;
  /** Ends every connection; resolves when the port is free. May be called again. */
  readonly close: () => Promise<void>;
}

/** Rejects when the port is taken, naming it. */
export async function startSqs({ port = 0, queues = [] }: SqsOptions = {}): Promise<Sqs> {
  // Not its own startFauxqs: that listens on every interface.
  const app = buildApp({ logger: false });
  const endpoint = await app.listen({ port, host: '127.0.0.1' });
  const client = new SQSClient({ ...standInAccess(endpoint), useQueueUrlAsEndpoint: false });
  const createQueue = async (spec: QueueSpec): Promise<string> => {
    const { QueueUrl = '' } = await client.send(
      new CreateQueueCommand({ QueueName: spec.name, Attributes: attributesOf(spec) }),
    );
    return QueueUrl;
  };
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    client.destroy();
    await app.close();
  };
  for (const queue of queues) await createQueue(queue);
  return {
    endpoint,
    port: Number(new URL(endpoint).port),
    createQueue,
    look: (queue) => look(endpoint, queue),
    close: () => (closing ??= close()),
  };
}

const attributesOf = ({
  visibilityTimeout,
  deadLetters,
}: QueueSpec): Partial<Record<QueueAttributeName, string>> => ({
  ...(visibilityTimeout === undefined ? {} : { VisibilityTimeout: String(visibilityTimeout) }),
  ...(deadLetters === undefined ? {} : { RedrivePolicy: redrivePolicy(deadLetters) }),
});

const redrivePolicy = ({ queue, maxReceiveCount }: NonNullable<QueueSpec['deadLetters']>): string =>
  JSON.stringify({ deadLetterTargetArn: queueArn(queue), maxReceiveCount });

/** A message as fauxqs shows it. */
interface Shown {
  readonly body: string;
  readonly sentTimestamp: number; // ms
  readonly delayUntil?: number; // ms
}

interface ShownQueue {
  readonly messages: {
    readonly ready: readonly Shown[];
    readonly delayed: readonly Shown[];
    readonly inflight: readonly { readonly message: Shown }[];
  };
}

async function look(endpoint: string, queue: string): Promise<readonly LyingMessage[]> {
  const answer = await fetch(`${endpoint}/_fauxqs/queues/${queue}`);
  if (!answer.ok) throw new Error(`queue ${queue}: ${await answer.text()}`);
  const { messages }: ShownQueue = JSON.parse(await answer.text());
  const { ready, delayed, inflight } = messages;
  return [...ready, ...delayed, ...inflight.map(({ message }) => message)].map(
    ({ body, sentTimestamp, delayUntil = sentTimestamp }) => ({
      body,
      delaySeconds: Math.round((delayUntil - sentTimestamp) / 1000),
    }),
  );
}
