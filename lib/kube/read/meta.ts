// ObjectMeta: names, labels, annotations, and which of those keys we may drop.
import { FIELD_MANAGER, LINKERD_FIELD_MANAGER } from '../../model/labels.ts';
import type { Meta, StringMap } from '../../model/objects.ts';
import { timeOf } from '../../model/microtime.ts';
import { type Raw, listOf } from './json.ts';

export interface RawObject {
  readonly metadata?: RawMeta | null;
}

export type RawMeta = Raw<{
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly labels: StringMap;
  readonly annotations: StringMap;
  readonly creationTimestamp: string;
  readonly deletionTimestamp: string;
  readonly managedFields: readonly ManagedFields[];
  readonly ownerReferences: readonly Raw<{ readonly uid: string }>[];
}>;

/** One manager's fields (FieldsV1): nested keys `f:<field>`, with `.` for a field itself. */
type ManagedFields = Raw<{
  readonly manager: string;
  readonly subresource: string;
  readonly fieldsV1: {
    readonly 'f:metadata'?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    readonly 'f:spec'?: Readonly<Record<string, unknown>>;
  };
}>;

export function readMeta({ metadata }: RawObject): Meta {
  const raw = metadata ?? {};
  const managed = listOf(raw.managedFields);
  return {
    namespace: raw.namespace ?? '',
    name: raw.name ?? '',
    uid: raw.uid ?? '',
    resourceVersion: raw.resourceVersion ?? '',
    labels: raw.labels ?? {},
    annotations: raw.annotations ?? {},
    droppable: {
      labels: droppableKeys(managed, 'f:labels'),
      annotations: droppableKeys(managed, 'f:annotations'),
    },
    createdAt: timeOf(raw.creationTimestamp),
    deleting: raw.deletionTimestamp !== undefined && raw.deletionTimestamp !== null,
  };
}

/** A key that somebody else applied too, with the same value, is theirs as well: dropping it would undo their work. */
function droppableKeys(managed: readonly ManagedFields[], map: 'f:labels' | 'f:annotations'): string[] {
  const ours = keysOf(managed.filter(isOurs), map);
  const theirs = new Set(
    keysOf(
      managed.filter((entry) => !isOurs(entry)),
      map,
    ),
  );
  return ours.filter((key) => !theirs.has(key)).sort();
}

/** Whether this product set a field of the spec, and nobody else since. */
export const managesSpec = ({ metadata }: RawObject, field: string): boolean =>
  listOf(metadata?.managedFields).some(
    ({ manager, fieldsV1 }) =>
      manager === FIELD_MANAGER && Object.hasOwn(fieldsV1?.['f:spec'] ?? {}, `f:${field}`),
  );

/** Linkerd's controller counts as us: its mirrors are taken over. What a subresource wrote is never an ordinary key of ours. */
const isOurs = ({ manager, subresource }: ManagedFields): boolean =>
  (manager === FIELD_MANAGER || manager === LINKERD_FIELD_MANAGER) && (subresource ?? '') === '';

const keysOf = (entries: readonly ManagedFields[], map: string): string[] => {
  const fields = entries.flatMap((entry) => Object.keys(entry.fieldsV1?.['f:metadata']?.[map] ?? {}));
  return [...new Set(fields.filter((field) => field.startsWith('f:')).map((field) => field.slice(2)))];
};
