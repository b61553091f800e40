// How often a name is looked at again, told by the answers to each look.
import { describe, expect, it } from 'vitest';
import { startBudget } from '../../lib/dns/budget.ts';
import { lookAgain } from '../../lib/dns/looks.ts';
import type { Answer } from '../../lib/ports.ts';
import { testClock } from '../support/clock.ts';

type Addresses = Extract<Answer, { kind: 'addresses' }>;

const EIGHT = ['1', '2', '3', '4', '5', '6', '7', '8'].map((last) => `192.0.2.${last}`);
const of = (addresses: readonly string[], ttl = 60): Addresses => ({
  kind: 'addresses',
  addresses,
  ttl,
  partial: false,
});
const FAILED: Answer = { kind: 'unknown', why: 'timeout' };
const GONE: Answer = { kind: 'nothing', why: 'NXDOMAIN' };
const SAME = of(EIGHT);
const NINE = of(['192.0.2.9', ...EIGHT.slice(1)], 9);
const TEN = of(['192.0.2.10', ...EIGHT.slice(1)], 90);

async function lookWith(looks: readonly Answer[], totalMs = 5000): Promise<{ answer: Answer; used: number }> {
  let used = 0;
  const budget = startBudget({ clock: testClock(0), totalMs, eachMs: 1000 });
  const answer = await lookAgain(SAME, budget, async () => looks[used++] ?? FAILED);
  return { answer, used };
}

describe('lookAgain', () => {
  it.each<[string, Answer[], [string[], number], number]>([
    ['two that add nothing are enough', [SAME, SAME, NINE], [[], 60], 2],
    ['a new address begins the count again', [SAME, NINE, SAME, SAME, TEN], [['192.0.2.9'], 9], 4],
    [
      'five are the most',
      [NINE, SAME, TEN, SAME, of(['192.0.2.11']), of(['192.0.2.12'])],
      [['192.0.2.9', '192.0.2.10', '192.0.2.11'], 9],
      5,
    ],
    ['a failure adds and takes nothing', [FAILED, NINE, FAILED, FAILED], [['192.0.2.9'], 9], 4],
    ['"does not exist" takes nothing', [GONE, GONE], [[], 60], 2],
    ['the lowest TTL counts, also of a copy', [of(EIGHT, 12), of(EIGHT, 30)], [[], 12], 2],
  ])('%s', async (_, looks, [added, ttl], used) => {
    expect(await lookWith(looks)).toEqual({ answer: of([...EIGHT, ...added], ttl), used });
  });

  it('ends with the time that there is', async () => {
    expect(await lookWith([NINE, TEN], 400)).toEqual({ answer: of([...EIGHT, '192.0.2.9'], 9), used: 1 });
  });
});
