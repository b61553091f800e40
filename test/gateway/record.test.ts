// One record: what the vectors leave open. Copies, missing addresses, partial answers, staleness, cap, jitter.
import { describe, expect, it } from 'vitest';
import { advance, newRecord, seedRecord } from '../../lib/gateway/record.ts';
import { SETTINGS, drawJitter } from '../../lib/gateway/settings.ts';
import type { GatewayRecord } from '../../lib/model/gateway.ts';
import type { Answer } from '../../lib/ports.ts';
import {
  NAME,
  after,
  at,
  found,
  frozen,
  held,
  nothing,
  rounds,
  states,
  tell,
  unknown,
  type Told,
} from './support.ts';

const [A, B, C, X] = ['10.0.1.1', '10.0.2.1', '10.0.3.1', '10.0.9.9'] as const;

describe('new records', () => {
  it('know nothing and are due when told', () => {
    expect(newRecord(NAME, 'IPv6', 77)).toEqual({
      hostname: NAME,
      family: 'IPv6',
      state: 'PENDING',
      addresses: {},
      failCount: 0,
      negCount: 0,
      returnEvents: [],
      nextCheckAt: 77,
    });
  });

  it('B2: seeded ones are stale, hold the addresses of their family and are due at once', () => {
    const record = seedRecord(NAME, 'IPv4', frozen([B, '2001:db8::1', A]), 1_000);
    expect(record).toMatchObject({ state: 'STALE', expiresAt: 1_000, nextCheckAt: 1_000 });
    expect(Object.keys(record.addresses)).toEqual([A, B]);
    expect(held(record, 'ready')).toEqual([A, B]);
  });

  it('seeded with nothing of their family are like any new one', () => {
    expect(seedRecord(NAME, 'IPv6', [A], 1_000)).toEqual(newRecord(NAME, 'IPv6', 1_000));
  });
});

describe('A8: seeds under the three kinds of answer', () => {
  const seeded = seedRecord(NAME, 'IPv4', [A, B], 0);
  it.each([
    ['unknown', unknown(), 'STALE', [A, B]],
    ['nothing', nothing(), 'SUSPECT', [A, B]],
    ['addresses', found([B, C]), 'FRESH', [B, C]],
  ])('%s', (_title, answer, state, ready) => {
    const record = tell(seeded, [0, answer]);
    expect(record.state).toBe(state);
    expect(held(record, 'ready')).toEqual(ready);
  });
});

describe('the same cached copy', () => {
  it('A8: is no second miss, and never removes', () => {
    const first = after([0, found([A, B])], [60, found([A], 300)]);
    expect(states(first)).toEqual({ [A]: 'ready', [B]: 'draining' });
    const repeated = tell(first, [120, found([A], 240)], [240, found([A], 122)], [359, found([A], 1)]);
    expect(repeated.addresses[B]).toMatchObject({ state: 'draining', misses: 1, missingSince: 60 });
    const renewed = tell(repeated, [361, found([A], 300)]); // a new copy, 301 s after the first miss
    expect(states(renewed)).toEqual({ [A]: 'ready' });
  });

  it.each([
    ['2 s earlier', 58, 1],
    ['2 s later', 62, 1],
    ['3 s earlier', 57, 2],
    ['3 s later', 63, 2],
  ])('is told by an expiry within two seconds: %s', (_title, ttl, misses) => {
    const record = after([0, found([A, B])], [60, found([A], 120)], [120, found([A], ttl)]);
    expect(record.addresses[B]?.misses).toBe(misses);
  });

  it('adds addresses and ends failures all the same', () => {
    const record = after([0, found([A], 300)], [10, unknown()], [20, found([A, B], 280)]);
    expect(record).toMatchObject({ state: 'FRESH', failCount: 0 });
    expect(held(record, 'ready')).toEqual([A, B]);
    expect(record.failSince).toBeUndefined();
    expect(record.lastError).toBeUndefined();
  });

  it('of a "no" does not confirm it, however late it is heard', () => {
    const suspect = after([0, found([A])], [60, nothing(900)], [360, nothing(600)], [660, nothing(300)]);
    expect(suspect).toMatchObject({ state: 'SUSPECT', negCount: 1, negSince: 60, nextCheckAt: 960 });
    const confirmed = tell(suspect, [960, nothing(900)]);
    expect([confirmed.state, states(confirmed)]).toEqual(['WITHDRAWN', {}]);
  });

  it('of a second "no" does not confirm the first either', () => {
    const suspect = after([0, found([A])], [60, nothing(10)], [75, nothing(900)], [375, nothing(600)]);
    expect(suspect).toMatchObject({ state: 'SUSPECT', negCount: 2, negSince: 60 });
    expect(tell(suspect, [976, nothing(900)]).state).toBe('WITHDRAWN');
  });

  it('is never one of another kind: a "no" between two answers makes the second a new copy', () => {
    const record = after([0, found([A, B], 60)], [20, nothing(40)], [30, found([A], 30)]);
    expect(record.addresses[B]).toMatchObject({ state: 'draining', misses: 1 });
    const suspect = after([0, found([A], 60)], [20, nothing(40)]);
    expect(suspect).toMatchObject({ state: 'SUSPECT', negCount: 1 });
  });
});

