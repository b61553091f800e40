// What was seen of both clusters in one run. "Unobserved" is a type of its own and never an empty list.
import type { Endpoints, EndpointSlice, Family, Namespace, Service } from './objects.ts';
import type { Reason, Unobserved } from './plan.ts';

export type Observed<T> =
  | { readonly observed: true; readonly value: T }
  | { readonly observed: false; readonly why: Unobserved; readonly reason: Reason };

export interface TargetSnapshot {
  readonly uid: string; // of the cluster: what the link is remembered to be made for
  readonly services: ReadonlyMap<string, Service>; // every Service, by keyText
  /** Which Services have a ready endpoint (absent: none), by keyText, from every EndpointSlice. */
  readonly ready: Observed<ReadonlySet<string>>;
  /** EndpointSlices of headless Services, by keyText: who their pods are. Empty where they could not be read. */
  readonly headless: ReadonlyMap<string, readonly EndpointSlice[]>;
}

export interface SourceSnapshot {
  readonly uid: string | undefined; // of the cluster, where its kube-system namespace is visible
  readonly namespaces: ReadonlyMap<string, Namespace>;
  readonly services: ReadonlyMap<string, Service>; // every Service: a foreign one at a mirror's name must be seen
  readonly endpoints: ReadonlyMap<string, Endpoints>; // those that carry the link's cluster-name label
  readonly slices: ReadonlyMap<string, EndpointSlice>; // likewise: ours, and the mirroring controller's copies
  /**
   * Names of Endpoints without the link's label (metadata only); looked for when Endpoints are to be created, absent before.
   */
  readonly foreignEndpoints?: ReadonlyMap<string, Endpoints>;
  /** The family that Services of this cluster get when they ask for one. */
  readonly family: Family;
  /** The other one that they get when they ask for both; absent on a cluster of one family. */
  readonly secondFamily?: Family;
  /** CIDRs that ClusterIPs come from, and whether they were read or inferred. */
  readonly serviceRanges: { readonly cidrs: readonly string[]; readonly inferred: boolean };
  readonly apiServers: ReadonlySet<string>; // addresses behind default/kubernetes
}
