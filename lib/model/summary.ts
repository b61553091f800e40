// What the last run of a link said that is worth remembering: enough to answer "what is mirrored, what is wrong" without a cluster.
import type { Refusal, Unobserved } from './plan.ts';
import type { MirrorStatus } from './report.ts';

export interface RunSummary {
  readonly at: number; // ms since the epoch, when this first was so
  readonly runId: string;
  readonly mirrors: Readonly<Record<MirrorStatus['state'], number>>; // how many exported Services are in which state after the run
  readonly failed: number; // changes that were not applied
  /** At most as many as fit a fixed size; the counts above are complete. */
  readonly refusals: readonly Refusal[];
  readonly moreRefusals: number;
  readonly unobserved: readonly Unobserved[];
  readonly notes: readonly string[];
}
