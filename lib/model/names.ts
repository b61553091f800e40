// What is known of one DNS name and family, shared by all links of a deployment that use it. Times are seconds since the epoch.
import type { GatewayRecord } from './gateway.ts';

export interface NameState {
  readonly schema: 1;
  /**
   * What the answers mean for nobody's mirrors in particular, unfiltered: how old the last good one is, how often the resolver
   * failed, when to ask again. Its addresses are not to be published.
   */
  readonly record: GatewayRecord;
  /** From then on whoever claims it asks. A claim moves it forward, the answer to its due time. */
  readonly nextCheckAt: number;
  readonly links: readonly string[]; // that use it, sorted
  /** Every link has digested all answers and waits for nothing: the same answer again concerns nobody. */
  readonly quiet: boolean;
}
