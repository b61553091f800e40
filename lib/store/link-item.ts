// The stored form of a link, shared by every store: plain JSON that is checked when it is read back.
import * as z from 'zod';
import { checkLink } from '../config.ts';
import { mistakeLine, mistakesOf, type Mistake } from '../mistakes.ts';
import type { Link } from '../model/link.ts';
import type { BrokenLink, LinkRecord } from '../ports.ts';
import { quoted } from '../wording.ts';
import { storedSummary } from './run-summary.ts';

/** What is stored of a link apart from its key and its lease. Written by this version; read with more tolerance, see `readLink`. */
export interface LinkItem {
  readonly schema: 1;
  readonly document: Link;
  readonly version: number;
  readonly ending?: true;
  readonly lastRun?: unknown;
}

export const linkItem = (document: Link, version: number): LinkItem => ({ schema: 1, document, version });

const frame = z.object({
  schema: z.literal(1),
  document: z.unknown().optional(),
  version: z.int('expected a whole number').min(1),
  ending: z.boolean('expected true or false').default(false),
  lastRun: z.unknown().optional(),
});

export type ReadLink =
  | { readonly record: LinkRecord; readonly broken?: never }
  | { readonly broken: BrokenLink; readonly record?: never };

/**
 * The link that `stored` holds. Fields that a newer version may have added are dropped; a last run that cannot be read is as good
 * as none, because the next run says the same anew.
 * @param name its key, which the document must agree with
 */
export function readLink(name: string, stored: unknown): ReadLink {
  const parsed = frame.safeParse(stored);
  if (!parsed.success) {
    return { broken: { name, why: lines(mistakesOf(parsed.error.issues, frame, stored)) } };
  }
  const { document, version, ending, lastRun } = parsed.data;
  const { link, mistakes } = checkLink(document, { unknown: 'tolerate' });
  if (link === undefined) return { broken: { name, why: lines(mistakes) } };
  if (link.name !== name) {
    return { broken: { name, why: `name: expected ${quoted(name)}, its key, got ${quoted(link.name)}` } };
  }
  return { record: { link, version, ending, lastRun: storedSummary(lastRun) } };
}

const lines = (mistakes: readonly Mistake[]): string => mistakes.map(mistakeLine).join('; ');
