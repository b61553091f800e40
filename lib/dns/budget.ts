// The time that one look-up may take: one hard end, and a limit for each wait inside it.
import type { Clock } from '../ports.ts';

export interface Budget {
  /**
   * Runs `work` until it settles, or its time limit or the budget ends: undefined. Its signal is aborted in the end. With
   * nothing left, it is not begun.
   */
  within<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined>;
  /** Waits `ms`; false, at once, when the budget would be spent by then. */
  pause(ms: number): Promise<boolean>;
}

export interface BudgetOptions {
  readonly clock: Clock;
  readonly totalMs: number;
  readonly eachMs: number; // for one `within`
}

/** Starts now. Only one sleep of the clock is pending at any time. */
export function startBudget({ clock, totalMs, eachMs }: BudgetOptions): Budget {
  const end = clock.now() + totalMs;
  const left = (): number => end - clock.now();
  return {
    within: async (work) => (left() > 0 ? limited(clock, Math.min(eachMs, left()), work) : undefined),
    async pause(ms) {
      if (left() <= ms) return false;
      await clock.sleep(ms);
      return true;
    },
  };
}

async function limited<T>(
  clock: Clock,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const done = new AbortController();
  // The sleep is aborted below when the work was faster; that rejection has no reader.
  const timeout = clock.sleep(ms, done.signal).then(
    () => undefined,
    () => undefined,
  );
  try {
    return await Promise.race([work(done.signal), timeout]);
  } finally {
    done.abort();
  }
}
