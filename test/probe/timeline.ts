// A clock for several sleepers at once: time jumps to the next of them whenever nobody else has anything to do.
import type { Clock } from '../../lib/ports.ts';

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** Only for what waits by the clock alone: it does not know of sockets and files. @param start ms since the epoch */
export const timeline = (start = 0): Clock => {
  const sleepers: Sleeper[] = [];
  let now = start;
  let isRunning = false;
  const turn = (): void => {
    sleepers.sort((a, b) => a.at - b.at);
    const next = sleepers.shift();
    isRunning = next !== undefined;
    if (next === undefined) return;
    now = Math.max(now, next.at);
    next.wake();
    setImmediate(turn); // when all that was woken has come to rest
  };
  return {
    now: () => now,
    sleep: (ms) =>
      new Promise((resolve) => {
        sleepers.push({ at: now + ms, wake: resolve });
        if (!isRunning) setImmediate(turn);
        isRunning = true;
      }),
  };
};
