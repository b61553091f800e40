// The nouns of the embedded API server: objects, kinds of resources and what a kind decides about its objects.
import type { Clock } from './clock.ts';
import type { FieldError } from './field-errors.ts';
import type { JsonObject } from './json.ts';
import type { ObjectSchema } from './schema/schema.ts';

export interface ManagedFieldsEntry {
  manager?: string;
  operation?: string;
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: JsonObject;
  subresource?: string;
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ObjectMeta {
  name: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
}

/** Any object as it is stored: without apiVersion and kind, which belong to the answer that carries it. */
export interface KubeObject {
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** '' is the object itself. */
export type Subresource = '' | 'status' | 'finalize';

export interface Key {
  /** '' for objects without a namespace. */
  readonly namespace: string;
  readonly name: string;
}

export type Family = 'IPv4' | 'IPv6';

/** Addresses for Services. Its methods throw AllocationError when there is none to have. */
export interface ClusterIps {
  /** Configured families, the primary one first. */
  readonly families: readonly Family[];
  readonly cidrs: readonly string[];
  /** The first address of the primary range, which Service default/kubernetes has. */
  readonly first: string;
  next(family: Family): string;
  take(ip: string): void;
  release(ip: string): void;
}

/** Node ports for Services. Its methods throw AllocationError when there is none to have. */
export interface NodePorts {
  next(): number;
  take(port: number): void;
  release(port: number): void;
}

/** What the strategies may use of the cluster around them. */
export interface Cluster {
  readonly store: {
    get(resource: string, key: Key): unknown;
    remove(resource: string, key: Key): unknown;
  };
  readonly clock: Clock;
  readonly clusterIps: ClusterIps;
  readonly nodePorts: NodePorts;
}

/** Allocations made for a write: kept when it succeeds, given back when it does not. */
export interface Transaction {
  commit(): void;
  revert(): void;
}

export interface UpdateOf {
  readonly object: KubeObject;
  readonly old: KubeObject;
  readonly subresource: Subresource;
}

/** What one kind decides. The names follow the steps of a real API server's write path. */
export interface Strategy {
  /** A PUT of a name that does not exist creates it. */
  readonly allowCreateOnUpdate: boolean;
  /** A PUT without resourceVersion overwrites whatever is there. */
  readonly allowUnconditionalUpdate: boolean;
  /** DELETE answers with the object instead of a Status. */
  readonly returnDeletedObject: boolean;
  /** Top-level fields that a write through this subresource cannot set. */
  readonly resetFields: Readonly<Partial<Record<Subresource, readonly string[]>>>;
  /** Static defaults, part of reading a request: their fields belong to the writer. */
  setDefaults(object: KubeObject): void;
  /** Allocation and defaults that depend on the cluster: their fields belong to nobody. */
  allocate(cluster: Cluster, object: KubeObject, old: KubeObject | undefined): Transaction;
  prepareForCreate(object: KubeObject): void;
  prepareForUpdate(update: UpdateOf): void;
  validateCreate(object: KubeObject): FieldError[];
  validateUpdate(update: UpdateOf): FieldError[];
  canonicalize(object: KubeObject): void;
  warnings(object: KubeObject, old: KubeObject | undefined): string[];
  selectableFields(object: KubeObject): Readonly<Record<string, string>>;
  afterDelete(cluster: Cluster, object: KubeObject): void;
}

/** One kind of resource and where it is served. */
export interface ResourceType {
  readonly group: string;
  readonly versions: readonly string[];
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly subresources: readonly Exclude<Subresource, ''>[];
  readonly schema: ObjectSchema;
  readonly strategy: Strategy;
  /** Defined by a CustomResourceDefinition: list items carry their kind, no strategic merge patch. */
  readonly custom: boolean;
  /** Sent as a Warning with every request. */
  readonly deprecation?: string;
}
