// A day on which everything happens to a gateway's name that has been seen to happen.
import { between, type Random } from './random.ts';
import type { Chapter, Script, Silence, View } from './script.ts';

const HOUR = 3_600;
const MINUTE = 60;
const ALL: View = { kind: 'all' };

const [A, B, C, D, E, F, G] = [
  '10.0.1.10',
  '10.0.2.10',
  '10.0.3.10',
  '10.0.4.10',
  '10.0.5.10',
  '10.0.6.10',
  '10.0.7.10',
] as const;
const NODES = Array.from({ length: 12 }, (_, node) => `10.1.0.${node + 1}`);
const NEW_NODE = '10.1.0.99';

interface Told {
  readonly ttl: number;
  readonly random: Random;
}

const chapter = (from: number, truth: readonly string[], view: View, ttl: number): Chapter => ({
  from,
  truth,
  view,
  ttl,
  caches: 1,
});

/** A "no" by mistake, soon taken back by the zone, but the recursor has it for its negative TTL. */
const mistake = (from: number, truth: readonly string[], negativeTtl: number, { ttl, random }: Told) => [
  chapter(from, truth, { kind: 'nothing', negativeTtl }, ttl),
  chapter(from + between(random, 20, 90), truth, ALL, ttl),
];

/** One zone goes and comes back, every one to four minutes. */
const flapping = ([from, until]: readonly [number, number], { ttl, random }: Told): readonly Chapter[] => {
  const chapters: Chapter[] = [];
  for (let at = from; at < until;) {
    chapters.push(chapter(at, [A, B], ALL, ttl));
    at += between(random, MINUTE, 4 * MINUTE);
    chapters.push(chapter(at, [A, B, C], ALL, ttl));
    at += between(random, MINUTE, 4 * MINUTE);
  }
  return chapters;
};

const chaptersOf = (told: Told): readonly [Chapter, ...Chapter[]] => {
  const { ttl, random } = told;
  const at = (hour: number): number => hour * HOUR + between(random, 0, 10 * MINUTE);
  const replaced = [...NODES.slice(1), NEW_NODE];
  const whole = [A, B, C];
  return [
    chapter(0, whole, ALL, ttl),
    ...mistake(at(1), whole, 60, told),
    ...mistake(at(1.5), whole, 300, told),
    ...mistake(at(2), whole, 900, told),
    ...flapping([at(3), 3.75 * HOUR], told),
    // zone by zone, as if the asker moved
    chapter(at(5), whole, { kind: 'turn', parts: [[A], [B], [C]] }, ttl),
    chapter(at(7), whole, ALL, ttl),
    // another load balancer, which answers with a part of its nodes; the recursor is a fleet, as that of a VPC is
    { ...chapter(at(8.5), NODES, { kind: 'some', count: 8 }, ttl), caches: 4 },
    { ...chapter(at(9.5), replaced, { kind: 'some', count: 8 }, ttl), caches: 4 },
    // and back
    chapter(at(11), whole, ALL, ttl),
    // a replaced load balancer: none of the old addresses stays
    chapter(at(13), [D, E, F], ALL, ttl),
    chapter(at(14), [D, E], ALL, ttl),
    // while nobody answers, an address goes and another comes
    chapter(16 * HOUR, [D, G], ALL, ttl),
    chapter(at(18), [D, F, G], ALL, ttl),
    chapter(at(19.5), [D, F, G], { kind: 'turn', parts: [[D, F], [G]] }, ttl),
    // one leaves for good in the middle of a rotation
    chapter(at(20.5), [D, G], { kind: 'turn', parts: [[D], [G]] }, ttl),
    chapter(at(21.5), [D, G], ALL, ttl),
    // deleted
    chapter(at(23), [], { kind: 'nothing', negativeTtl: 60 }, ttl),
  ];
};

const silencesOf = (random: Random, why: string): readonly Silence[] => [
  { from: 15.5 * HOUR, until: 17 * HOUR, why: 'timeout' },
  ...Array.from({ length: 12 }, () => {
    const from = between(random, 0, 22.5 * HOUR);
    return { from, until: from + between(random, 10, 10 * MINUTE), why };
  }),
];

export interface DayOptions {
  readonly ttl: number;
  readonly busy: boolean;
  /** What bursts of failures are; SERVFAIL unless told otherwise. */
  readonly bursts?: 'SERVFAIL' | 'timeout';
}

/** 24 hours; the seed decides when exactly, and what fails. */
export const hostileDay = (random: Random, { ttl, busy, bursts = 'SERVFAIL' }: DayOptions): Script => ({
  length: 24 * HOUR,
  chapters: chaptersOf({ ttl, random }),
  silences: silencesOf(random, bursts),
  lost: 0.03,
  busy,
});
