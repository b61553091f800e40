// Stories and engines for the tests of the simulations: small stories, and engines that are wrong in one way each.
import type { Engine } from '../../bench/dns/course.ts';
import { seeded } from '../../bench/dns/random.ts';
import type { Chapter, Script } from '../../bench/dns/script.ts';
import type { AddressState } from '../../lib/model/gateway.ts';
import type { Answer } from '../../lib/ports.ts';

export const [A, B, C] = ['10.0.1.10', '10.0.2.10', '10.0.3.10'] as const;

/** A chance that never happens, and jitter and lateness of nothing. */
export const never = (): number => 0;
export const chance = (): (() => number) => seeded(7);

export const aChapter = (from: number, given: Partial<Chapter> = {}): Chapter => ({
  from,
  truth: [A, B],
  view: { kind: 'all' },
  ttl: 60,
  caches: 1,
  ...given,
});

export const aScript = (given: Partial<Script> = {}): Script => ({
  length: 3_600,
  chapters: [aChapter(0)],
  silences: [],
  lost: 0,
  busy: false,
  ...given,
});

const addressesOf = (answer: Answer): readonly string[] | undefined =>
  answer.kind === 'addresses' ? answer.addresses.toSorted() : undefined;

/** An engine by what it publishes after an answer, from what it published before; it asks once a minute. */
export const engineOf = (
  decide: (before: readonly string[], answer: Answer) => readonly string[],
  state: AddressState = 'ready',
): Engine => {
  let published: readonly string[] = [];
  return {
    hear: (answer, now) => {
      published = decide(published, answer);
      const addresses = published.map((ip) => ({ ip, family: 'IPv4', state }) as const);
      return Promise.resolve({ addresses, nextCheckAt: now + 60 });
    },
  };
};

/** What the last answer said is all there is; a "no" is nothing at all. */
export const believingAll = (): Engine =>
  engineOf((before, answer) => (answer.kind === 'unknown' ? before : (addressesOf(answer) ?? [])));
/** The same, but a failure is nothing at all too. */
export const believingSilence = (): Engine => engineOf((_before, answer) => addressesOf(answer) ?? []);
export const neverForgetting = (): Engine =>
  engineOf((before, answer) => [...new Set([...before, ...(addressesOf(answer) ?? [])])].toSorted());
export const neverLearning = (): Engine =>
  engineOf((before, answer) => (before.length === 0 ? (addressesOf(answer) ?? []) : before));
