// Clocks for tests of what waits for a network; support/clock.ts has one for what never waits for anything.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../lib/ports.ts';

export const realClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => sleep(ms, undefined, signal ? { signal } : {}),
};

/** Real time, except that sleeps of up to `ms` (pauses between attempts) take none; those are in `skipped`. */
export function clockSkipping(ms: number): Clock & { readonly skipped: readonly number[] } {
  const skipped: number[] = [];
  let ahead = 0;
  return {
    skipped,
    now: () => Date.now() + ahead,
    async sleep(duration, signal) {
      if (duration > ms) return realClock.sleep(duration, signal);
      skipped.push(duration);
      ahead += duration;
    },
  };
}

/** Time never passes: only what really happens ends a wait. */
export function hangingClock(): Clock {
  return { now: () => 0, sleep: (ms) => (ms === 300 ? Promise.resolve() : new Promise(() => {})) };
}