describe('an address that is missing from a complete answer', () => {
  it('of two halves: each miss counts only for its own half', () => {
    const record = after(...rounds(0, [[A, B, C], [A, B], [A]]));
    expect(record.addresses[C]).toMatchObject({ state: 'draining', misses: 2, missingSince: 60 });
    expect(record.addresses[B]).toMatchObject({ state: 'draining', misses: 1, missingSince: 120 });
  });

  it('A3: disjoint answers with long TTLs: kept at the first miss, gone at the second', () => {
    const first = after([0, found([A], 300)], [300, found([X], 300)]);
    expect(states(first)).toEqual({ [A]: 'ready', [X]: 'ready' });
    expect(states(tell(first, [600, found([X], 300)]))).toEqual({ [X]: 'ready' });
  });

  it('an answer that shares only a draining one is disjoint: what is ready stays for one more', () => {
    const record = after(...rounds(0, [[A, B], [A], [B]]));
    expect(states(record)).toEqual({ [A]: 'ready', [B]: 'ready' });
  });

  it('two misses in less than 120 s leave it draining', () => {
    const record = after(
      [0, found([A, B], 10)],
      [10, found([A], 10)],
      [20, found([A], 10)],
      [129, found([A], 10)],
    );
    expect(states(record)).toEqual({ [A]: 'ready', [B]: 'draining' });
    expect(states(tell(record, [140, found([A], 10)]))).toEqual({ [A]: 'ready' });
  });

  it('comes back ready at once the first two times, and new when it was forgotten', () => {
    const back = after(...rounds(0, [[A, B], [A], [A, B]]));
    expect(back.addresses[B]).toMatchObject({ state: 'ready', misses: 0, returns: [120] });
    expect(back.addresses[B]?.missingSince).toBeUndefined();
    const fresh = after(...rounds(0, [[A, B], [A], [A], [A], [A, B]]));
    expect(fresh.addresses[B]).toEqual({ state: 'ready', misses: 0, returns: [], streak: 1 });
  });
});

describe('answers that may be a part', () => {
  const eight = Array.from({ length: 8 }, (_, index) => `52.10.0.${index + 1}`);

  it('cut ones keep what they miss', () => {
    const record = after(
      [0, found([A, B])],
      [60, found([A], 60, true)],
      [120, found([A], 60, true)],
      [240, found([A], 60, true)],
    );
    expect(states(record)).toEqual({ [A]: 'ready', [B]: 'ready' });
  });

  it('need five misses, however long they take', () => {
    const told = [0, 1, 2, 3, 4].map((round): Told => [
      300 * round,
      found(round === 0 ? [A, B] : [A], 300, true),
    ]);
    const kept = after(...told);
    expect(kept.addresses[B]).toMatchObject({ state: 'ready', misses: 4, missingSince: 300 });
    expect(states(tell(kept, [1_500, found([A], 300, true)]))).toEqual({ [A]: 'ready' });
  });

  it.each([
    [8, 'ready'],
    [7, 'draining'],
  ])('%i addresses: what is missing is %s', (count, state) => {
    const record = after([0, found([...eight, A])], [60, found(eight.slice(0, count))]);
    expect(record.addresses[A]?.state).toBe(state);
  });

  it('duplicates do not make seven addresses eight', () => {
    const seven = eight.slice(0, 7);
    const record = after([0, found([...seven, A])], [60, found([...seven, ...seven])]);
    expect(record.addresses[A]?.state).toBe('draining');
  });

  it('a draining address needs the longer proof too', () => {
    const draining = after([0, found([A, B])], [60, found([A])]);
    const kept = tell(
      draining,
      [120, found([A], 60, true)],
      [240, found([A], 60, true)],
      [300, found([A], 60, true)],
    );
    expect(kept.addresses[B]).toMatchObject({ state: 'draining', misses: 4 });
    expect(states(tell(kept, [360, found([A], 60, true)]))).toEqual({ [A]: 'ready' });
  });
});

