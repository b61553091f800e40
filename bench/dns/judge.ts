// Judges what an engine published against the truth of the story, and by nothing that the engine believes.
//
//   lost      an address left the record though the zone held it when each of the copies was fetched that were heard then
//   kept      an address is in the record longer after it left the zone for good than bounds.ts allows
//   idle      the published set changed though the truth had not for longer than that, and not only to learn an address
//   onset     such changes while the zone shows its parts in turn: learning that it does
//   darkened  nothing ready is published, though the zone has addresses and some were known
//
// The truth is what the load balancer has, not what the zone shows: a "no" by mistake, a part of an answer and an answer to somebody
// in another zone take nothing away from it. Seconds in which nothing was heard (silence, or a "no" that is not true) are not
// counted: from such a check to the next one.
import { boundOf, type Span } from './bounds.ts';
import type { Check } from './course.ts';
import { type Chapter, chapterAt, type Script, truthAt } from './script.ts';

export interface Finding {
  readonly at: number;
  readonly what: string;
}

export interface Verdict {
  readonly lost: readonly Finding[];
  readonly kept: readonly Finding[];
  readonly idle: readonly Finding[];
  readonly darkened: readonly Finding[];
  /** By the beginning of the chapter that shows its parts in turn. */
  readonly onsets: ReadonlyMap<number, readonly Finding[]>;
  readonly writes: number;
  readonly longestKept: number; // seconds, of addresses that left for good; silence not counted
  readonly longestUnknown: number; // seconds until a new address was ready, likewise
}

type Addresses = Check['addresses'];

const ipsOf = (addresses: Addresses): readonly string[] => addresses.map(({ ip }) => ip);
const textOf = (addresses: Addresses): string =>
  addresses.map(({ ip, state }) => (state === 'ready' ? ip : `${ip} ${state}`)).join(' ');

/** A check and the addresses before it. */
interface Step {
  readonly check: Check;
  readonly before: Addresses;
}

const stepsOf = (checks: readonly Check[]): readonly Step[] =>
  checks.map((check, index) => ({ check, before: checks[index - 1]?.addresses ?? [] }));

const writesOf = (checks: readonly Check[]): readonly Step[] =>
  stepsOf(checks).filter(({ check, before }) => textOf(before) !== textOf(check.addresses));

const isSilent = (script: Script, { heard: { answer, fetchedAt } }: Check): boolean =>
  answer.kind === 'unknown' ||
  (answer.kind === 'nothing' && fetchedAt.some((at) => truthAt(script, at).length > 0));

const silencesOf = (script: Script, checks: readonly Check[]): readonly Span[] =>
  checks.flatMap((check, index) => {
    const next = checks[index + 1];
    const until = next === undefined ? script.length : next.at - next.heard.took;
    return isSilent(script, check) ? [{ from: check.at - check.heard.took, until }] : [];
  });

/** Seconds of a span in which something was heard. */
const counted = (span: Span, silences: readonly Span[]): number =>
  silences.reduce(
    (left, { from, until }) => left - Math.max(0, Math.min(until, span.until) - Math.max(from, span.from)),
    span.until - span.from,
  );

const lostOf = (script: Script, checks: readonly Check[]): readonly Finding[] =>
  stepsOf(checks).flatMap(({ check: { at, addresses, heard }, before }) => {
    const now = new Set(ipsOf(addresses));
    const isServed = (ip: string): boolean =>
      heard.fetchedAt.every((moment) => truthAt(script, moment).includes(ip));
    return ipsOf(before)
      .filter((ip) => !now.has(ip) && isServed(ip))
      .map((what) => ({ at, what }));
  });

interface Departure {
  readonly ip: string;
  readonly left: number;
  readonly back: number; // infinity: never
}

/** Every time that an address joins the truth or leaves it. */
const departuresOf = ({ chapters }: Script): readonly Departure[] =>
  chapters.flatMap(({ from, truth }, index) =>
    (chapters[index - 1]?.truth ?? [])
      .filter((ip) => !truth.includes(ip))
      .map((ip) => ({
        ip,
        left: from,
        back: chapters.slice(index + 1).find((later) => later.truth.includes(ip))?.from ?? Infinity,
      })),
  );

/** How long after a moment a condition first holds, in seconds in which something was heard. */
const spanUntil = (checks: readonly Check[], from: number, isMet: (check: Check) => boolean): Span => ({
  from,
  until: checks.find((check) => check.at >= from && isMet(check))?.at ?? Infinity,
});

