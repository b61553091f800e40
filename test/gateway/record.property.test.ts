// Any sequence of answers, told to one record: what must hold whatever comes.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { advance, newRecord, seedRecord } from '../../lib/gateway/record.ts';
import { SETTINGS } from '../../lib/gateway/settings.ts';
import type { AddressEntry, GatewayRecord } from '../../lib/model/gateway.ts';
import type { Answer } from '../../lib/ports.ts';
import { NAME, at, frozen } from './support.ts';

const UNIVERSE = Array.from({ length: 11 }, (_, index) => `10.0.0.${index + 1}`);
const TTLS = [0, 5, 10, 30, 60, 120, 300, 3_600, 2_147_483_653];

interface Event {
  readonly gap: number; // seconds since the last answer
  readonly answer: Answer;
  readonly repeat: boolean; // take the TTL that is left of the last copy
}

const someAddresses = fc.oneof(
  fc.shuffledSubarray(UNIVERSE.slice(0, 4), { minLength: 1 }), // small sets meet again
  fc.shuffledSubarray(UNIVERSE, { minLength: 1 }),
);
const someAnswer: fc.Arbitrary<Answer> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('addresses' as const),
      addresses: someAddresses,
      ttl: fc.constantFrom(...TTLS),
      partial: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('nothing' as const),
      why: fc.constantFrom('NXDOMAIN' as const, 'NODATA' as const),
      negativeTtl: fc.constantFrom(0, 15, 60, 900),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('unknown' as const), why: fc.constant('SERVFAIL') }),
  },
);
const someEvent: fc.Arbitrary<Event> = fc.record({
  gap: fc.oneof(fc.integer({ min: 1, max: 130 }), fc.constantFrom(10, 60, 300, 601, 90_000)),
  answer: someAnswer,
  repeat: fc.boolean(),
});
const someEvents = fc.array(someEvent, { minLength: 1, maxLength: 25 });
const someStart = fc.option(fc.shuffledSubarray(UNIVERSE.slice(0, 4), { minLength: 1 }), { nil: [] });

interface Told {
  readonly before: GatewayRecord;
  readonly after: GatewayRecord;
  readonly answer: Answer;
  readonly now: number;
}

const ttlOf = (answer: Answer): number | undefined => {
  if (answer.kind === 'addresses') return answer.ttl;
  return answer.kind === 'nothing' ? answer.negativeTtl : undefined;
};

const withTtl = (answer: Answer, ttl: number): Answer => {
  if (answer.kind === 'addresses') return { ...answer, ttl };
  return answer.kind === 'nothing' ? { ...answer, negativeTtl: ttl } : answer;
};

/** Plays events on a record; a repeated answer keeps the expiry of the copy before it. */
const play = (start: readonly string[], events: readonly Event[]): readonly Told[] => {
  const told: Told[] = [];
  let record = start.length === 0 ? newRecord(NAME, 'IPv4', 0) : seedRecord(NAME, 'IPv4', start, 0);
  let now = 0;
  let expiry = 0;
  for (const event of events) {
    now += event.gap;
    const answer = frozen(event.repeat && expiry >= now ? withTtl(event.answer, expiry - now) : event.answer);
    const after = advance(frozen(record), answer, at(now));
    told.push({ before: record, after, answer, now });
    expiry = now + (ttlOf(answer) ?? expiry - now);
    record = after;
  }
  return told;
};

const inState = (record: GatewayRecord, state: AddressEntry['state']): readonly string[] =>
  Object.keys(record.addresses).filter((ip) => record.addresses[ip]?.state === state);
const known = (record: GatewayRecord): readonly string[] => Object.keys(record.addresses);
const holds = (answer: Answer, ip: string): boolean =>
  answer.kind === 'addresses' && answer.addresses.includes(ip);

const check = (property: (told: readonly Told[], start: readonly string[]) => void): void => {
  fc.assert(
    fc.property(someStart, someEvents, (start, events) => property(play(start, events), start)),
    { numRuns: 400 },
  );
};

