// So many pieces of work at once and no more.

export interface Slots {
  /** Runs after everything that waits already. */
  queue<T>(work: () => Promise<T>): Promise<T>;
  /** Runs before everything that was queued. */
  jump<T>(work: () => Promise<T>): Promise<T>;
}

/** @param count how many run at once */
export const openSlots = (count: number): Slots => {
  const queued: (() => void)[] = [];
  const jumped: (() => void)[] = [];
  let next = 0; // of `queued`: taking from the front of a long array is slow
  let free = count;
  const waitIn = async (line: (() => void)[]): Promise<void> => {
    if (free > 0) {
      free -= 1;
      return;
    }
    await new Promise<void>((resolve) => line.push(resolve));
  };
  /** Hands the slot on, or frees it. */
  const leave = (): void => {
    const waiting = jumped.shift() ?? queued[next++];
    if (waiting !== undefined) return waiting();
    next = queued.length;
    free += 1;
  };
  const enter = async <T>(line: (() => void)[], work: () => Promise<T>): Promise<T> => {
    await waitIn(line);
    try {
      return await work();
    } finally {
      leave();
    }
  };
  return { queue: (work) => enter(queued, work), jump: (work) => enter(jumped, work) };
};
