// A clock that moves only when a test, or somebody who sleeps, moves it.
import type { Clock } from '../../lib/ports.ts';

export interface TestClock extends Clock {
  advance(seconds: number): void;
  /** Every sleep that was asked for, ms. */
  readonly slept: readonly number[];
}

export const testClock = (start = Date.now()): TestClock => {
  let now = start;
  const slept: number[] = [];
  return {
    now: () => now,
    sleep: (ms) => {
      slept.push(ms);
      now += ms;
      return Promise.resolve();
    },
    advance: (seconds) => {
      now += seconds * 1000;
    },
    slept,
  };
};
