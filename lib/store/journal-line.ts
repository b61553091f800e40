// The stored form of a journal line, checked when it is read back.
import * as z from 'zod';
import type { JournalEntry } from '../model/journal.ts';

const line = z.object({
  link: z.string(),
  at: z.number(),
  runId: z.string(),
  what: z.string(),
  reasons: z.array(z.string()),
  result: z.enum(['applied', 'failed', 'skipped']),
  message: z.string().exactOptional(),
});

/** undefined: a line that this version does not understand. It says what was done, and nothing is decided by it. */
export const storedLine = (stored: unknown): JournalEntry | undefined => line.safeParse(stored).data;
