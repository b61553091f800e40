// From the API's JSON to the model, for every kind that the cluster port reads.
import type { Kind, ObjectOf } from '../../model/objects.ts';
import { readEndpoints } from './endpoints.ts';
import type { RawObject } from './meta.ts';
import { readLease, readNamespace, readServiceRange } from './others.ts';
import { readService } from './service.ts';
import { readSlice } from './slice.ts';

const READERS: { readonly [K in Kind]: (raw: RawObject) => ObjectOf[K] } = {
  Namespace: readNamespace,
  Service: readService,
  Endpoints: readEndpoints,
  EndpointSlice: readSlice,
  Lease: readLease,
  ServiceCIDR: readServiceRange,
};

/** Undefined: it is no object of the API. */
export const readObject = <K extends Kind>(kind: K, json: unknown): ObjectOf[K] | undefined =>
  isObject(json) ? READERS[kind](json) : undefined;

/** One page of a list, in the server's order. */
export interface ObjectPage<K extends Kind> {
  readonly items: readonly ObjectOf[K][];
  readonly next: string | undefined; // the position to go on from
}

/** Undefined: it is no list of the API. @param metadataOnly read nothing else, even when the server sent it all */
export function readPage<K extends Kind>(
  kind: K,
  json: unknown,
  metadataOnly: boolean,
): ObjectPage<K> | undefined {
  if (!isList(json)) return undefined;
  const read = READERS[kind];
  const items = (json.items ?? []).map((raw) => read(metadataOnly ? { metadata: raw.metadata ?? {} } : raw));
  const next = json.metadata.continue ?? '';
  return { items, next: next === '' ? undefined : next };
}

interface RawList {
  readonly metadata: { readonly continue?: string | null };
  readonly items: readonly RawObject[] | null;
}

const isRecord = (json: unknown): json is Readonly<Record<string, unknown>> =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

const isObject = (json: unknown): json is RawObject => isRecord(json) && isRecord(json['metadata']);

const isList = (json: unknown): json is RawList =>
  isRecord(json) &&
  isRecord(json['metadata']) &&
  (json['items'] === null || Array.isArray(json['items'])) &&
  String(json['kind']).endsWith('List');
