// Waits for what a program outside of the test does in its own time: a controller of a real cluster.
import { setTimeout as sleep } from 'node:timers/promises';

const DEADLINE = 30_000; // ms; a controller on a busy machine takes a second or two
const INTERVAL = 50; // ms

/** Asks until the answer is yes. @throws Error that names what did not come, after a bounded time */
export const until = async (what: string, isSo: () => Promise<boolean>): Promise<void> => {
  const end = performance.now() + DEADLINE;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`waited ${DEADLINE / 1000} s for this: ${what}`);
    await sleep(INTERVAL);
  }
};
