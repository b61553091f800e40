// Figures of hostile days: many seeds of one story, judged by its truth.
import type { Figure } from '../measure.ts';
import { type Check, play } from './course.ts';
import { hostileDay } from './day.ts';
import { linkEngine } from './engine.ts';
import { type Finding, judge, type Verdict } from './judge.ts';
import { seeded } from './random.ts';
import { recursorOf } from './recursor.ts';
import type { Script } from './script.ts';

const DAYS = 50;
const TTL = 60; // of AWS's load balancers
const ONSET_WRITES = 3;
const LATENESS = 15; // seconds after the end of a TTL by which a changed answer is published

export interface Lived {
  readonly script: Script;
  readonly checks: readonly Check[];
}

/** One story with the engine of lib/gateway; the seed decides every chance in it. */
export const live = async (script: Script, seed: number): Promise<Lived> => {
  const [answers, jitter, lateness] = [seeded(seed + 1), seeded(seed + 2), seeded(seed + 3)];
  const recursor = recursorOf(script, answers);
  return { script, checks: await play(script.length, recursor, linkEngine(jitter), lateness) };
};

const livedDays = async (days: number): Promise<readonly Lived[]> => {
  const lived: Lived[] = [];
  for (let day = 1; day <= days; day += 1) {
    const seed = 1_000 * day;
    lived.push(await live(hostileDay(seeded(seed), { ttl: TTL, busy: day % 2 === 0 }), seed));
  }
  return lived;
};

const countOf = (name: string, value: number, unit: string, most?: number): Figure => ({
  name,
  value,
  unit,
  ...(most === undefined ? {} : { target: most === 0 ? '= 0' : `<= ${most}` }),
  ok: most === undefined || value <= most,
  kind: 'count',
});

const total = (verdicts: readonly Verdict[], pick: (verdict: Verdict) => readonly Finding[]): number =>
  verdicts.reduce((sum, verdict) => sum + pick(verdict).length, 0);

const onsetWrites = (verdicts: readonly Verdict[]): number =>
  Math.max(0, ...verdicts.flatMap(({ onsets }) => [...onsets.values()].map((findings) => findings.length)));

export const hostileFigures = async (): Promise<readonly Figure[]> => {
  const lived = await livedDays(DAYS);
  const verdicts = lived.map(({ script, checks }) => judge(script, checks));
  const checks = lived.reduce((sum, day) => sum + day.checks.length, 0);
  const most = (pick: (verdict: Verdict) => number): number => Math.max(...verdicts.map(pick));
  const named = (what: string): string => `${DAYS} hostile days: ${what}`;
  return [
    countOf(named('checks per day'), checks / DAYS, 'checks'),
    countOf(named('writes per day'), verdicts.reduce((sum, { writes }) => sum + writes, 0) / DAYS, 'writes'),
    countOf(
      named('addresses that left while the zone had them'),
      total(verdicts, ({ lost }) => lost),
      'addresses',
      0,
    ),
    countOf(
      named('addresses kept longer than the bound'),
      total(verdicts, ({ kept }) => kept),
      'addresses',
      0,
    ),
    countOf(
      named('longest stay of one that left for good'),
      most(({ longestKept }) => longestKept),
      's',
    ),
    countOf(
      named('longest wait of a new address'),
      most(({ longestUnknown }) => longestUnknown),
      's',
      TTL + LATENESS,
    ),
    countOf(
      named('writes on an unchanged set, but to learn'),
      total(verdicts, ({ idle }) => idle),
      'writes',
      0,
    ),
    countOf(named('writes at one onset of rotation'), onsetWrites(verdicts), 'writes', ONSET_WRITES),
    countOf(
      named('moments without a ready address'),
      total(verdicts, ({ darkened }) => darkened),
      'moments',
      0,
    ),
  ];
};
