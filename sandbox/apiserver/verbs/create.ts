// POST: creates an object, in the order of steps of a real API server.
import { toTime } from '../clock.ts';
import type { Core } from '../core.ts';
import { emptyObject } from '../core.ts';
import { ownFields } from '../fields/managed-fields.ts';
import { clone } from '../json.ts';
import { StatusError, alreadyExists, badRequest, invalid, plainError } from '../status.ts';
import { Entry, keyOf } from '../storage/entry.ts';
import type { KubeObject } from '../types.ts';
import { admitCreate } from './admission.ts';
import { dropRepeatedOwners } from './owners.ts';
import { apiVersionOf, kindOf, resourceOf } from './target.ts';
import type { Target, WriteOptions } from './target.ts';

/** Tries of a generateName before giving up. */
const NAME_ATTEMPTS = 8;
/** Without vowels and look-alikes, so that no words come out. */
const NAME_LETTERS = 'bcdfghjklmnpqrstvwxz2456789';
const SYSTEM_FIELDS = [
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;

export function createObject(core: Core, target: Target, object: KubeObject, options: WriteOptions): Entry {
  const { metadata } = object;
  for (const field of SYSTEM_FIELDS) delete metadata[field];
  matchNamespace(target, object);
  dropRepeatedOwners(object, options);
  writeOwners(core, target, object, options);
  admitCreate(core, target, metadata.name);
  const attempts = metadata.name === '' && metadata.generateName !== undefined ? NAME_ATTEMPTS : 1;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return storeNew(core, target, clone(object), options);
    } catch (error) {
      const taken = error instanceof StatusError && error.status.reason === 'AlreadyExists';
      if (!taken || attempt >= attempts) throw error;
    }
  }
}

/** The object's namespace is the URL's; an empty one takes it over. */
export function matchNamespace({ type, namespace }: Target, { metadata }: KubeObject): void {
  if (!type.namespaced) {
    delete metadata.namespace;
    return;
  }
  if ((metadata.namespace ?? namespace) !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  metadata.namespace = namespace;
}

function writeOwners(core: Core, target: Target, object: KubeObject, options: WriteOptions): void {
  ownFields({
    schema: target.type.schema,
    live: emptyObject(target.type),
    object,
    manager: options.manager,
    apiVersion: apiVersionOf(target),
    subresource: target.subresource,
    reset: target.type.strategy.resetFields[target.subresource] ?? [],
    now: core.clock.now(),
  });
}

function generatedName(prefix: string): string {
  const letters = Array.from(
    { length: 5 },
    () => NAME_LETTERS[Math.floor(Math.random() * NAME_LETTERS.length)] ?? '',
  );
  return `${prefix.slice(0, 58)}${letters.join('')}`;
}

function storeNew(core: Core, target: Target, object: KubeObject, options: WriteOptions): Entry {
  const { strategy } = target.type;
  const { metadata } = object;
  metadata.uid = core.uid();
  metadata.creationTimestamp = toTime(core.clock.now());
  if (metadata.name === '' && metadata.generateName !== undefined) {
    metadata.name = generatedName(metadata.generateName);
  }
  const allocation = strategy.allocate(core, object, undefined);
  try {
    validateNew(target, object, options);
    checkStorable(core, target, object);
  } catch (error) {
    allocation.revert();
    throw error;
  }
  if (options.dryRun) {
    allocation.revert();
    return new Entry(target.type, object, 0);
  }
  allocation.commit();
  return core.store.put(target.type.resource, object);
}

function validateNew(target: Target, object: KubeObject, options: WriteOptions): void {
  const { strategy } = target.type;
  strategy.prepareForCreate(object);
  const errors = strategy.validateCreate(object);
  if (errors.length > 0) throw invalid(kindOf(target), object.metadata.name, errors);
  for (const warning of strategy.warnings(object, undefined)) options.warn(warning);
  strategy.canonicalize(object);
}

function checkStorable(core: Core, target: Target, object: KubeObject): void {
  const { name, resourceVersion = '' } = object.metadata;
  if (resourceVersion !== '' && resourceVersion !== '0') {
    throw plainError('resourceVersion should not be set on objects to be created');
  }
  const existing = core.store.get(target.type.resource, keyOf(object));
  if (existing === undefined) return;
  const error = alreadyExists(resourceOf(target), name);
  if (existing.object.metadata.deletionTimestamp === undefined) throw error;
  const message = `object is being deleted: ${error.message}`;
  throw new StatusError(error.code, 'AlreadyExists', message, error.status.details);
}