describe('A8: "don\'t know"', () => {
  it('keeps everything and backs off 15, 30, 60, 120, 120 s', () => {
    let record = after([0, found([A, B])]);
    const waits: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      const now = record.nextCheckAt;
      record = tell(record, [now, unknown('timeout')]);
      waits.push(record.nextCheckAt - now);
      expect(record).toMatchObject({ state: 'STALE', failSince: 60, lastError: 'timeout', expiresAt: 60 });
      expect(held(record, 'ready')).toEqual([A, B]);
    }
    expect(waits).toEqual([15, 30, 60, 120, 120, 120]);
  });

  it('with nothing known is pending', () => {
    expect(after([0, unknown()])).toMatchObject({ state: 'PENDING', failCount: 1, nextCheckAt: 15 });
  });

  it('between two "no" does not reset their count', () => {
    const record = after([0, found([A])], [60, nothing()], [120, unknown()], [180, nothing()]);
    expect(record).toMatchObject({ state: 'WITHDRAWN', negCount: 2, negSince: 60, failCount: 0 });
  });

  it('an answer with addresses between two "no" does', () => {
    const record = after([0, found([A])], [60, nothing()], [120, found([A])], [180, nothing()]);
    expect(record).toMatchObject({ state: 'SUSPECT', negCount: 1, negSince: 180 });
  });
});

describe('bounded staleness', () => {
  const DAY = 86_400;

  it('a paused schedule does not end everything at its first failed look-up', () => {
    const paused = after(
      [0, found([A])],
      [60 + 2 * DAY, unknown()],
      [75 + 2 * DAY, unknown()],
      [105 + 2 * DAY, unknown()],
    );
    expect(paused).toMatchObject({ state: 'STALE', failCount: 3 });
    expect(held(paused, 'ready')).toEqual([A]);
    const soon = tell(paused, [659 + 2 * DAY, unknown()]);
    expect(soon.state).toBe('STALE');
    const ended = tell(soon, [660 + 2 * DAY, unknown()]);
    expect(ended.state).toBe('FAILED');
    expect(states(ended)).toEqual({ [A]: 'down' });
  });

  it('two failures are not enough, however long they last', () => {
    const record = after([0, found([A])], [60, unknown()], [60 + 2 * DAY, unknown()]);
    expect(record.state).toBe('STALE');
    expect(tell(record, [61 + 2 * DAY, unknown()]).state).toBe('FAILED');
  });

  it('a TTL of years does not postpone it', () => {
    const record = after([0, found([A], 2_147_483_653)]);
    expect(record).toMatchObject({ expiresAt: 300, copyExpiry: 2_147_483_653 });
  });

  it('seeds are bounded from the moment they were taken', () => {
    const seeded = seedRecord(NAME, 'IPv4', [A], 1_000);
    const kept = tell(seeded, [1_000, unknown()], [1_015, unknown()], [1_000 + DAY - 1, unknown()]);
    expect(states(kept)).toEqual({ [A]: 'ready' });
    expect(states(tell(kept, [1_000 + DAY, unknown()]))).toEqual({ [A]: 'down' });
  });

  it('down addresses: back at once when seen, forgotten like others when not, withdrawn by two "no"', () => {
    const failed = after([0, found([A, B])], [60, unknown()], [75, unknown()], [60 + DAY, unknown()]);
    expect(states(failed)).toEqual({ [A]: 'down', [B]: 'down' });
    const back = tell(failed, [DAY + 100, found([A])]);
    expect(states(back)).toEqual({ [A]: 'ready', [B]: 'down' });
    expect(states(tell(back, [DAY + 160, found([A])], [DAY + 220, found([A])]))).toEqual({ [A]: 'ready' });
    const suspect = tell(failed, [DAY + 100, nothing()]);
    expect(suspect.state).toBe('SUSPECT');
    expect(tell(suspect, [DAY + 110, unknown()])).toMatchObject({ state: 'FAILED', failCount: 1 });
    const gone = tell(suspect, [DAY + 220, nothing()]);
    expect([gone.state, states(gone)]).toEqual(['WITHDRAWN', {}]);
  });
});