describe('a record, whatever it is told', () => {
  it('never holds an address that was neither seeded nor answered', () => {
    check((told, start) => {
      const seen = new Set(start);
      for (const { after, answer } of told) {
        if (answer.kind === 'addresses') for (const ip of answer.addresses) seen.add(ip);
        expect(known(after).filter((ip) => !seen.has(ip))).toEqual([]);
      }
    });
  });

  it('A8: changes nothing on "don\'t know" and on a single "no"', () => {
    check((told) => {
      const kept = told.filter(
        ({ answer, after }) =>
          after.state === 'SUSPECT' || (answer.kind === 'unknown' && after.state !== 'FAILED'),
      );
      expect(kept.map(({ after }) => after.addresses)).toEqual(kept.map(({ before }) => before.addresses));
    });
  });

  it('takes every address down at the end of staleness, none before and none for good', () => {
    check((told) => {
      for (const { before, after, now } of told.filter(({ after }) => after.state === 'FAILED')) {
        expect(known(after)).toEqual(known(before));
        expect(inState(after, 'down')).toEqual(known(after));
        const failedBefore = inState(before, 'down').length === known(before).length;
        const overdue = now - (before.expiresAt ?? now) >= 86_400;
        const tried = after.failCount >= 3 && now - (after.failSince ?? now) >= 600;
        expect(failedBefore || (overdue && tried)).toBe(true);
      }
    });
  });

  it('forgets an address only after two copies without it, the first and the last 120 s apart', () => {
    check((told, start) => {
      const absent = new Map<string, number[]>(start.map((ip) => [ip, []])); // times of copies without it, by address
      let refusals: number[] = []; // times of copies that said "nothing", since the last addresses
      let copy: { readonly kind: string; readonly expiry: number } | undefined;
      for (const { before, after, answer, now } of told) {
        const ttl = ttlOf(answer);
        if (ttl === undefined) continue;
        const repeated = copy?.kind === answer.kind && Math.abs(copy.expiry - (now + ttl)) <= 2;
        copy = { kind: answer.kind, expiry: now + ttl };
        if (answer.kind === 'addresses') refusals = [];
        else if (!repeated) refusals.push(now);
        for (const ip of known(before)) {
          const times = absent.get(ip) ?? [];
          if (holds(answer, ip)) absent.set(ip, []);
          else if (answer.kind === 'addresses' && !repeated) absent.set(ip, [...times, now]);
        }
        for (const ip of known(before).filter((name) => !known(after).includes(name))) {
          const times = answer.kind === 'addresses' ? (absent.get(ip) ?? []) : refusals;
          expect(times.length).toBeGreaterThanOrEqual(2);
          expect(now - (times[0] ?? now)).toBeGreaterThanOrEqual(120);
          absent.delete(ip);
        }
      }
    });
  });

  it('publishes every new address of an answer at once, and is never without a ready one after it', () => {
    check((told) => {
      for (const { before, after, answer } of told) {
        if (answer.kind !== 'addresses') continue;
        const ready = inState(after, 'ready');
        expect(ready).not.toEqual([]);
        const late = answer.addresses.filter((ip) => !ready.includes(ip));
        // Only the hold-down keeps an answered address out: it had been draining, and came back twice before.
        for (const ip of late) {
          expect(before.addresses[ip]?.state).toBe('draining');
          expect(ready.some((other) => other !== ip)).toBe(true);
        }
      }
    });
  });

  it('takes a ready address out only for an answer that lacks it', () => {
    check((told) => {
      for (const { before, after, answer } of told) {
        if (answer.kind !== 'addresses') continue;
        const lost = inState(before, 'ready').filter((ip) => !inState(after, 'ready').includes(ip));
        expect(lost.filter((ip) => answer.addresses.includes(ip))).toEqual([]);
      }
    });
  });

  it('A15: is never due again in less than 10 s, nor later than 300 s', () => {
    check((told) => {
      for (const { after, now } of told) {
        expect(after.nextCheckAt - now).toBeGreaterThanOrEqual(10);
        expect(after.nextCheckAt - now).toBeLessThanOrEqual(300);
      }
    });
  });

  it('A9: the order of an answer never matters', () => {
    check((told) => {
      for (const { before, after, answer, now } of told) {
        if (answer.kind !== 'addresses') continue;
        const doubled = [...answer.addresses, ...answer.addresses].reverse();
        const again = advance(before, { ...answer, addresses: doubled }, at(now));
        expect(JSON.stringify(again)).toBe(JSON.stringify(after));
      }
    });
  });

  it('stays small and plain', () => {
    check((told) => {
      const { after } = told.at(-1) ?? {};
      expect(JSON.parse(JSON.stringify(after))).toEqual(after);
      for (const entry of Object.values(after?.addresses ?? {})) {
        expect(entry.streak).toBeLessThanOrEqual(3);
        expect(entry.returns.length).toBeLessThanOrEqual(25);
      }
    });
  });
});

describe('a steady answer', () => {
  const JITTER = 7;

  /** Told at every check from `record` on, until `until` seconds have passed since its first one. */
  const steady = (
    record: GatewayRecord,
    answer: Answer,
    start: number,
    until: number,
  ): { readonly record: GatewayRecord; readonly now: number } => {
    let memory = advance(frozen(record), answer, at(start, JITTER));
    let now = start;
    while (memory.nextCheckAt - start <= until) {
      now = memory.nextCheckAt;
      memory = advance(frozen(memory), answer, at(now, JITTER));
    }
    return { record: memory, now };
  };

  it('is published alone within the bound, and then nothing changes any more', () => {
    fc.assert(
      fc.property(
        someStart,
        someEvents,
        someAddresses,
        fc.constantFrom(0, 10, 60, 300, 3_600),
        (start, events, addresses, ttl) => {
          const before = play(start, events).at(-1);
          if (before === undefined) return;
          const answer = frozen({ kind: 'addresses', addresses, ttl, partial: false } satisfies Answer);
          const interval = Math.min(Math.max(ttl, SETTINGS.minRefresh), SETTINGS.maxRefresh) + JITTER;
          const first = Math.max(before.after.nextCheckAt, before.now + 1);
          const rotating = (before.after.rotatingUntil ?? 0) > before.now;
          // The first answer may complete a rotation, and then the longer bound is the right one.
          const begun = advance(before.after, answer, at(first, JITTER));
          const slow = rotating || addresses.length >= 8 || begun.rotatingUntil !== undefined;
          const bound = slow ? 5 * interval + 300 + interval : 3 * interval + 120;
          const settled = steady(before.after, answer, first, bound);
          const wanted = [...addresses].sort((a, b) => UNIVERSE.indexOf(a) - UNIVERSE.indexOf(b));
          expect(inState(settled.record, 'ready')).toEqual(wanted);
          expect(known(settled.record)).toEqual(wanted);
          const later = steady(settled.record, answer, settled.record.nextCheckAt, 1_300);
          expect(known(later.record)).toEqual(wanted);
          expect(inState(later.record, 'ready')).toEqual(wanted);
          expect(later.record).toMatchObject({ state: 'FRESH', failCount: 0, negCount: 0, returnEvents: [] });
        },
      ),
      { numRuns: 300 },
    );
  });
});
