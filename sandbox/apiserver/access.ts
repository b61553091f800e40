// The objects of an embedded API server for code in the same process, without HTTP.
import type { Core } from './core.ts';
import { clone, isObject } from './json.ts';
import { resourceNamed } from './resources/registry.ts';
import { groupVersion } from './storage/entry.ts';
import type { Entry } from './storage/entry.ts';
import { createObject } from './verbs/create.ts';
import { decodeBody } from './verbs/decode-body.ts';
import { deleteObject } from './verbs/delete.ts';
import { replaceObject } from './verbs/update.ts';
import type { Target, WriteOptions } from './verbs/target.ts';
import type { KubeObject } from './types.ts';

/** Resources are named by their plural: services, endpoints, endpointslices, links, namespaces … */
export interface StoreAccess {
  /** A copy, with kind and apiVersion. */
  get(resource: string, namespace: string, name: string): KubeObject | undefined;
  /** Copies in key order; all namespaces when none is given. */
  list(resource: string, namespace?: string): KubeObject[];
  /** Creates or replaces, with defaults, allocation and validation. @throws StatusError */
  put(resource: string, object: object, manager?: string): KubeObject;
  /** @throws StatusError when there is none */
  delete(resource: string, namespace: string, name: string): void;
  /** Calls back after every write, whoever it was, before it is answered. */
  subscribe(listener: () => void): void;
  /** All objects by resource, to compare states with. */
  snapshot(): Record<string, KubeObject[]>;
  /** The resourceVersion of the last write. */
  readonly revision: number;
  /** Forgets the history, so that older resourceVersions and continue tokens are answered 410. */
  compact(): void;
}

export function storeAccess(core: Core, resources: readonly string[]): StoreAccess {
  const list = (resource: string, namespace = ''): KubeObject[] =>
    core.store.list(resource, namespace).map(copy);
  return {
    list,
    get(resource, namespace, name) {
      const entry = core.store.get(resource, { namespace, name });
      return entry === undefined ? undefined : copy(entry);
    },
    put: (resource, object, manager = 'in-process') => copy(put(core, resource, { object, manager })),
    delete(resource, namespace, name) {
      deleteObject(core, { ...targetOf(resource, namespace), name }, { dryRun: false });
    },
    subscribe(listener) {
      for (const resource of resources) core.store.subscribe(resource, listener);
    },
    snapshot: () => Object.fromEntries(resources.map((resource) => [resource, list(resource)])),
    get revision() {
      return core.store.revision;
    },
    compact: () => core.store.compact(),
  };
}

const copy = ({ type, object }: Entry): KubeObject => ({
  apiVersion: groupVersion(type, type.versions.at(-1) ?? ''),
  kind: type.kind,
  ...clone(object),
});

function targetOf(resource: string, namespace: string): Target {
  const type = resourceNamed(resource);
  return { type, version: type.versions.at(-1) ?? '', namespace, name: '', subresource: '' };
}

function put(core: Core, resource: string, { object, manager }: { object: object; manager: string }): Entry {
  const options: WriteOptions = { manager, dryRun: false, fieldValidation: 'Strict', warn: () => undefined };
  const metadata = isObject(object) && isObject(object.metadata) ? object.metadata : {};
  const namespace = typeof metadata.namespace === 'string' ? metadata.namespace : '';
  const name = typeof metadata.name === 'string' ? metadata.name : '';
  const target = targetOf(resource, namespace);
  const decoded = decodeBody(target, JSON.stringify(object), options);
  const exists = core.store.get(resource, { namespace, name }) !== undefined;
  if (!exists) return createObject(core, target, decoded, options);
  return replaceObject(core, { ...target, name }, decoded, options).entry;
}
