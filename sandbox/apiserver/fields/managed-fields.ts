// metadata.managedFields: who owns which field after a create, an update or a patch (server-side apply is not served).
import { toTime } from '../clock.ts';
import { equal } from '../json.ts';
import type { ObjectSchema } from '../schema/schema.ts';
import type { KubeObject, ManagedFieldsEntry } from '../types.ts';
import { compare } from './compare.ts';
import type { Comparison } from './compare.ts';
import {
  difference,
  emptySet,
  insert,
  isEmptySet,
  parseSet,
  printSet,
  union,
  withoutFields,
} from './field-set.ts';
import type { FieldSet } from './field-set.ts';

/** One write. */
export interface Write {
  readonly schema: ObjectSchema;
  /** The object before, or the empty object of the kind when it is created. */
  readonly live: KubeObject;
  /** The object as the writer wants it. */
  readonly object: KubeObject;
  readonly manager: string;
  readonly apiVersion: string;
  readonly subresource: string;
  /** Top-level fields that this write cannot set. */
  readonly reset: readonly string[];
  /** Milliseconds. */
  readonly now: number;
}

interface Owner {
  readonly entry: ManagedFieldsEntry;
  readonly fields: FieldSet;
}

/** Metadata that nobody owns. */
const UNOWNED: FieldSet = emptySet();
for (const path of [
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => ['metadata', name]),
]) {
  insert(
    UNOWNED,
    path.map((name) => `f:${name}`),
  );
}

/** Puts the entries after a write on its object; without any the field is left out. */
export function ownFields(write: Write): void {
  const entries = managedFieldsAfter(write);
  if (entries.length === 0) delete write.object.metadata.managedFields;
  else write.object.metadata.managedFields = entries;
}

/**
 * The entries after a write: fields that it sets or changes move to its manager, fields that it removes leave everybody.
 * The time of an entry moves only when its manager took a field.
 */
function managedFieldsAfter(write: Write): ManagedFieldsEntry[] {
  const before = startingOwners(write);
  // An object that exists without any entry is not tracked: only a create begins that.
  if (before.length === 0 && write.live.metadata.uid !== undefined) return [];
  const comparison = compare(write.schema, withoutManaged(write.live), withoutManaged(write.object));
  const counted = withoutReset(comparison, write.reset);
  const owners = before
    .map(({ entry, fields }) => ({ entry, fields: withoutLost(fields, counted) }))
    .filter(({ fields }) => !isEmptySet(fields));
  const taken = difference(union(counted.added, counted.modified), UNOWNED);
  if (!isEmptySet(taken)) take(owners, taken, write);
  return owners.map(toEntry).toSorted(byEntry);
}

/** Compares entries as the API server does when it asks whether a write changed anything: times do not count. */
export function sameButTimes(left: KubeObject, right: KubeObject): boolean {
  return equal(withoutTimes(left), withoutTimes(right));
}

function withoutTimes(object: KubeObject): unknown {
  const managedFields = object.metadata.managedFields?.map(({ time: _time, ...entry }) => entry);
  return { ...object, metadata: { ...object.metadata, managedFields } };
}

function withoutManaged(object: KubeObject): KubeObject {
  const { managedFields: _managed, ...metadata } = object.metadata;
  return { ...object, metadata };
}

const withoutReset = ({ added, removed, modified }: Comparison, reset: readonly string[]): Comparison => ({
  added: withoutFields(added, reset),
  removed: withoutFields(removed, reset),
  modified: withoutFields(modified, reset),
});

const withoutLost = (fields: FieldSet, { added, removed, modified }: Comparison): FieldSet =>
  difference(difference(fields, union(added, modified)), removed);

/** Entries that the writer sent replace the live ones (an empty list clears them), except through a subresource. */
function startingOwners({ live, object, subresource }: Write): Owner[] {
  const sent = object.metadata.managedFields;
  if (subresource === '' && sent !== undefined) {
    if (isReset(sent)) return [];
    return sent.map(toOwner);
  }
  return (live.metadata.managedFields ?? []).map(toOwner);
}

const isReset = (entries: readonly ManagedFieldsEntry[]): boolean =>
  entries.length === 0 || (entries.length === 1 && Object.keys(entries[0] ?? {}).length === 0);

const toOwner = (entry: ManagedFieldsEntry): Owner => ({ entry, fields: parseSet(entry.fieldsV1 ?? {}) });

function take(owners: Owner[], taken: FieldSet, write: Write): void {
  const index = owners.findIndex(({ entry }) => isEntryOf(entry, write));
  const before = owners[index];
  const entry: ManagedFieldsEntry = {
    manager: write.manager,
    operation: 'Update',
    apiVersion: write.apiVersion,
    time: toTime(write.now),
    fieldsType: 'FieldsV1',
    ...(write.subresource === '' ? {} : { subresource: write.subresource }),
  };
  if (before === undefined) owners.push({ entry, fields: taken });
  else owners[index] = { entry, fields: union(before.fields, taken) };
}

const isEntryOf = (entry: ManagedFieldsEntry, { manager, apiVersion, subresource }: Write): boolean =>
  entry.operation === 'Update' &&
  entry.manager === manager &&
  entry.apiVersion === apiVersion &&
  (entry.subresource ?? '') === subresource;

const toEntry = ({ entry, fields }: Owner): ManagedFieldsEntry => {
  const { subresource, ...rest } = entry;
  const printed = { ...rest, fieldsV1: printSet(fields) };
  return subresource === undefined ? printed : { ...printed, subresource };
};

/** Operation, time, manager, apiVersion, subresource. */
function byEntry(left: ManagedFieldsEntry, right: ManagedFieldsEntry): number {
  for (const key of ['operation', 'time', 'manager', 'apiVersion', 'subresource'] as const) {
    const [a, b] = [left[key] ?? '', right[key] ?? ''];
    if (a !== b) return a < b ? -1 : 1;
  }
  return 0;
}
