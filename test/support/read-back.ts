// How a test says that it asserts objects read back from an API server; `npm run cases` asks every case that is due for one.
import { TestRunner } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** the test read objects back from an API server, embedded or real */
    readBack?: boolean;
  }
}

/** What is needed of a test: its options, and the notes that reporters get to see. */
export interface MarkedTask {
  readonly concurrent?: boolean;
  readonly meta: { readBack?: boolean };
}

/**
 * Marks the running test as one that read objects back. Outside of a test (`beforeAll`) it marks nothing.
 * Tests that run side by side pass their own task (`({ task }) => markReadBack(task)`): which of them is running is not known.
 * @throws Error when the running test is concurrent and passed no task
 */
export function markReadBack(task?: MarkedTask): void {
  const marked = task ?? runningTest();
  if (marked !== undefined) marked.meta.readBack = true;
}

function runningTest(): MarkedTask | undefined {
  const running = TestRunner.getCurrentTest();
  if (running?.concurrent === true)
    throw new Error('a concurrent test has to pass its own task: markReadBack(task)');
  return running;
}
