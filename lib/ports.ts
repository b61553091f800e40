// All that the core asks of the world, on one screen. Adapters implement these; tests hold fakes to the same contract suites.
import type { GatewayState } from './model/gateway.ts';
import type { Family, Kind, Manifest, ObjectOf } from './model/objects.ts';
import type { RequestCounts } from './model/plan.ts';

/** Wall time and waiting, injected so that tests own both. */
export interface Clock {
  /** ms since the epoch */
  now(): number;
  /** Resolves after `ms` milliseconds, or rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface ListQuery {
  readonly namespace?: string; // absent: all namespaces
  readonly labelSelector?: string; // Kubernetes text form
  /** Only metadata is sent by the server; every other field then has its empty value. */
  readonly metadataOnly?: boolean;
}

export interface Preconditions {
  readonly uid: string;
  readonly resourceVersion: string;
}

/**
 * One Kubernetes cluster. Every method throws ClusterError. A list is complete or it throws: pages are followed, a position
 * that expired (410) starts the list anew, a page that breaks off is an error.
 */
export interface Cluster {
  list<K extends Kind>(kind: K, query?: ListQuery): Promise<readonly ObjectOf[K][]>;
  /** undefined when the server says 404 for this object */
  get<K extends Kind>(kind: K, namespace: string, name: string): Promise<ObjectOf[K] | undefined>;
  create<K extends Kind>(kind: K, namespace: string, body: Manifest): Promise<ObjectOf[K]>;
  /** JSON merge patch; put `metadata.resourceVersion` into it to make it conditional. */
  patch<K extends Kind>(kind: K, namespace: string, name: string, body: Manifest): Promise<ObjectOf[K]>;
  delete(kind: Kind, namespace: string, name: string, preconditions: Preconditions): Promise<void>;
  /** The API server's own clock in ms, by the Date header of its last answer carried forward; local time before the first. */
  now(): number;
  requests(): RequestCounts;
}

/** What the resolver found out about one name and family. Three kinds, never two: see lib/gateway. */
export type Answer =
  | {
      readonly kind: 'addresses';
      readonly addresses: readonly string[];
      readonly ttl: number;
      readonly partial: boolean;
    }
  | { readonly kind: 'nothing'; readonly why: 'NXDOMAIN' | 'NODATA'; readonly negativeTtl?: number }
  | { readonly kind: 'unknown'; readonly why: string };

export interface Resolver {
  /** Never throws and never takes longer than its hard limit: what is not known is an answer of kind "unknown". TTLs in seconds. */
  resolve(name: string, family: Family): Promise<Answer>;
}

/** A link's remembered state with the version that a save must still find. */
export interface Stored<T> {
  readonly value: T;
  readonly version: number;
}

export interface GatewayStore {
  /** undefined: nothing is stored. Throws StateError when something is stored that cannot be read. */
  load(link: string): Promise<Stored<GatewayState> | undefined>;
  /** Saves when the stored version still is `expected` (0: nothing stored); false when somebody was faster. */
  save(link: string, state: GatewayState, expected: number): Promise<boolean>;
}
