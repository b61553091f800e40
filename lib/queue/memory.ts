// A queue in this process only, for tests: keeps a record, and delivers as SQS does.
import type { Clock, Queue, QueueMessage } from '../ports.ts';
import { wholeDelay } from './delay.ts';

export interface MemoryQueue<T> extends Queue<T> {
  /** Every message that was ever sent, in order. */
  readonly sent: readonly QueueMessage<T>[];
  /** Those that were not taken yet, due or not. */
  waiting(): readonly QueueMessage<T>[];
  /**
   * Hands every message that is due now to `receive`, the one that was due first first. A message that it throws for is not taken,
   * and the error goes on to the caller. Messages that are sent meanwhile wait for the next time.
   *
   * @returns how many were taken
   */
  deliver(receive: (body: T) => Promise<void>): Promise<number>;
}

interface Waiting<T> {
  readonly message: QueueMessage<T>;
  readonly due: number; // ms since the epoch
}

export function memoryQueue<T>({ clock }: { readonly clock: Clock }): MemoryQueue<T> {
  const sent: QueueMessage<T>[] = [];
  let waiting: readonly Waiting<T>[] = [];
  return {
    sent,
    waiting: () => waiting.map(({ message }) => message),

    async send(messages) {
      const added = messages.map((message) => ({
        message: asSent(message),
        due: clock.now() + wholeDelay(message.delaySeconds ?? 0) * 1000,
      }));
      sent.push(...added.map(({ message }) => message));
      waiting = [...waiting, ...added];
    },

    async deliver(receive) {
      const now = clock.now();
      const due = waiting.filter((row) => row.due <= now).toSorted((a, b) => a.due - b.due);
      for (const row of due) {
        await receive(structuredClone(row.message.body));
        waiting = waiting.filter((other) => other !== row);
      }
      return due.length;
    },
  };
}

/** What arrives at the other end: JSON, and whole seconds. */
const asSent = <T>({ body, delaySeconds }: QueueMessage<T>): QueueMessage<T> => ({
  body: JSON.parse(JSON.stringify(body)),
  ...(delaySeconds === undefined ? {} : { delaySeconds: wholeDelay(delaySeconds) }),
});
