// The real clock.
import { setTimeout as timeout } from 'node:timers/promises';
import type { Clock } from './ports.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    try {
      await timeout(ms, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      signal?.throwIfAborted(); // the caller's own reason, not a general AbortError
      throw error;
    }
  },
};
