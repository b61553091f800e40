// How long an address may stay after it left, as docs/gateway.md promises it, told from the story alone.
//
//   recursor's old copy   1 TTL
//   answers are complete  3 intervals + 120 s
//   maybe a part          5 intervals + 300 s, and one more: eight addresses or more, or rotation within the last hour
//   the name is gone      one interval, then two copies of the "no", 120 s apart or more
//
// An interval is the TTL within 10 to 300 s, 7 s of jitter, and 3 s for timers in whole seconds that come late.
import { type Chapter, chapterAt, type Script } from './script.ts';

const LATE = 3;
const JITTER = 7;
const ROTATION_LASTS = 3_600;
const PART_FROM = 8; // addresses in one answer

export interface Span {
  readonly from: number;
  readonly until: number;
}

const intervalOf = (ttl: number): number => Math.min(Math.max(ttl, 10), 300) + JITTER + LATE;

const overlapping = ({ chapters, length }: Script, { from, until }: Span): readonly Chapter[] =>
  chapters.filter((chapter, index) => chapter.from <= until && (chapters[index + 1]?.from ?? length) > from);

const answersWith = ({ truth, view }: Chapter): number =>
  view.kind === 'some' ? Math.min(view.count, truth.length) : truth.length;

/** Whether answers in this span may have been taken for parts of more. */
const isMaybePart = (script: Script, span: Span, ttl: number): boolean => {
  const memory = { from: span.from - ROTATION_LASTS - 2 * intervalOf(ttl), until: span.until };
  return (
    overlapping(script, memory).some(({ view }) => view.kind === 'turn' || view.kind === 'some') ||
    overlapping(script, span).some((chapter) => answersWith(chapter) >= PART_FROM)
  );
};

/** @param span from the moment that the truth changed; seconds in which nothing was heard do not count against it */
export const boundOf = (script: Script, span: Span): number => {
  const ttl = Math.max(
    ...overlapping(script, { ...span, from: span.from - 1 }).map((chapter) => chapter.ttl),
  );
  const { truth, view } = chapterAt(script, span.from);
  const interval = intervalOf(ttl);
  if (truth.length === 0 && view.kind === 'nothing') {
    const { negativeTtl } = view;
    return ttl + interval + Math.max(120, negativeTtl) + 2 * intervalOf(Math.max(15, negativeTtl));
  }
  return ttl + (isMaybePart(script, span, ttl) ? 6 * interval + 300 : 3 * interval + 120);
};
