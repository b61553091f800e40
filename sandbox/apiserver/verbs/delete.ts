// DELETE of one object: preconditions, finalizers, and the two steps in which a namespace goes.
import { toTime } from '../clock.ts';
import type { Core } from '../core.ts';
import { asNamespace } from '../resources/namespace.ts';
import { conflict, deleted, notFound } from '../status.ts';
import type { Qualified, Status } from '../status.ts';
import { Entry } from '../storage/entry.ts';
import type { KubeObject } from '../types.ts';
import { admitDelete } from './admission.ts';
import { keyOfTarget, kindOf, resourceOf } from './target.ts';
import type { Target } from './target.ts';

export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** What DELETE answers with: the object where the kind says so or where finalizers hold it, else a Status. */
export type Deleted = { readonly entry: Entry } | { readonly status: Status };

export function deleteObject(core: Core, target: Target, options: DeleteOptions): Deleted {
  const entry = core.store.get(target.type.resource, keyOfTarget(target));
  if (entry === undefined) throw notFound(resourceOf(target), target.name);
  admitDelete(target);
  if (target.type.resource === 'namespaces') return deleteNamespace(core, target, { entry, options });
  checkPreconditions(kindOf(target), entry, options);
  if ((entry.object.metadata.finalizers ?? []).length > 0)
    return { entry: markDeleting(core, entry, options) };
  return removeNow(core, target, { entry, options });
}

interface Deletion {
  readonly entry: Entry;
  readonly options: DeleteOptions;
}

/** The words of this conflict name the kind, not the resource. */
function checkPreconditions(kind: Qualified, entry: Entry, { preconditions = {} }: DeleteOptions): void {
  const { name, uid = '', resourceVersion = '' } = entry.object.metadata;
  if (preconditions.uid !== undefined && preconditions.uid !== uid) {
    throw conflict(
      kind,
      name,
      `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
  }
  if (preconditions.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    throw conflict(
      kind,
      name,
      `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    );
  }
}

function removeNow(core: Core, target: Target, { entry, options }: Deletion): Deleted {
  const { resource, strategy } = target.type;
  const { name, uid = '' } = entry.object.metadata;
  const gone = options.dryRun ? entry : core.store.remove(resource, keyOfTarget(target));
  if (!options.dryRun) strategy.afterDelete(core, entry.object);
  return strategy.returnDeletedObject ? { entry: gone } : { status: deleted(resourceOf(target), name, uid) };
}

function markDeleting(core: Core, entry: Entry, { dryRun }: DeleteOptions): Entry {
  const { metadata } = entry.object;
  if (metadata.deletionTimestamp !== undefined) return entry;
  const marked: KubeObject = {
    ...entry.object,
    metadata: {
      ...metadata,
      ...(metadata.generation === undefined ? {} : { generation: metadata.generation + 1 }),
      deletionTimestamp: toTime(core.clock.now()),
      deletionGracePeriodSeconds: 0,
    },
  };
  return dryRun ? new Entry(entry.type, marked, entry.revision) : core.store.put(entry.type.resource, marked);
}

/** First to Terminating; later, when both kinds of finalizers are gone, for good. */
function deleteNamespace(core: Core, target: Target, { entry, options }: Deletion): Deleted {
  checkNamespacePreconditions(target, entry, options);
  const namespace = asNamespace(entry.object);
  if (namespace.metadata.deletionTimestamp === undefined) {
    const marked: KubeObject = {
      ...namespace,
      metadata: { ...namespace.metadata, deletionTimestamp: toTime(core.clock.now()) },
      status: { ...namespace.status, phase: 'Terminating' },
    };
    return {
      entry: options.dryRun
        ? new Entry(entry.type, marked, entry.revision)
        : core.store.put('namespaces', marked),
    };
  }
  const held = [...(namespace.spec.finalizers ?? []), ...(namespace.metadata.finalizers ?? [])].length > 0;
  return held ? { entry } : removeNow(core, target, { entry, options });
}

function checkNamespacePreconditions(
  target: Target,
  entry: Entry,
  { preconditions = {} }: DeleteOptions,
): void {
  const { name, uid = '', resourceVersion = '' } = entry.object.metadata;
  const failed = (what: string, wanted: string, actual: string): Error =>
    conflict(
      resourceOf(target),
      name,
      `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${actual}`,
    );
  if (preconditions.uid !== undefined && preconditions.uid !== uid)
    throw failed('UID', preconditions.uid, uid);
  if (preconditions.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    throw failed('ResourceVersion', preconditions.resourceVersion, resourceVersion);
  }
}
