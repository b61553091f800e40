// Figures of hostile days: many seeds of one story, judged by its truth.
import type { Figure } from '../measure.ts';
import { type Check, type Engine, play } from './course.ts';
import { hostileDay } from './day.ts';
import { linkEngine } from './engine.ts';
import { type Finding, judge, type Verdict } from './judge.ts';
import { type Random, seeded } from './random.ts';
import { recursorOf } from './recursor.ts';
import type { Script } from './script.ts';
import { sharedEngine } from './shared-engine.ts';

const TTL = 60; // of AWS's load balancers
const ONSET_WRITES = 3;
const LATENESS = 15; // seconds after the end of a TTL by which a changed answer is published

export interface Lived {
  readonly script: Script;
  readonly checks: readonly Check[];
}

/** @param random decides its jitter */
export type EngineMaker = (random: Random) => Engine | Promise<Engine>;

/** One story with one engine, that of lib/gateway unless told otherwise; the seed decides every chance in it. */
export const live = async (
  script: Script,
  seed: number,
  engineOf: EngineMaker = linkEngine,
): Promise<Lived> => {
  const [answers, jitter, lateness] = [seeded(seed + 1), seeded(seed + 2), seeded(seed + 3)];
  const recursor = recursorOf(script, answers);
  return { script, checks: await play(script.length, recursor, await engineOf(jitter), lateness) };
};

const livedDays = async (days: number, engineOf: EngineMaker): Promise<readonly Lived[]> => {
  const lived: Lived[] = [];
  for (let day = 1; day <= days; day += 1) {
    const seed = 1_000 * day;
    const script = hostileDay(seeded(seed), { ttl: TTL, busy: day % 2 === 0 });
    lived.push(await live(script, seed, engineOf));
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

const figuresOf = (name: string, lived: readonly Lived[]): readonly Figure[] => {
  const verdicts = lived.map(({ script, checks }) => judge(script, checks));
  const checks = lived.reduce((sum, day) => sum + day.checks.length, 0);
  const writes = verdicts.reduce((sum, verdict) => sum + verdict.writes, 0);
  const most = (pick: (verdict: Verdict) => number): number => Math.max(...verdicts.map(pick));
  const all = (pick: (verdict: Verdict) => readonly Finding[]): number => total(verdicts, pick);
  const named = (what: string): string => `${name}: ${what}`;
  return [
    countOf(named('checks per day'), checks / lived.length, 'checks'),
    countOf(named('writes per day'), writes / lived.length, 'writes'),
    countOf(
      named('addresses that left while the zone had them'),
      all(({ lost }) => lost),
      'addresses',
      0,
    ),
    countOf(
      named('addresses kept longer than the bound'),
      all(({ kept }) => kept),
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
      all(({ idle }) => idle),
      'writes',
      0,
    ),
    countOf(named('writes at one onset of rotation'), onsetWrites(verdicts), 'writes', ONSET_WRITES),
    countOf(
      named('moments without a ready address'),
      all(({ darkened }) => darkened),
      'moments',
      0,
    ),
  ];
};

/** The engine alone, and as a deployment drives it for links that share a name. */
export const hostileFigures = async (): Promise<readonly Figure[]> => [
  ...figuresOf('50 hostile days', await livedDays(50, linkEngine)),
  ...figuresOf('5 hostile days of a shared name', await livedDays(5, sharedEngine)),
];
