// Plays the endpointslice-mirroring-controller: copies the Endpoints of Services without selector to EndpointSlices.
import type { Core } from './core.ts';
import { equal, trusted } from './json.ts';
import { MANAGED_BY, MIRRORING_CONTROLLER, SERVICE_NAME, slicesOf } from './mirroring-slices.ts';
import type { Endpoints } from './resources/endpoints.ts';
import type { EndpointSlice } from './resources/endpoint-slice.ts';
import { asNamespace } from './resources/namespace.ts';
import { resourceNamed } from './resources/registry.ts';
import { asService } from './resources/service-types.ts';
import { keyOf } from './storage/entry.ts';
import type { Key } from './types.ts';
import { createObject } from './verbs/create.ts';
import { deleteObject } from './verbs/delete.ts';
import { replaceObject } from './verbs/update.ts';
import type { Target, WriteOptions } from './verbs/target.ts';

const SKIP_MIRROR = 'endpointslice.kubernetes.io/skip-mirror';
const LEADER_ELECTION = 'control-plane.alpha.kubernetes.io/leader';
const OPTIONS: WriteOptions = {
  manager: 'kube-controller-manager',
  dryRun: false,
  fieldValidation: 'Ignore',
  warn: () => undefined,
};

/**
 * Works at once after each write of Endpoints, a Service or a copy, so that whoever wrote already sees the copies as they should
 * be.
 */
export function startMirroringController(core: Core): void {
  let working = false; // its own writes are no reason to look again
  const sync = (key: Key): void => {
    if (working) return;
    working = true;
    try {
      reconcile(core, key);
    } finally {
      working = false;
    }
  };
  for (const resource of ['endpoints', 'services'])
    core.store.subscribe(resource, ({ entry }) => sync(keyOf(entry.object)));
  core.store.subscribe('endpointslices', ({ entry, previous }) => {
    for (const copy of [previous, entry]) {
      const name = copy?.labels[SERVICE_NAME];
      if (copy?.labels[MANAGED_BY] === MIRRORING_CONTROLLER && name !== undefined)
        sync({ namespace: copy.namespace, name });
    }
  });
}

function reconcile(core: Core, key: Key): void {
  const copies = copiesOf(core, key);
  const endpoints = core.store.get('endpoints', key)?.object;
  const desired = endpoints !== undefined && isMirrored(core, endpoints) ? slicesOf(endpoints) : [];
  const unused = [...copies];
  for (const slice of desired) {
    const index = unused.findIndex(
      ({ addressType, ports }) => addressType === slice.addressType && equal(ports, slice.ports),
    );
    const [current] = index === -1 ? [] : unused.splice(index, 1);
    write(core, key.namespace, slice, current ?? recycled(unused, slice));
  }
  for (const { metadata } of unused)
    deleteObject(core, targetOf(key.namespace, metadata.name), { dryRun: false });
}

/** A copy that is no longer wanted takes the place of one to be created. */
function recycled(unused: EndpointSlice[], slice: EndpointSlice): EndpointSlice | undefined {
  const index = unused.findIndex(({ addressType }) => addressType === slice.addressType);
  return index === -1 ? undefined : unused.splice(index, 1)[0];
}

const copiesOf = (core: Core, { namespace, name }: Key): EndpointSlice[] =>
  core.store
    .list('endpointslices', namespace)
    .filter(({ labels }) => labels[SERVICE_NAME] === name && labels[MANAGED_BY] === MIRRORING_CONTROLLER)
    .map(({ object }) => trusted<EndpointSlice>(object));

function isMirrored(core: Core, { metadata }: Endpoints): boolean {
  if (metadata.labels?.[SKIP_MIRROR] === 'true' || metadata.annotations?.[LEADER_ELECTION] !== undefined)
    return false;
  const service = core.store.get('services', keyOf({ metadata }));
  return service !== undefined && asService(service.object).spec.selector === undefined;
}

function targetOf(namespace: string, name: string): Target {
  return { type: resourceNamed('endpointslices'), version: 'v1', namespace, name, subresource: '' };
}

function write(
  core: Core,
  namespace: string,
  slice: EndpointSlice,
  current: EndpointSlice | undefined,
): void {
  if (current === undefined) {
    if (isTerminating(core, namespace)) return; // nothing may be created there any more
    createObject(core, targetOf(namespace, ''), slice, OPTIONS);
    return;
  }
  const { name } = current.metadata;
  const { generateName: _none, ...metadata } = slice.metadata;
  replaceObject(core, targetOf(namespace, name), { ...slice, metadata: { ...metadata, name } }, OPTIONS);
}

function isTerminating(core: Core, name: string): boolean {
  const namespace = core.store.get('namespaces', { namespace: '', name })?.object;
  return namespace !== undefined && asNamespace(namespace).status.phase === 'Terminating';
}
