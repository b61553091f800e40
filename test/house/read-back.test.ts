// The mark that a test asserts objects read back from an API server.
import { beforeAll, describe, expect, it } from 'vitest';
import { markReadBack } from '../support/read-back.ts';

describe('markReadBack', () => {
  it('marks the running test', ({ task }) => {
    markReadBack();
    expect(task.meta.readBack).toBe(true);
  });

  it('leaves the next test unmarked', ({ task }) => {
    expect(task.meta.readBack).toBeUndefined();
  });

  describe('outside of a test', () => {
    beforeAll(() => markReadBack());

    it('marks nothing', ({ task }) => {
      expect(task.meta.readBack).toBeUndefined();
    });
  });

  it.concurrent('cannot tell which of several concurrent tests is running', ({ expect }) => {
    expect(() => markReadBack()).toThrow('a concurrent test has to pass its own task: markReadBack(task)');
  });

  it.concurrent('marks the task of a concurrent test', ({ task, expect }) => {
    markReadBack(task);
    expect(task.meta.readBack).toBe(true);
  });
});
