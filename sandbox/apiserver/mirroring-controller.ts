// Plays the endpointslice-mirroring-controller: copies the Endpoints of Services without selector to EndpointSlices.
import type { Core } from './core.ts';
import { equal, trusted } from './json.ts';
import type { EndpointAddress, EndpointSubset, Endpoints } from './resources/endpoints.ts';
import type { EndpointSlice, SliceEndpoint, SlicePort } from './resources/endpoint-slice.ts';
import { resourceNamed } from './resources/registry.ts';
import { asService } from './resources/service-types.ts';
import { keyOf } from './storage/entry.ts';
import type { Key } from './types.ts';
import { familyOf, parseAddress, printAddress } from './validation/ip.ts';
import { createObject } from './verbs/create.ts';
import { deleteObject } from './verbs/delete.ts';
import { replaceObject } from './verbs/update.ts';
import type { Target, WriteOptions } from './verbs/target.ts';

const MIRRORING_CONTROLLER = 'endpointslicemirroring-controller.k8s.io';
const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
const SERVICE_NAME = 'kubernetes.io/service-name';
const SKIP_MIRROR = 'endpointslice.kubernetes.io/skip-mirror';
const LEADER_ELECTION = 'control-plane.alpha.kubernetes.io/leader';
const NOT_COPIED = [
  'endpoints.kubernetes.io/last-change-trigger-time',
  'kubectl.kubernetes.io/last-applied-configuration',
];
/** Addresses of one subset beyond this are not copied. */
const MOST_ADDRESSES = 1000;
const OPTIONS: WriteOptions = {
  manager: 'kube-controller-manager',
  dryRun: false,
  fieldValidation: 'Ignore',
  warn: () => undefined,
};

/** Works at once after each write of Endpoints or a Service, so that whoever wrote already sees the copies. */
export function startMirroringController(core: Core): void {
  const sync = ({ entry }: { entry: { object: Endpoints } }): void => reconcile(core, keyOf(entry.object));
  core.store.subscribe('endpoints', sync);
  core.store.subscribe('services', sync);
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
    createObject(core, targetOf(namespace, ''), slice, OPTIONS);
    return;
  }
  const { name } = current.metadata;
  const { generateName: _none, ...metadata } = slice.metadata;
  replaceObject(core, targetOf(namespace, name), { ...slice, metadata: { ...metadata, name } }, OPTIONS);
}

/** One slice for each set of ports and each family that has addresses. */
function slicesOf(endpoints: Endpoints): EndpointSlice[] {
  const groups = new Map<string, { ports: SlicePort[]; subsets: EndpointSubset[] }>();
  for (const subset of endpoints.subsets ?? []) {
    const ports = (subset.ports ?? []).map((port): SlicePort => ({ ...port, name: port.name ?? '' }));
    const key = JSON.stringify(ports);
    const group = groups.get(key) ?? { ports, subsets: [] };
    group.subsets.push(subset);
    groups.set(key, group);
  }
  return [...groups.values()].flatMap(({ ports, subsets }) =>
    (['IPv4', 'IPv6'] as const).flatMap((family) => {
      const members = subsets
        .flatMap(endpointsOf)
        .filter(({ addresses }) => familyOf(addresses?.[0] ?? '') === family);
      return members.length === 0 ? [] : [newSlice(endpoints, { addressType: family, ports, members })];
    }),
  );
}

function endpointsOf({ addresses = [], notReadyAddresses = [] }: EndpointSubset): SliceEndpoint[] {
  const all = [
    ...addresses.map((address) => toEndpoint(address, true)),
    ...notReadyAddresses.map((address) => toEndpoint(address, false)),
  ];
  return all.slice(0, MOST_ADDRESSES);
}

function toEndpoint({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): SliceEndpoint {
  return {
    addresses: [printAddress(parseAddress(ip) ?? [])],
    conditions: { ready },
    ...(hostname === undefined ? {} : { hostname }),
    ...(targetRef === undefined ? {} : { targetRef }),
    ...(nodeName === undefined ? {} : { nodeName }),
  };
}

interface Content {
  readonly addressType: string;
  readonly ports: SlicePort[];
  readonly members: SliceEndpoint[];
}

function newSlice({ metadata }: Endpoints, { addressType, ports, members }: Content): EndpointSlice {
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => !NOT_COPIED.includes(key));
  return {
    metadata: {
      name: '',
      generateName: `${metadata.name}-`,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      labels: { ...metadata.labels, [SERVICE_NAME]: metadata.name, [MANAGED_BY]: MIRRORING_CONTROLLER },
      ...(annotations.length === 0 ? {} : { annotations: Object.fromEntries(annotations) }),
      ownerReferences: [
        {
          apiVersion: 'v1',
          kind: 'Endpoints',
          name: metadata.name,
          uid: metadata.uid ?? '',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    addressType,
    endpoints: members,
    ports,
  };
}
