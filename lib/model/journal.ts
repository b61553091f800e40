// One line of the journal: what was changed in a source cluster, why, and how it went. Expires; never holds a secret.
import type { Result } from './plan.ts';

export interface JournalEntry {
  readonly link: string;
  readonly at: number; // ms since the epoch
  readonly runId: string;
  readonly what: string; // `create Service shop/web-west`, `gateway addresses`
  readonly reasons: readonly string[]; // before and after, in words
  readonly result: Result;
  readonly message?: string;
}
