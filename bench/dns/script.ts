// The story that a simulation plays: what a zone holds from when on, how it shows it, and when nobody gets an answer. Times are seconds
// since the beginning of the story.

/** How the zone's own servers answer. Every question that reaches them is answered anew. */
export type View =
  | { readonly kind: 'all' }
  | { readonly kind: 'some'; readonly count: number } // another random part each time
  | { readonly kind: 'turn'; readonly parts: readonly (readonly string[])[] } // one part after the other
  | { readonly kind: 'nothing'; readonly negativeTtl: number }; // NXDOMAIN, whatever there is

/** Holds from `from` until the next one begins. */
export interface Chapter {
  readonly from: number;
  /** The addresses of the load balancer: the truth that an engine is judged by, whatever the zone shows of it. */
  readonly truth: readonly string[];
  readonly view: View;
  readonly ttl: number;
  /** Caches behind the recursor's address; each look meets one of them by chance. */
  readonly caches: number;
}

/** No answer gets through. */
export interface Silence {
  readonly from: number;
  readonly until: number;
  readonly why: string; // 'timeout' takes as long as a look-up may take
}

export interface Script {
  readonly length: number;
  readonly chapters: readonly [Chapter, ...Chapter[]]; // by time, the first from 0
  readonly silences: readonly Silence[];
  readonly lost: number; // share of look-ups that time out at any time
  /** Others ask the recursor too, so that its copies are renewed as they expire; else only we do. */
  readonly busy: boolean;
}

export const chapterAt = ({ chapters }: Script, at: number): Chapter =>
  chapters.findLast(({ from }) => from <= at) ?? chapters[0];

export const truthAt = (script: Script, at: number): readonly string[] => chapterAt(script, at).truth;
