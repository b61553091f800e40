// All that the core asks of the world, on one screen. Adapters implement these; tests hold fakes to the same contract suites.
import type { GatewayState } from './model/gateway.ts';
import type { JournalEntry } from './model/journal.ts';
import type { Link, LoadBalancerAccess } from './model/link.ts';
import type { NameState } from './model/names.ts';
import type { RunSummary } from './model/summary.ts';
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
      /** Whoever answers knows that there are no others, however many these are. */
      readonly complete?: true;
      /** Availability zone by address, where whoever answers knows it. */
      readonly zones?: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'nothing'; readonly why: 'NXDOMAIN' | 'NODATA'; readonly negativeTtl?: number }
  | { readonly kind: 'unknown'; readonly why: string };

export interface Resolver {
  /** Never throws and never takes longer than its hard limit: what is not known is an answer of kind "unknown". TTLs in seconds. */
  resolve(name: string, family: Family): Promise<Answer>;
}

/** What AWS itself says of the load balancer behind a name. */
export type LoadBalancerView =
  /** It is active, and these are all of its addresses, of both families. */
  | {
      readonly kind: 'complete';
      readonly addresses: readonly string[];
      /** Name of the availability zone by address, as the account has it that was asked. */
      readonly zones: Readonly<Record<string, string>>;
    }
  /** It is being made: its name may not exist yet. */
  | { readonly kind: 'pending' }
  | { readonly kind: 'unknown'; readonly why: string };

export interface LoadBalancerWitness {
  /**
   * Never throws and takes a few seconds at the most. Undefined: the name is not that of a network load balancer.
   *
   * @param hostname in lower case, without a dot at its end
   */
  addresses(hostname: string, access: LoadBalancerAccess): Promise<LoadBalancerView | undefined>;
}

/** One look at an address of a gateway: GET of a path over plain HTTP. */
export interface ProbeTarget {
  readonly ip: string; // an address, never a name
  readonly port: number;
  readonly path: string;
  readonly timeoutMs: number; // for all of it, connecting included
  readonly anyAnswer: boolean; // any HTTP answer counts as alive, not only 200
  readonly host?: string; // of the Host header; absent: the address and port
}

/** What a probe found out. Three kinds, as of an Answer: what says nothing about the gateway is no failure of the gateway. */
export type ProbeResult =
  | { readonly kind: 'alive'; readonly status: number; readonly ms: number }
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'unknown'; readonly why: string };

export interface Prober {
  /**
   * Never throws, and takes no longer than the target's timeout. Dials nothing but the target's address, follows no redirect and
   * keeps no body.
   *
   * @param mayDial asked right before dialling; an address that it refuses is not dialled, and the result is of kind "unknown"
   */
  probe(target: ProbeTarget, mayDial: (ip: string) => boolean): Promise<ProbeResult>;
}

/** A link's remembered state with the version that a save must still find. */
export interface Stored<T> {
  readonly value: T;
  readonly version: number;
}

/** DNS names by hostname and family, for one set of resolvers. */
export interface NameStore {
  /** Every name, in no order. */
  list(): Promise<readonly NameState[]>;
  /** undefined: not stored. Throws StateError when it is stored and cannot be read. */
  get(hostname: string, family: Family): Promise<Stored<NameState> | undefined>;
  /** Saves when the stored version still is `expected` (0: nothing stored); false when somebody was faster. */
  save(state: NameState, expected: number): Promise<boolean>;
  /**
   * The right to ask a name that is due at `now`: moves its due time to `until`, so that one asker at a time has it. Undefined: it is
   * not due, or not stored.
   */
  claim(
    hostname: string,
    family: Family,
    times: { readonly now: number; readonly until: number },
  ): Promise<Stored<NameState> | undefined>;
  /** Forgets a name when the stored version still is `expected`. */
  remove(hostname: string, family: Family, expected: number): Promise<void>;
}

export interface GatewayStore {
  /** undefined: nothing is stored. Throws StateError when something is stored that cannot be read. */
  load(link: string): Promise<Stored<GatewayState> | undefined>;
  /** Saves when the stored version still is `expected` (0: nothing stored); false when somebody was faster. */
  save(link: string, state: GatewayState, expected: number): Promise<boolean>;
}

/** A stored link that cannot be used, and why; the others go on. */
export interface BrokenLink {
  readonly name: string;
  readonly why: string;
}

/** What is stored of one link: its document, and what the last run that found something new said of it. */
export interface LinkRecord {
  readonly link: Link;
  readonly version: number; // of the document; moves with every put
  /** Its mirrors are being removed; nothing else is done for it any more. */
  readonly ending: boolean;
  readonly lastRun: RunSummary | undefined;
}

export interface LinkStore {
  /** Every stored link, sorted by name. */
  list(): Promise<{ readonly links: readonly LinkRecord[]; readonly broken: readonly BrokenLink[] }>;
  /** undefined: not stored. Throws StateError when it is stored but cannot be used. */
  get(name: string): Promise<LinkRecord | undefined>;
  /** Stores a document when the stored version still is `expected` (0: there is none); false when somebody was faster. */
  put(link: Link, expected: number): Promise<boolean>;
  /** Marks a link as ending; false when it is not stored. */
  end(name: string): Promise<boolean>;
  /** Forgets a link that is ending, with its gateway's state; the journal stays until it expires. */
  remove(name: string): Promise<void>;
  /** Remembers what a run said; only for a link that is still stored. */
  saveRun(name: string, summary: RunSummary): Promise<void>;
  /**
   * Claims the right to write a link's mirrors for this deployment, by AWS's clock. Undefined: somebody else has it, or the link is
   * not stored any more (a late message must not bring it back).
   */
  claim(name: string, holder: string, seconds: number): Promise<Claim | undefined>;
}

export interface Claim {
  readonly fence: number; // grows with every claim of this link
  release(): Promise<void>;
}

export interface Journal {
  append(entries: readonly JournalEntry[]): Promise<void>;
  /** The newest entries of a link, newest first. */
  recent(link: string, limit: number): Promise<readonly JournalEntry[]>;
}

export interface QueueMessage<T> {
  readonly body: T;
  readonly delaySeconds?: number; // 0 to 900
}

/** At least once, in any order. A message carries keys only: whoever receives it reads everything anew. */
export interface Queue<T> {
  send(messages: readonly QueueMessage<T>[]): Promise<void>;
}
