// A recursor with caches of its own, as a look-up meets it: TTLs count down, a "no" is repeated until it expires, and at times nobody
// answers.
import type { Budget } from '../../lib/dns/budget.ts';
import { lookAgain } from '../../lib/dns/looks.ts';
import type { Answer } from '../../lib/ports.ts';
import { type Random, someOf } from './random.ts';
import { type Chapter, chapterAt, type Script } from './script.ts';

/** What one look-up came back with. */
export interface Heard {
  readonly answer: Answer;
  /** When the copies that it rests on were fetched from the zone; none when nothing was heard. */
  readonly fetchedAt: readonly number[];
  readonly took: number; // seconds
}

export interface Recursor {
  /** One look-up as the resolver makes it, repeats for large answers included. */
  lookUp(at: number): Promise<Heard>;
}

interface Copy {
  readonly answer: Answer; // with the zone's own TTL
  readonly fetchedAt: number;
  readonly expiresAt: number;
}

/** A look-up ends here, answered or not (the resolver's hard limit). */
const LONGEST_LOOK_UP = 5;

const ttlOf = ({ view, ttl }: Chapter): number => (view.kind === 'nothing' ? view.negativeTtl : ttl);

const withTtl = (answer: Answer, ttl: number): Answer => {
  if (answer.kind === 'addresses') return { ...answer, ttl };
  return answer.kind === 'nothing' ? { ...answer, negativeTtl: ttl } : answer;
};

const shown = ({ truth, view }: Chapter, turn: number, random: Random): readonly string[] => {
  if (view.kind === 'some') return someOf(random, truth, view.count);
  if (view.kind === 'turn') return view.parts[turn % view.parts.length] ?? [];
  return view.kind === 'all' ? truth : [];
};

/** The zone's own servers: never cached, another answer to every question where the story says so. */
const zoneOf = (script: Script, random: Random): ((at: number) => Copy) => {
  let turn = 0;
  return (at) => {
    const chapter = chapterAt(script, at);
    const addresses = shown(chapter, turn, random);
    turn += 1;
    const ttl = ttlOf(chapter);
    const answer: Answer =
      addresses.length === 0
        ? { kind: 'nothing', why: 'NXDOMAIN', negativeTtl: ttl }
        : { kind: 'addresses', addresses, ttl, partial: false };
    return { answer, fetchedAt: at, expiresAt: at + ttl };
  };
};

/** When the recursor can reach the zone, from a moment on: a SERVFAIL is its word for "I cannot". */
const reachableFrom = ({ silences }: Pick<Script, 'silences'>, at: number): number => {
  const silence = silences.find(({ from, until, why }) => why === 'SERVFAIL' && from <= at && at < until);
  return silence === undefined ? at : reachableFrom({ silences }, silence.until);
};

const cacheOf = (script: Script, fetch: (at: number) => Copy): ((at: number) => Copy) => {
  let copy: Copy | undefined;
  return (at) => {
    copy ??= fetch(at);
    while (copy.expiresAt <= at) {
      const isRenewed = script.busy && copy.expiresAt > copy.fetchedAt;
      copy = fetch(isRenewed ? reachableFrom(script, copy.expiresAt) : at);
    }
    return copy;
  };
};

/** Time that passes inside one look-up. */
const budgetOf = (moment: { at: number }): Budget => ({
  within: () => Promise.resolve(undefined),
  pause: (ms) => {
    moment.at += ms / 1000;
    return Promise.resolve(true);
  },
});

/** @param random also decides which look-ups are lost */
export const recursorOf = (script: Script, random: Random): Recursor => {
  const fetch = zoneOf(script, random);
  const caches = Array.from({ length: Math.max(...script.chapters.map(({ caches }) => caches)) }, () =>
    cacheOf(script, fetch),
  );
  const failure = (at: number): string | undefined => {
    const silence = script.silences.find(({ from, until }) => from <= at && at < until);
    return silence?.why ?? (random() < script.lost ? 'timeout' : undefined);
  };
  return {
    async lookUp(from) {
      const why = failure(from);
      if (why !== undefined) {
        const took = why === 'timeout' ? LONGEST_LOOK_UP : 0;
        return { answer: { kind: 'unknown', why }, fetchedAt: [], took };
      }
      const moment = { at: from };
      const fetchedAt: number[] = [];
      const look = (): Promise<Answer> => {
        const cache = caches[Math.floor(random() * chapterAt(script, moment.at).caches)];
        const copy = (cache ?? fetch)(moment.at);
        fetchedAt.push(copy.fetchedAt);
        return Promise.resolve(withTtl(copy.answer, Math.floor(copy.expiresAt - moment.at)));
      };
      const first = await look();
      const answer = first.kind === 'addresses' ? await lookAgain(first, budgetOf(moment), look) : first;
      return { answer, fetchedAt, took: moment.at - from };
    },
  };
};
