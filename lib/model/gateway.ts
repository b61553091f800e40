// The gateway as the core sees it: what its Service declares, what is remembered of its names, and what is published. Times here
// are seconds since the epoch, as TTLs are seconds.
import type { ObjectKey } from './keys.ts';
import type { Liveness } from './liveness.ts';
import type { Family } from './objects.ts';
import type { Refusal } from './plan.ts';

/** ready: takes traffic; draining: left DNS a moment ago; down: DNS has been silent for too long to trust it. */
export type AddressState = 'ready' | 'draining' | 'down';

export interface AddressEntry {
  readonly state: AddressState;
  readonly misses: number; // independent answers in a row that did not hold it
  readonly missingSince?: number; // when the first of these came
  readonly returns: readonly number[]; // when it came back after being missing
  readonly streak: number; // answers in a row that held it
}

/** An address that the filter did not let through. */
export interface RefusedAddress {
  readonly address: string; // as it was given
  readonly why: string;
}

export const RECORD_STATES = ['PENDING', 'FRESH', 'STALE', 'SUSPECT', 'WITHDRAWN', 'FAILED'] as const;
export type RecordState = (typeof RECORD_STATES)[number];

/** Memory of one (link, hostname, family). */
export interface GatewayRecord {
  readonly hostname: string;
  readonly family: Family;
  readonly state: RecordState;
  readonly addresses: Readonly<Record<string, AddressEntry>>;
  readonly lastGoodAt?: number;
  readonly expiresAt?: number; // when the last good answer's TTL ended
  readonly copyExpiry?: number; // when the resolver's copy of the last answer ends, unclamped
  readonly failCount: number;
  readonly failSince?: number;
  readonly negCount: number; // independent "nothing" answers in a row
  readonly negSince?: number;
  readonly negExpiry?: number; // when the copy of the first of them ends
  readonly returnEvents: readonly { readonly at: number; readonly addresses: readonly string[] }[];
  readonly rotatingUntil?: number;
  readonly nextCheckAt: number;
  readonly lastError?: string;
  readonly refused?: readonly RefusedAddress[]; // what the filter refused of the last answer that held addresses
  /** When the hostname left the gateway's status; absent while it is there. */
  readonly departedAt?: number;
}

export interface GatewayProbe {
  readonly port: number;
  readonly path: string;
  readonly timeout: number; // seconds
  readonly anyAnswer: boolean;
}

/** All that is remembered of one link's gateway between runs. */
export interface GatewayState {
  readonly schema: 1;
  readonly targetUid?: string; // the cluster the link was made for
  readonly identity?: string; // the last accepted gateway identity
  /** The rules of the address filter at the last reconcile: a refresh, which reads no cluster, filters by them. */
  readonly guarded?: {
    readonly allowedCIDRs: readonly string[];
    readonly serviceRanges: readonly string[];
    readonly apiServers: readonly string[];
  };
  /** Of the published addresses, as far as they were probed. */
  readonly liveness?: Liveness;
  /** How the gateway was last probed: other links ask it whether our own network is to blame. */
  readonly probe?: GatewayProbe;
  readonly records: readonly GatewayRecord[];
  /** Literal addresses of the gateway's status; they are always fresh and leave by the same rule as a hostname. */
  readonly literals: Readonly<Record<string, { readonly departedAt?: number }>>;
  /** Names of availability zones by address, as far as AWS was asked. */
  readonly zones?: Readonly<Record<string, string>>;
  /** Since when what is published is as it is; absent where no change of it was seen yet. */
  readonly published?: PublishedSince;
}

/** When the published addresses last changed, and when each of them came into its state, where that was seen. */
export interface PublishedSince {
  readonly changedAt: number;
  readonly since: Readonly<Record<string, number>>;
}

export const EMPTY_GATEWAY_STATE: GatewayState = { schema: 1, records: [], literals: {} };

export interface PublishedAddress {
  readonly ip: string; // canonical text
  readonly family: Family;
  readonly state: AddressState;
  readonly zone?: string; // name of the availability zone it is in, where that is known
}

/** What the gateway Service (or the link's pins) declares, before any name is resolved. */
export interface GatewayDeclaration {
  readonly key: ObjectKey; // of the gateway Service
  readonly hostnames: readonly string[]; // canonical: lower case, no trailing dot; only acceptable ones
  readonly literals: readonly string[]; // IP addresses as they stand in the status
  readonly port: number; // for endpoints of mirrors; 0: neither declared nor pinned, a refusal says so
  readonly probePort: number | undefined;
  readonly identity: string; // '' when the Service declares none
  readonly createdAt: number | undefined; // of the Service, in seconds, for the first-look delay
  readonly refusals: readonly Refusal[];
}

/** What desired objects are built from. */
export interface GatewayView {
  readonly addresses: readonly PublishedAddress[]; // sorted by number, unique; dead ones are down
  /** The same before liveness had its say: what the gateway mirror lists, or a dead gateway could never be probed again. */
  readonly resolved: readonly PublishedAddress[];
  readonly port: number | undefined; // undefined: neither the gateway Service nor the link says which
  readonly probePort: number | undefined; // likewise
  readonly identity: string; // '' = write no annotation
}
