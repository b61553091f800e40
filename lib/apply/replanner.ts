// How mirrors are planned again when a write met something else than was seen.
import type { ObjectKey } from '../model/keys.ts';
import type { Plan } from '../model/plan.ts';
import type { Observed, SourceSnapshot } from '../model/snapshot.ts';

/** The plan of one mirror against a newer snapshot. */
export type PlanAgain = (snapshot: SourceSnapshot, mirror: ObjectKey) => Pick<Plan, 'changes' | 'refusals'>;

export interface Replanner {
  /** The snapshot with these objects of one mirror read anew; unobserved when they cannot be read. */
  readonly readAgain: (
    snapshot: SourceSnapshot,
    names: readonly ObjectKey[],
  ) => Promise<Observed<SourceSnapshot>>;
  /**
   * Decides again, once for all that conflicted: who wrote in between may have seen more of the target than the plan did, and must
   * not be overwritten with it. Undefined: too little could be seen for that.
   */
  readonly decideAgain: () => Promise<PlanAgain | undefined>;
}
