// The stored form of what a run said: read back with a check, and never larger than a link's item can bear.
import * as z from 'zod';
import { REASONS } from '../model/plan.ts';
import type { RunSummary } from '../model/summary.ts';

/** Bytes of JSON. A DynamoDB item holds 400 KiB, the link's document is in it too, and every tick reads all of them. */
const LARGEST = 64 * 1024;

const count = z.int().min(0);

const summary = z.object({
  at: z.number(),
  runId: z.string(),
  mirrors: z.object({
    'in sync': count,
    'to create': count,
    'to update': count,
    waiting: count.default(0), // summaries of older versions lack it
    refused: count,
  }),
  failed: count,
  refusals: z.array(
    z.object({ namespace: z.string(), name: z.string(), reason: z.enum(REASONS), message: z.string() }),
  ),
  moreRefusals: count,
  unobserved: z.array(z.object({ what: z.string(), message: z.string() })),
  notes: z.array(z.string()),
});

/** undefined: nothing is stored, or nothing that this version understands. */
export const storedSummary = (stored: unknown): RunSummary | undefined => summary.safeParse(stored).data;

/**
 * The summary as it is when it fits, which is the rule. Else with the first of its refusals, unobserved parts and notes that fit,
 * in this order; refusals that are left out are counted.
 */
export function boundedSummary(whole: RunSummary): RunSummary {
  if (sizeOf(whole) <= LARGEST) return whole;
  let left = LARGEST - sizeOf({ ...whole, refusals: [], unobserved: [], notes: [] });
  const fitting = <T>(rows: readonly T[]): readonly T[] =>
    rows.filter((row) => {
      left -= sizeOf(row) + 1; // the comma
      return left >= 0;
    });
  const refusals = fitting(whole.refusals);
  const moreRefusals = whole.moreRefusals + whole.refusals.length - refusals.length;
  return {
    ...whole,
    refusals,
    moreRefusals,
    unobserved: fitting(whole.unobserved),
    notes: fitting(whole.notes),
  };
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
