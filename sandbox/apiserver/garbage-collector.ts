// Plays the garbage-collector-controller, in the background way only: what all owners of are gone goes too.
import type { Core } from './core.ts';
import { clone } from './json.ts';
import { RESOURCES } from './resources/registry.ts';
import { groupVersion } from './storage/entry.ts';
import type { Entry } from './storage/entry.ts';
import type { StoreEvent } from './storage/collection.ts';
import type { OwnerReference, ResourceType } from './types.ts';
import { deleteObject } from './verbs/delete.ts';
import { replaceObject } from './verbs/update.ts';
import type { Target, WriteOptions } from './verbs/target.ts';

const OPTIONS: WriteOptions = {
  manager: 'kube-controller-manager',
  dryRun: false,
  fieldValidation: 'Ignore',
  warn: () => undefined,
};

/**
 * Works at once after each deletion, and after each write of an object with owners: one whose owner is already gone goes as well.
 * Owners are told by their UID; the deletion options Orphan and Foreground are not played.
 */
export function startGarbageCollector(core: Core): void {
  for (const { resource } of RESOURCES) core.store.subscribe(resource, (event) => collect(core, event));
}

function collect(core: Core, { type, entry }: StoreEvent): void {
  if (type !== 'DELETED') {
    settle(core, entry);
    return;
  }
  const { uid } = entry.object.metadata;
  for (const { resource } of RESOURCES) {
    for (const dependent of core.store.list(resource)) {
      if (ownersOf(dependent).some((owner) => owner.uid === uid)) settle(core, dependent);
    }
  }
}

const ownersOf = ({ object }: Entry): readonly OwnerReference[] => object.metadata.ownerReferences ?? [];

/** Deletes an object without a living owner; one with both kinds forgets those that are gone. */
function settle(core: Core, { type, namespace, object }: Entry): void {
  const { name } = object.metadata;
  // What has been deleted or changed meanwhile has had its own turn.
  const current = core.store.get(type.resource, { namespace, name });
  if (current?.object !== object || object.metadata.deletionTimestamp !== undefined) return;
  const owners = ownersOf(current);
  const living = owners.filter((owner) => isLiving(core, namespace, owner));
  if (living.length === owners.length) return;
  const target: Target = { type, version: type.versions[0] ?? '', namespace, name, subresource: '' };
  if (living.length === 0) {
    deleteObject(core, target, { dryRun: false });
    return;
  }
  const metadata = { ...object.metadata, ownerReferences: living };
  replaceObject(core, target, clone({ ...object, metadata }), OPTIONS);
}

/** Owners of a kind that this server does not know count as living, as the real one cannot tell either. */
function isLiving(core: Core, dependent: string, { apiVersion, kind, name, uid }: OwnerReference): boolean {
  const type = RESOURCES.find((candidate) => candidate.kind === kind && serves(candidate, apiVersion));
  if (type === undefined) return true;
  const namespace = type.namespaced ? dependent : '';
  return core.store.get(type.resource, { namespace, name })?.object.metadata.uid === uid;
}

const serves = (type: ResourceType, apiVersion: string): boolean =>
  type.versions.some((version) => groupVersion(type, version) === apiVersion);
