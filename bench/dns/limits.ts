// Figures of what no rule for single answers can tell apart: how often a live address is lost where the answers themselves mislead.
// There is no target; docs/gateway.md says what to do about each.
import type { Figure } from '../measure.ts';
import { hostileDay } from './day.ts';
import { live } from './hostile.ts';
import { judge } from './judge.ts';
import { seeded } from './random.ts';
import type { Chapter, Script } from './script.ts';

const HOUR = 3_600;
const DAYS = 3;
const HOSTILE_DAYS = 160;
const ZONES = ['10.0.1.10', '10.0.2.10', '10.0.3.10'];
const NODES = Array.from({ length: 12 }, (_, node) => `10.1.0.${node + 1}`);
const WHOLE: Omit<Chapter, 'from'> = { truth: ZONES, view: { kind: 'all' }, ttl: 60, caches: 1 };

const dayOf = (...chapters: readonly [Chapter, ...Chapter[]]): Script => ({
  length: 24 * HOUR,
  chapters,
  silences: [],
  lost: 0,
  busy: true,
});

/** A whole answer first, so that there is something to lose. */
const afterWhole = (chapter: Partial<Chapter>): Script =>
  dayOf({ ...WHOLE, ...chapter, view: WHOLE.view, from: 0 }, { ...WHOLE, ...chapter, from: HOUR });

/** One wrong "no" per hour, taken back after half a minute. */
const mistakes = (negativeTtl: number, caches: number): Script => {
  const hours = Array.from({ length: 23 }, (_, hour) => (hour + 1) * HOUR);
  const chapters = hours.flatMap((from): readonly Chapter[] => [
    { ...WHOLE, caches, from, view: { kind: 'nothing', negativeTtl } },
    { ...WHOLE, caches, from: from + 30 },
  ]);
  return dayOf({ ...WHOLE, caches, from: 0 }, ...chapters);
};

const byZone: Chapter['view'] = { kind: 'turn', parts: ZONES.map((zone) => [zone]) };

const LIMITS: readonly (readonly [name: string, script: Script])[] = [
  ['zones in turn, TTL 60', afterWhole({ view: byZone })],
  ['zones in turn, TTL 300', afterWhole({ view: byZone, ttl: 300 })],
  ['one of 3 zones at random', afterWhole({ view: { kind: 'some', count: 1 } })],
  ['8 of 12 at random, one cache', afterWhole({ truth: NODES, view: { kind: 'some', count: 8 } })],
  ['8 of 12 at random, 2 caches', afterWhole({ truth: NODES, view: { kind: 'some', count: 8 }, caches: 2 })],
  ['8 of 12 at random, 4 caches', afterWhole({ truth: NODES, view: { kind: 'some', count: 8 }, caches: 4 })],
  ['a wrong NXDOMAIN of 30 s per hour, kept for 60 s by 4 caches', mistakes(60, 4)],
  ['a wrong NXDOMAIN of 30 s per hour, kept for 900 s by one cache', mistakes(900, 1)],
  ['a wrong NXDOMAIN of 30 s per hour, kept for 900 s by 4 caches', mistakes(900, 4)],
];

const lostIn = async (script: Script, seed: number): Promise<number> => {
  const { checks } = await live(script, seed);
  return judge(script, checks).lost.length;
};

const lostPerDay = async (script: Script): Promise<number> => {
  let lost = 0;
  for (let day = 1; day <= DAYS; day += 1) lost += await lostIn(script, 1_000 * day);
  return lost / DAYS;
};

/** Every kind of hostile day, many of them: silence in the very minutes in which a rotation begins is rare, and loses an address. */
const lostOnHostileDays = async (): Promise<number> => {
  let lost = 0;
  for (let day = 0; day < HOSTILE_DAYS; day += 1) {
    const [seed, busy] = [1_000_000 + 1_000 * day, day % 2 === 0];
    const bursts = day % 4 < 2 ? 'SERVFAIL' : 'timeout';
    lost += await lostIn(hostileDay(seeded(seed), { ttl: 60, busy, bursts }), seed);
  }
  return lost / HOSTILE_DAYS;
};

export const limitFigures = async (): Promise<readonly Figure[]> => {
  const rows: [name: string, value: number][] = [
    [`${HOSTILE_DAYS} more hostile days, bursts of timeouts too`, await lostOnHostileDays()],
  ];
  for (const [name, script] of LIMITS) rows.push([name, await lostPerDay(script)]);
  return rows.map(([name, value]) => ({
    name: `live addresses lost: ${name}`,
    value,
    unit: 'per day',
    ok: true,
    kind: 'count',
  }));
};
