// Clocks for tests of what waits for a network.
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

/** Begins at 0. Time passes in sleeps only, and at once: nobody else is ever in time. The sleeps are in `slept`. */
export function hurriedClock(): Clock & { readonly slept: readonly number[] } {
  const slept: number[] = [];
  let now = 0;
  return {
    slept,
    now: () => now,
    async sleep(duration) {
      slept.push(duration);
      now += duration;
    },
  };
}
