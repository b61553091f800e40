// A queue as SQS is at its worst: messages come late, some never, some twice.
import type { Queue, QueueMessage } from '../../lib/ports.ts';
import { wholeDelay } from '../../lib/queue/delay.ts';
import type { Agenda } from './agenda.ts';
import { between, type Random } from './random.ts';

export interface Mishaps {
  readonly late: number; // seconds, at most
  readonly lost: number; // share of messages
  readonly doubled: number; // share of messages
}

export interface SimQueue<T> extends Queue<T> {
  /** What may go wrong from now on, of messages that are sent from now on. */
  suffer(mishaps: Mishaps): void;
  /** Every copy of a message that has not come yet. */
  inFlight(): readonly T[];
}

export interface SimQueueOptions<T> {
  readonly agenda: Agenda;
  readonly random: Random;
  readonly mishaps: Mishaps;
  readonly receive: (body: T) => Promise<void>;
}

export const simQueue = <T>({ agenda, random, mishaps: given, receive }: SimQueueOptions<T>): SimQueue<T> => {
  const waiting = new Set<{ readonly body: T }>();
  let mishaps = given;
  const deliver = ({ body, delaySeconds = 0 }: QueueMessage<T>): void => {
    const copy = { body: structuredClone(body) };
    waiting.add(copy);
    agenda.at(agenda.now() + wholeDelay(delaySeconds) + between(random, 0, mishaps.late), async () => {
      waiting.delete(copy);
      await receive(copy.body);
    });
  };
  return {
    suffer: (next) => {
      mishaps = next;
    },
    inFlight: () => [...waiting].map(({ body }) => body),
    send(messages) {
      for (const message of messages) {
        if (random() < mishaps.lost) continue;
        deliver(message);
        if (random() < mishaps.doubled) deliver(message);
      }
      return Promise.resolve();
    },
  };
};
