// What is to happen and when: a clock that jumps from one event to the next.

/** Seconds since the beginning. Events of the same moment happen in the order in which they were put down. */
export interface Agenda {
  now(): number;
  at(time: number, happen: () => Promise<void>): void;
  /** Lets everything happen that is due until then, what is put down meanwhile included. */
  runUntil(end: number): Promise<void>;
}

interface Event {
  readonly time: number;
  readonly order: number;
  readonly happen: () => Promise<void>;
}

const isBefore = (a: Event, b: Event): boolean => a.time < b.time || (a.time === b.time && a.order < b.order);

const swap = (heap: Event[], i: number, j: number): void => {
  const [a, b] = [heap[i], heap[j]];
  if (a === undefined || b === undefined) return;
  heap[i] = b;
  heap[j] = a;
};

/** Whether the event at i has to change places with the one at j, which is nearer to the top. */
const isMisplaced = (heap: readonly Event[], i: number, j: number): boolean => {
  const [event, above] = [heap[i], heap[j]];
  return event !== undefined && above !== undefined && isBefore(event, above);
};

const push = (heap: Event[], event: Event): void => {
  heap.push(event);
  let i = heap.length - 1;
  for (let above = (i - 1) >> 1; i > 0 && isMisplaced(heap, i, above); above = (i - 1) >> 1) {
    swap(heap, i, above);
    i = above;
  }
};

const pop = (heap: Event[]): Event | undefined => {
  swap(heap, 0, heap.length - 1);
  const first = heap.pop();
  for (let i = 0; ;) {
    const [left, right] = [2 * i + 1, 2 * i + 2];
    const least = isMisplaced(heap, right, left) ? right : left;
    if (!isMisplaced(heap, least, i)) return first;
    swap(heap, i, least);
    i = least;
  }
};

export const agenda = (): Agenda => {
  const heap: Event[] = [];
  let now = 0;
  let order = 0;
  return {
    now: () => now,
    at: (time, happen) => push(heap, { time: Math.max(time, now), order: (order += 1), happen }),
    async runUntil(end) {
      for (let next = heap[0]; next !== undefined && next.time <= end; next = heap[0]) {
        pop(heap);
        now = next.time;
        await next.happen();
      }
      now = Math.max(now, end);
    },
  };
};
