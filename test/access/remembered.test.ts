// What is remembered, for how long, and what a look that fails does to it.
import { describe, expect, it } from 'vitest';
import { ClusterError, type ClusterErrorKind } from '../../lib/errors.ts';
import { type Remembered, remembered } from '../../lib/remembered.ts';
import { type TestClock, testClock } from '../support/clock.ts';

const START = 1_000_000;

const failure = (kind: ClusterErrorKind): ClusterError =>
  new ClusterError(`injected ${kind}`, { kind, request: 'x' });

interface Bench {
  readonly clock: TestClock;
  readonly value: Remembered<string>;
  /** How often it was looked up. */
  readonly looks: () => number;
  /** What every look to come fails with; undefined: it succeeds. */
  readonly fail: (kind: ClusterErrorKind | undefined) => void;
}

/** Looks give 'one', 'two', …; each is due after 100 s and serves for 200 s. */
const aBench = (): Bench => {
  const clock = testClock(START);
  let looks = 0;
  let failing: ClusterErrorKind | undefined;
  const look = async (): Promise<string> => {
    looks += 1;
    await Promise.resolve();
    if (failing !== undefined) throw failure(failing);
    return ['zero', 'one', 'two', 'three', 'four'][looks] ?? 'many';
  };
  return {
    clock,
    value: remembered({ clock, look, lifetime: (_, now) => ({ due: now + 100_000, end: now + 200_000 }) }),
    looks: () => looks,
    fail: (kind) => {
      failing = kind;
    },
  };
};

describe('a remembered value', () => {
  it('is looked up at the first use and not again while it is good', async () => {
    const { value, clock, looks } = aBench();
    expect(looks()).toBe(0);
    expect(await value.get()).toBe('one');
    clock.advance(99);
    expect(await value.get()).toBe('one');
    expect(looks()).toBe(1);
  });

  it('is looked up again when it is due', async () => {
    const { value, clock } = aBench();
    await value.get();
    clock.advance(100);
    expect(await value.get()).toBe('two');
  });

  it('is looked up once for all who ask together', async () => {
    const { value, looks } = aBench();
    expect(await Promise.all([value.get(), value.get(), value.renew()])).toEqual(['one', 'one', 'one']);
    expect(looks()).toBe(1);
  });

  it('is looked up on demand though it is good', async () => {
    const { value } = aBench();
    await value.get();
    expect(await value.renew()).toBe('two');
    expect(await value.get()).toBe('two');
  });

  it('tells the failure of the first look, and is looked up again by the next who asks', async () => {
    const { value, fail } = aBench();
    fail('denied');
    await expect(value.get()).rejects.toThrow('injected denied');
    fail(undefined);
    expect(await value.get()).toBe('two');
  });

  it.each(['busy', 'unreachable'] as const)(
    'serves on when the look that is due fails as %s',
    async (kind) => {
      const { value, clock, fail, looks } = aBench();
      await value.get();
      fail(kind);
      clock.advance(100);
      expect(await value.get()).toBe('one');
      clock.advance(14);
      expect(await value.get()).toBe('one');
      expect(looks()).toBe(2); // no look for 15 s after one that failed
      clock.advance(1);
      expect(await value.get()).toBe('one');
      expect(looks()).toBe(3);
      fail(undefined);
      clock.advance(15);
      expect(await value.get()).toBe('four');
    },
  );

  it('does not serve past its end', async () => {
    const { value, clock, fail } = aBench();
    await value.get();
    fail('busy');
    clock.advance(200);
    await expect(value.get()).rejects.toThrow('injected busy');
  });

  it('does not serve on when the look that is due is denied', async () => {
    const { value, clock, fail } = aBench();
    await value.get();
    fail('denied');
    clock.advance(100);
    await expect(value.get()).rejects.toThrow('injected denied');
  });

  it('stays when a look on demand fails, and that failure is told', async () => {
    const { value, fail } = aBench();
    await value.get();
    fail('denied');
    await expect(value.renew()).rejects.toThrow('injected denied');
    expect(await value.get()).toBe('one');
  });
});