interface Kept {
  readonly findings: readonly Finding[];
  readonly longest: number;
}

const keptOf = (script: Script, checks: readonly Check[], silences: readonly Span[]): Kept => {
  const rows = departuresOf(script).map(({ ip, left, back }) => {
    const kept = spanUntil(checks, left, ({ addresses }) => !ipsOf(addresses).includes(ip));
    const span = { from: left, until: Math.min(kept.until, back, script.length) };
    const seconds = counted(span, silences);
    return { at: span.until, what: ip, seconds, bound: boundOf(script, span), forGood: back === Infinity };
  });
  return {
    findings: rows
      .filter(({ seconds, bound }) => seconds > bound)
      .map(({ at, what, seconds, bound }) => ({ at, what: `${what}: ${seconds} s, bound ${bound} s` })),
    longest: Math.max(0, ...rows.filter(({ forGood }) => forGood).map(({ seconds }) => seconds)),
  };
};

const sameTruth = (a: Chapter, b: Chapter): boolean =>
  a.truth.toSorted().join() === b.truth.toSorted().join();

/** When the truth became what it is at a moment; before the beginning: it always was. */
const changedAt = ({ chapters }: Script, at: number): number =>
  chapters.findLast(
    (chapter, index) =>
      chapter.from <= at && index > 0 && !sameTruth(chapter, chapters[index - 1] ?? chapter),
  )?.from ?? -Infinity;

/** Only new addresses, and those the zone has; nothing else moved. */
const isLearning = (script: Script, { check, before }: Step): boolean => {
  const known = new Set(ipsOf(before));
  const added = check.addresses.filter(({ ip }) => !known.has(ip));
  const others = check.addresses.filter(({ ip }) => known.has(ip));
  const isTrue = (ip: string): boolean =>
    check.heard.fetchedAt.some((at) => truthAt(script, at).includes(ip));
  return added.length > 0 && added.every(({ ip }) => isTrue(ip)) && textOf(others) === textOf(before);
};

const isExplained = (script: Script, step: Step, silences: readonly Span[]): boolean => {
  if (isLearning(script, step)) return true;
  const span = { from: changedAt(script, step.check.at), until: step.check.at };
  return Number.isFinite(span.from) && counted(span, silences) <= boundOf(script, span);
};

const findingOf = ({ check, before }: Step): Finding => ({
  at: check.at,
  what: `${textOf(before)} → ${textOf(check.addresses)}`,
});

const darkenedOf = (script: Script, checks: readonly Check[]): readonly Finding[] =>
  stepsOf(checks)
    .filter(({ check, before }) => {
      const isReady = ({ state }: Addresses[number]): boolean => state === 'ready';
      const wasLit = before.some(isReady) && !check.addresses.some(isReady);
      return wasLit && truthAt(script, check.at).length > 0;
    })
    .map(findingOf);

/** Seconds until each new address of a whole answer was ready; one that comes back may be held down, and is not new. */
const unknownFor = (script: Script, checks: readonly Check[], silences: readonly Span[]): number => {
  const { chapters } = script;
  const waits = chapters.flatMap(({ from, truth, view }, index) => {
    const earlier = new Set(chapters.slice(0, index).flatMap((chapter) => chapter.truth));
    if (view.kind !== 'all' || index === 0) return [];
    return truth
      .filter((ip) => !earlier.has(ip))
      .map((ip) => {
        const isIn = ({ addresses }: Check): boolean =>
          addresses.some((address) => address.ip === ip && address.state === 'ready');
        const { until } = spanUntil(checks, from, isIn);
        return counted({ from, until: Math.min(until, script.length) }, silences);
      });
  });
  return Math.max(0, ...waits);
};

export const judge = (script: Script, checks: readonly Check[]): Verdict => {
  const silences = silencesOf(script, checks);
  const writes = writesOf(checks);
  const idle = writes.filter((step) => !isExplained(script, step, silences));
  const inTurn = ({ check }: Step): boolean => chapterAt(script, check.at).view.kind === 'turn';
  const { findings: kept, longest } = keptOf(script, checks, silences);
  return {
    lost: lostOf(script, checks),
    kept,
    idle: idle.filter((step) => !inTurn(step)).map(findingOf),
    darkened: darkenedOf(script, checks),
    onsets: Map.groupBy(idle.filter(inTurn).map(findingOf), ({ at }) => chapterAt(script, at).from),
    writes: writes.length,
    longestKept: longest,
    longestUnknown: unknownFor(script, checks, silences),
  };
};
