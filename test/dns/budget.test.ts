// The time of one look-up.
import { describe, expect, it } from 'vitest';
import { startBudget } from '../../lib/dns/budget.ts';
import { testClock } from '../support/clock.ts';

const never = new Promise<never>(() => {});

describe('within', () => {
  it('gives what the work gives, and tells it that the end has come', async () => {
    let signal: AbortSignal | undefined;
    const budget = startBudget({ clock: { now: () => 0, sleep: () => never }, totalMs: 50, eachMs: 20 });
    const result = await budget.within(async (given) => {
      signal = given;
      return 'done';
    });
    expect(result).toBe('done');
    expect(signal?.aborted).toBe(true);
  });

  it('ends at its limit, and at the end of all, and does not begin after it', async () => {
    const clock = testClock(0);
    const budget = startBudget({ clock, totalMs: 50, eachMs: 30 });
    const signals: AbortSignal[] = [];
    const work = (signal: AbortSignal): Promise<never> => {
      signals.push(signal);
      return never;
    };
    for (let call = 0; call < 3; call += 1) expect(await budget.within(work)).toBeUndefined();
    expect(clock.slept).toEqual([30, 20]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it('fails as the work fails', async () => {
    const budget = startBudget({ clock: { now: () => 0, sleep: () => never }, totalMs: 50, eachMs: 20 });
    await expect(budget.within(() => Promise.reject(new Error('no route')))).rejects.toThrow('no route');
  });
});

describe('pause', () => {
  it('waits while there is time after it', async () => {
    const clock = testClock(0);
    const budget = startBudget({ clock, totalMs: 50, eachMs: 30 });
    expect(await budget.pause(49)).toBe(true);
    expect(await budget.pause(1)).toBe(false);
    expect(clock.slept).toEqual([49]);
  });
});
