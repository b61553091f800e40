// A plan and what becomes of it: changes, refusals, outcomes. Plain data that prints as JSON before any call is made.
import type { ObjectKey } from './keys.ts';
import type { Family, Manifest } from './objects.ts';

/** Reasons of refusals: the first row is Linkerd's (Link.status), the others are ours. */
export const REASONS = [
  'InvalidService',
  'MissingNamespace',
  'Error',
  'NameTooLong',
  'NameConflict',
  'HeldBy',
  'WrongCluster',
  'IdentityChanged',
  'NamespaceDenied',
  'Paused',
  'NotOwned',
  'Unobserved',
  'NoGatewayAddress',
  'GatewayUnresolved',
  'AddressRefused',
  'DeleteBrake',
  'Deadline',
  'Unsupported',
] as const;
export type Reason = (typeof REASONS)[number];

/** Something that was declined or could not be decided: data for the report, not a log line. */
export interface Refusal extends ObjectKey {
  readonly reason: Reason;
  readonly message: string; // names object, field, expected and found
  /** Of the one pod of a headless Service that is meant; absent: the whole is. */
  readonly hostname?: string;
}

/** A cluster or list that could not be read completely: yields no deletes and empties nothing. */
export interface Unobserved {
  readonly what: string; // e.g. "target EndpointSlices"
  readonly message: string;
}

export type WrittenKind = 'Namespace' | 'Service' | 'Endpoints' | 'EndpointSlice';

/**
 * Stands in a body where the address of a Service belongs that an earlier change creates, or whose endpoints one does. A list entry
 * that holds one is left out when a change of that Service was not applied.
 */
export interface ClusterIPOf {
  readonly clusterIPOf: ObjectKey;
  readonly family: Family;
  readonly ip?: string; // where it is known already
}

/**
 * The changes of one mirror start stage by stage, the parts of a stage side by side. Only a headless mirror needs more than the first:
 *
 *   0 the root's Service   1 the endpoint mirrors of pods that are listed   2 the root's list   3 what no entry points to any more
 */
export type Stage = 0 | 1 | 2 | 3;

interface ChangeBase extends ObjectKey {
  readonly kind: WrittenKind;
  /** Why, for people: `label tier: a → b`. */
  readonly reasons: readonly string[];
  /** The mirror Service it belongs to (a Namespace: itself); that of an endpoint mirror is its root. Mirrors are written side by side. */
  readonly mirror: ObjectKey;
  /** The Service of a headless mirror it belongs to; absent: the mirror itself. Changes of one part run one after the other. */
  readonly part?: ObjectKey;
  readonly stage?: Stage; // absent: 0
  /** Do not start unless every earlier change of its part, and of the mirror itself, was applied. */
  readonly needsEarlier: boolean;
  /** Do not start when other parts were written before and none of them is whole: what stands there serves better than what would follow. */
  readonly needsOnePart?: true;
}
/** The mirror Service that owns an object; its UID is known only after it was created. */
export interface Owner {
  readonly name: string;
  readonly uid: string | undefined;
}
export interface Create extends ChangeBase {
  readonly action: 'create';
  readonly body: Manifest;
  readonly ownedBy?: Owner; // becomes metadata.ownerReferences
}
export interface Update extends ChangeBase {
  readonly action: 'update';
  readonly patch: Manifest; // JSON merge patch, without resourceVersion
  readonly ownedBy?: Owner; // becomes metadata.ownerReferences
  readonly uid: string;
  readonly resourceVersion: string; // it was decided on; becomes the precondition
}
export interface Delete extends ChangeBase {
  readonly action: 'delete';
  readonly uid: string;
  readonly resourceVersion: string;
}
export type Change = Create | Update | Delete;

export interface Plan {
  readonly changes: readonly Change[]; // in the order in which they start
  readonly refusals: readonly Refusal[];
  readonly unobserved: readonly Unobserved[];
  readonly notes: readonly string[]; // what a person should know, though nothing is refused
}

export type Result = 'applied' | 'failed' | 'skipped';

export interface Outcome {
  readonly change: Change;
  readonly result: Result;
  readonly message?: string;
}

export interface RequestCounts {
  readonly reads: number; // GET requests
  readonly writes: number; // POST, PATCH, PUT, DELETE, Leases apart
  readonly leases: number; // every request for a Lease
  readonly bytes: number; // bodies received, as sent by the server before decompression
}