describe('"nothing"', () => {
  it.each([
    ['A15: a zero TTL', nothing(0), 15],
    ['A15: a TTL below the floor', nothing(14), 15],
    ['a usual TTL', nothing(60), 60],
    ['a long one', nothing(900), 300],
    ['an unknown one', frozen({ kind: 'nothing', why: 'NODATA' } satisfies Answer), 60],
  ])('%s: next check after %s', (_title, answer, wait) => {
    expect(after([1_000, answer]).nextCheckAt).toBe(1_000 + wait);
  });

  it('is what an empty list of addresses means', () => {
    const record = after([0, found([A])], [60, found([])]);
    expect(record).toMatchObject({ state: 'SUSPECT', lastError: 'NODATA', negCount: 1, nextCheckAt: 120 });
  });

  it('needs 120 s between the first and the confirming one', () => {
    const suspect = after([0, found([A])], [60, nothing(15)], [75, nothing(15)], [179, nothing(15)]);
    expect(suspect).toMatchObject({ state: 'SUSPECT', negCount: 3 });
    expect(tell(suspect, [195, nothing(15)]).state).toBe('WITHDRAWN');
  });

  it('needs as many as the settings say', () => {
    const settings = { ...SETTINGS, negCount: 3 };
    const hear = (record: GatewayRecord, now: number): GatewayRecord =>
      advance(frozen(record), nothing(300), { now, jitter: 0, settings });
    const twice = hear(hear(after([0, found([A])]), 60), 360);
    expect(twice).toMatchObject({ state: 'SUSPECT', negCount: 2 });
    expect(hear(twice, 660).state).toBe('WITHDRAWN');
  });

  it('ends a row of failures', () => {
    const record = after([0, found([A])], [60, unknown()], [75, nothing()]);
    expect(record).toMatchObject({ state: 'SUSPECT', failCount: 0 });
    expect(tell(record, [135, unknown()])).toMatchObject({ failCount: 1, failSince: 135, nextCheckAt: 150 });
  });

  it('forgets what was known of returns', () => {
    const record = tell(after(...rounds(0, [[A], [B], [A], [B]])), [240, nothing()], [360, nothing()]);
    expect(record).toMatchObject({ state: 'WITHDRAWN', returnEvents: [] });
    expect(states(record)).toEqual({});
    expect(record.rotatingUntil).toBeUndefined();
    expect(tell(record, [420, unknown()]).state).toBe('PENDING');
  });
});

describe('A9: times of the next check', () => {
  it.each([
    ['below the floor', 5, 10],
    ['zero', 0, 10],
    ['usual', 60, 60],
    ['above the ceiling', 3_600, 300],
  ])('a TTL %s: %i s gives %i s', (_title, ttl, wait) => {
    expect(after([100, found([A], ttl)]).nextCheckAt).toBe(100 + wait);
  });

  it.each([
    ['a TTL of 60 takes all of it', found([A], 60), 7, 67],
    ['a short one takes 1 s + 10 %', found([A], 10), 7, 12],
    ['a smaller draw is taken as it is', found([A], 60), 1, 61],
    ['a "no" is spread too', nothing(60), 7, 67],
    ['a failure stays within 20 %', unknown(), 7, 17.5],
    ['never earlier', found([A], 60), -3, 60],
  ])('jitter: %s', (_title, answer, jitter, next) => {
    expect(advance(newRecord(NAME, 'IPv4', 0), answer, at(0, jitter)).nextCheckAt).toBe(next);
  });

  it('jitter is drawn between 1 and 7 s', () => {
    expect([0, 0.5, 1].map(drawJitter)).toEqual([1, 4, 7]);
  });
});

describe('the address cap', () => {
  const many = Array.from({ length: 65 }, (_, index) => `10.1.0.${index + 1}`);

  it('keeps the 64 lowest of a first answer, in any order', () => {
    const record = after([0, found([...many].reverse())]);
    expect(Object.keys(record.addresses)).toEqual(many.slice(0, 64));
    expect(record).toEqual(after([0, found(many)]));
  });

  it('keeps the present holders when lower ones come', () => {
    const record = after([0, found(many.slice(1))], [60, found(many)]);
    expect(Object.keys(record.addresses)).toEqual(many.slice(1));
  });

  it('makes room for an answer by dropping what is on its way out', () => {
    const others = Array.from({ length: 7 }, (_, index) => `10.2.0.${index + 1}`);
    const settings = { ...SETTINGS, addressCap: 7 };
    const told = (record: GatewayRecord, now: number, addresses: readonly string[]): GatewayRecord =>
      advance(frozen(record), found(addresses), { now, jitter: 0, settings });
    const first = told(newRecord(NAME, 'IPv4', 0), 0, many.slice(0, 7));
    const beside = told(first, 60, others);
    expect(Object.keys(beside.addresses)).toEqual(many.slice(0, 7)); // a disjoint answer: the holders stay ready
    const replaced = told(beside, 120, others);
    expect(held(replaced, 'ready')).toEqual(others);
  });
});
