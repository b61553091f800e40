// Leases go by the Date of DynamoDB's answers: two functions whose own clocks differ agree on when a lease is over.
import { describe, expect, it } from 'vitest';
import { answerClock } from '../../../lib/store/dynamo/answer-clock.ts';
import { aLink } from '../../contract/link-world.ts';
import { testClock } from '../../support/clock.ts';
import { dynamoWorlds } from './world.ts';

const open = dynamoWorlds();
const HOUR = 3_600_000;

describe('the clock of answers', () => {
  const DATE = 'Fri, 31 Dec 1999 23:59:59 GMT';
  const SAID = Date.UTC(1999, 11, 31, 23, 59, 59);

  it('is the local one before the first answer', () => {
    expect(answerClock(testClock(1000)).now()).toBe(1000);
  });

  it('is what the last answer said, carried forward', () => {
    const local = testClock(1000);
    const clock = answerClock(local);
    clock.saw({ headers: { date: DATE } });
    expect(clock.now()).toBe(SAID);
    local.advance(2.5);
    expect(clock.now()).toBe(SAID + 2500);
    clock.saw({ headers: { date: 'Sat, 01 Jan 2000 00:00:05 GMT' } });
    expect(clock.now()).toBe(SAID + 6000);
  });

  it.each([
    ['without headers', {}],
    ['without a date', { headers: {} }],
    ['with a date that is none', { headers: { date: 'yesterday' } }],
    ['that is nothing', undefined],
  ])('passes over an answer %s', (_, answer) => {
    const clock = answerClock(testClock(1000));
    clock.saw({ headers: { date: DATE } });
    clock.saw(answer);
    expect(clock.now()).toBe(SAID);
  });
});

describe('a lease', () => {
  const rows: readonly (readonly [situation: string, ahead: number])[] = [
    ['an hour ahead', HOUR],
    ['an hour behind', -HOUR],
  ];

  it.each(rows)('holds against a function whose local clock is %s', async (_, ahead) => {
    const { reopen, now } = await open();
    const right = reopen().links;
    await right.put(aLink('west'), 0);
    await right.claim('west', 'right', 60);

    const wrong = reopen(testClock(now() + ahead)).links;
    await wrong.get('west'); // a function reads the link before it claims it
    expect(await wrong.claim('west', 'wrong', 60)).toBeUndefined();
  });

  it.each(rows)('of a function whose local clock is %s lasts as long as it should', async (_, ahead) => {
    const { reopen, now, advance } = await open();
    const wrong = reopen(testClock(now() + ahead)).links;
    await wrong.put(aLink('west'), 0);
    await wrong.claim('west', 'wrong', 60);

    const right = reopen().links;
    advance(59);
    await right.get('west');
    expect(await right.claim('west', 'right', 60)).toBeUndefined();
    advance(4);
    await right.get('west');
    expect(await right.claim('west', 'right', 60)).toBeDefined();
  });

  it('learns the time from a refusal too', async () => {
    const { reopen, now, advance } = await open();
    const first = reopen().links;
    await first.put(aLink('west'), 0);
    await first.claim('west', 'first', 60);

    const behind = reopen(testClock(now() - HOUR)).links;
    expect(await behind.claim('west', 'behind', 60)).toBeUndefined(); // by its own clock; the answer is an error with a Date
    advance(63);
    expect(await behind.claim('west', 'behind', 60)).toBeUndefined(); // it does not know yet that time went by
    expect(await behind.claim('west', 'behind', 60)).toBeDefined();
  });
});
