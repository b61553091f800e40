// PUT and PATCH: changes an object, in the order of steps of a real API server.
import type { Core } from '../core.ts';
import { ownFields, sameButTimes } from '../fields/managed-fields.ts';
import { clone, equal } from '../json.ts';
import { invalidValue } from '../field-errors.ts';
import { NOTHING_ALLOCATED } from '../resources/base.ts';
import { asNamespace } from '../resources/namespace.ts';
import { OBJECT_MODIFIED, badRequest, conflict, invalid, notFound, plainError } from '../status.ts';
import { Entry, keyOf } from '../storage/entry.ts';
import type { KubeObject } from '../types.ts';
import { validateMetadata, validateMetadataUpdate } from '../validation/metadata.ts';
import { isPathSegment } from '../validation/names.ts';
import { createObject, matchNamespace } from './create.ts';
import { dropRepeatedOwners } from './owners.ts';
import { apiVersionOf, keyOfTarget, kindOf, resourceOf } from './target.ts';
import type { Target, WriteOptions } from './target.ts';

export interface Updated {
  readonly entry: Entry;
  readonly created: boolean;
}

/** PUT. @throws StatusError */
export function replaceObject(
  core: Core,
  target: Target,
  object: KubeObject,
  options: WriteOptions,
): Updated {
  matchNamespace(target, object);
  checkName(target, object);
  dropRepeatedOwners(object, options);
  const live = core.store.get(target.type.resource, keyOfTarget(target));
  if (live === undefined) {
    if (!target.type.strategy.allowCreateOnUpdate || target.subresource !== '') {
      throw notFound(resourceOf(target), target.name);
    }
    return { entry: createByPut(core, target, object, options), created: true };
  }
  const { uid } = object.metadata;
  if (uid !== undefined && uid !== live.object.metadata.uid) {
    throw conflict(resourceOf(target), target.name, uidMismatch(target, uid, live.object.metadata.uid ?? ''));
  }
  return { entry: updateObject(core, target, { object, live }, options), created: false };
}

/** PATCH: the change is made on a copy of the live object. @throws StatusError */
export function patchObject(
  core: Core,
  target: Target,
  patch: (live: Entry) => KubeObject,
  options: WriteOptions,
): Updated {
  const live = core.store.get(target.type.resource, keyOfTarget(target));
  if (live === undefined) throw notFound(resourceOf(target), target.name);
  const object = patch(live);
  matchNamespace(target, object);
  checkName(target, object);
  dropRepeatedOwners(object, options, ' after mutating admission happens');
  return { entry: updateObject(core, target, { object, live }, options), created: false };
}

/** The real message is that of its storage, down to the key in etcd. */
function uidMismatch({ type, namespace, name }: Target, wanted: string, actual: string): string {
  const place = type.custom
    ? `${type.group}/${type.resource}`
    : (STORAGE_PLACES[type.resource] ?? type.resource);
  const key = ['/registry', place, namespace, name].filter((part) => part !== '').join('/');
  return `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${actual}`;
}

/** Where the kinds whose place is not their resource's name are kept. */
const STORAGE_PLACES: Readonly<Record<string, string>> = {
  services: 'services/specs',
  endpoints: 'services/endpoints',
};

function createByPut(core: Core, target: Target, object: KubeObject, options: WriteOptions): Entry {
  const { uid } = object.metadata;
  if (uid !== undefined) throw conflict(resourceOf(target), target.name, uidMismatch(target, uid, ''));
  delete object.metadata.resourceVersion;
  return createObject(core, target, object, options);
}

function checkName({ name }: Target, { metadata }: KubeObject): void {
  if (metadata.name === name) return;
  if (metadata.name === '') {
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  }
  throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
}

interface Change {
  readonly object: KubeObject;
  readonly live: Entry;
}

function updateObject(core: Core, target: Target, { object, live }: Change, options: WriteOptions): Entry {
  const old = live.object;
  writeOwners(core, target, { object, live }, options);
  checkVersion(target, { object, live });
  // A status write allocates nothing.
  const allocation =
    target.subresource === '' ? target.type.strategy.allocate(core, object, clone(old)) : NOTHING_ALLOCATED;
  try {
    validateChange(target, { object, live }, options);
  } catch (error) {
    allocation.revert();
    throw error;
  }
  if (options.dryRun) {
    allocation.revert();
    return new Entry(target.type, object, live.revision);
  }
  allocation.commit();
  return storeChange(core, target, { object, live });
}

function writeOwners(core: Core, target: Target, { object, live }: Change, options: WriteOptions): void {
  ownFields({
    schema: target.type.schema,
    live: live.object,
    object,
    manager: options.manager,
    apiVersion: apiVersionOf(target),
    subresource: target.subresource,
    reset: target.type.strategy.resetFields[target.subresource] ?? [],
    now: core.clock.now(),
  });
}

function checkVersion(target: Target, { object, live }: Change): void {
  const { resourceVersion = '' } = object.metadata;
  const current = live.object.metadata.resourceVersion ?? '';
  if (!/^\d*$/.test(resourceVersion)) {
    throw plainError(`strconv.ParseUint: parsing "${resourceVersion}": invalid syntax`);
  }
  if (resourceVersion !== '' && resourceVersion !== '0') {
    if (resourceVersion !== current) throw conflict(resourceOf(target), target.name, OBJECT_MODIFIED);
  } else if (!target.type.strategy.allowUnconditionalUpdate) {
    const problem = invalidValue('metadata.resourceVersion', 0, 'must be specified for an update');
    throw invalid(resourceOf(target), target.name, [problem]);
  }
  object.metadata.resourceVersion = current;
}

function validateChange(target: Target, { object, live }: Change, options: WriteOptions): void {
  const { strategy } = target.type;
  const old = live.object;
  restoreMetadata(object, old);
  const update = { object, old, subresource: target.subresource };
  strategy.prepareForUpdate(update);
  // Checked for all kinds, and again by those that check their metadata: the real one counts both.
  const errors = [
    ...validateMetadata(object.metadata, target.type.namespaced, isPathSegment),
    ...validateMetadataUpdate(object.metadata, old.metadata),
    ...strategy.validateUpdate(update),
  ];
  if (errors.length > 0) throw invalid(kindOf(target), object.metadata.name, errors);
  for (const warning of strategy.warnings(object, old)) options.warn(warning);
  strategy.canonicalize(object);
}

/** What a writer cannot change, or may leave out. */
function restoreMetadata({ metadata }: KubeObject, { metadata: old }: KubeObject): void {
  if (old.generation === undefined) delete metadata.generation;
  else metadata.generation = old.generation;
  if (old.uid !== undefined) metadata.uid ??= old.uid;
  if (old.creationTimestamp !== undefined) metadata.creationTimestamp = old.creationTimestamp;
  if (old.deletionTimestamp !== undefined) metadata.deletionTimestamp = old.deletionTimestamp;
  if (old.deletionGracePeriodSeconds !== undefined) {
    metadata.deletionGracePeriodSeconds ??= old.deletionGracePeriodSeconds;
  }
}

/** A write that changes nothing keeps the stored version; one that empties the finalizers of a dying object ends it. */
function storeChange(core: Core, target: Target, { object, live }: Change): Entry {
  const { resource, strategy } = target.type;
  if (isFinished(target, object, live.object)) {
    core.store.remove(resource, keyOf(object));
    strategy.afterDelete(core, object);
    return new Entry(target.type, object, live.revision);
  }
  if (equal(object, live.object) || sameButTimes(object, live.object)) return live;
  return core.store.put(resource, object);
}

function isFinished(target: Target, object: KubeObject, old: KubeObject): boolean {
  if (old.metadata.deletionTimestamp === undefined || (object.metadata.finalizers ?? []).length > 0)
    return false;
  return target.type.resource !== 'namespaces' || (asNamespace(object).spec.finalizers ?? []).length === 0;
}
