// Random worlds as the snapshots that pure functions take: read by the adapter's own readers, in any order, and frozen.
import * as fc from 'fast-check';
import { readObject } from '../../lib/kube/read/object.ts';
import { keyText } from '../../lib/model/keys.ts';
import type { Endpoints, EndpointSlice, Meta, Service } from '../../lib/model/objects.ts';
import type { SourceSnapshot, TargetSnapshot } from '../../lib/model/snapshot.ts';
import { namespace, sourceOf } from '../support/model-builders.ts';
import type { Leftover } from './leftovers.ts';
import type { Placed } from './pools.ts';
import { SOURCE_NAMESPACES, type World } from './worlds.ts';

export interface Snapshots {
  readonly target: TargetSnapshot;
  readonly source: SourceSnapshot;
}

const KINDS = { services: 'Service', endpoints: 'Endpoints', endpointslices: 'EndpointSlice' } as const;

type Given = Placed & { readonly manager?: Leftover['manager'] };

const fieldsOf = (map: Readonly<Record<string, string>> = {}): Readonly<Record<string, object>> =>
  Object.fromEntries(Object.keys(map).map((key) => [`f:${key}`, {}]));

/** What a server fills in of a Service that asks for nothing else: a ClusterIP, and the families. */
const servedSpec = (spec: Readonly<Record<string, unknown>>, index: number): object =>
  spec['type'] === 'ExternalName'
    ? spec
    : {
        clusterIP: `10.96.1.${index}`,
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        ...spec,
        ...(spec['clusterIP'] === 'None' && spec['selector'] === undefined
          ? { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' }
          : {}),
      };

/** The object as a server would answer: with a UID, a version, and who wrote its labels, annotations and policy of families. */
const asServed = ({ object, resource, manager = 'kubectl' }: Given, index: number): object => {
  const { labels, annotations } = object.metadata;
  const policy = object['spec']?.ipFamilyPolicy === undefined ? {} : { 'f:ipFamilyPolicy': {} };
  const fieldsV1 = {
    'f:metadata': { 'f:labels': fieldsOf(labels), 'f:annotations': fieldsOf(annotations) },
    'f:spec': policy,
  };
  const metadata = {
    ...object.metadata,
    uid: `uid-${index}`,
    resourceVersion: String(index + 1),
    managedFields: [{ manager, fieldsV1 }],
  };
  return resource === 'services'
    ? { ...object, metadata, spec: servedSpec(object['spec'], index) }
    : { ...object, metadata };
};

const readAll = <T extends Service | Endpoints | EndpointSlice>(
  objects: readonly Given[],
  resource: keyof typeof KINDS,
  isKind: (object: Service | Endpoints | EndpointSlice) => object is T,
): ReadonlyMap<string, T> =>
  new Map(
    objects.flatMap((placed, index): [string, T][] => {
      if (placed.resource !== resource) return [];
      const read = readObject(KINDS[resource], asServed(placed, index));
      return read !== undefined && isKind(read) ? [[keyText(read.meta), read]] : [];
    }),
  );

const isService = (object: Service | Endpoints | EndpointSlice): object is Service => 'ingress' in object;
const isEndpoints = (object: Service | Endpoints | EndpointSlice): object is Endpoints => 'subsets' in object;
const isSlice = (object: Service | Endpoints | EndpointSlice): object is EndpointSlice =>
  'managedBy' in object;

const serviceKey = ({ meta, serviceName }: EndpointSlice): string => `${meta.namespace}/${serviceName}`;

const targetSnapshot = (target: World['target']): TargetSnapshot => {
  const services = readAll(target, 'services', isService);
  const slices = [...readAll(target, 'endpointslices', isSlice).values()];
  const ready = slices.filter(({ endpoints }) => endpoints.some((endpoint) => endpoint.ready));
  return {
    uid: 'uid-of-target',
    services,
    ready: { observed: true, value: new Set(ready.map(serviceKey)) },
    headless: Map.groupBy(
      slices.filter((slice) => services.get(serviceKey(slice))?.clusterIP === 'None'),
      serviceKey,
    ),
  };
};

/** As the observer asks for them: Endpoints and slices only with the link's label, other Endpoints apart. */
export const snapshotsOf = ({ target, source, hasBothFamilies }: World): Snapshots => {
  const carriesLabel = ({ meta }: { readonly meta: Meta }): boolean =>
    meta.labels['mirror.linkerd.io/cluster-name'] === 'west';
  const endpoints = readAll(source, 'endpoints', isEndpoints);
  const slices = readAll(source, 'endpointslices', isSlice);
  return {
    target: targetSnapshot(target),
    source: {
      ...sourceOf({
        namespaces: SOURCE_NAMESPACES.map((name) => namespace(name)),
        endpoints: [...endpoints.values()].filter(carriesLabel),
        slices: [...slices.values()].filter(carriesLabel),
        foreignEndpoints: [...endpoints.values()].filter((object) => !carriesLabel(object)),
      }),
      services: readAll(source, 'services', isService),
      ...(hasBothFamilies ? { secondFamily: 'IPv6' as const } : {}),
    },
  };
};

/** The same elements in an order that two seeds choose. */
const reordered = <T>(items: Iterable<T>, order: readonly number[]): T[] => {
  const left = [...items];
  const taken: T[] = [];
  for (let turn = 0; left.length > 0; turn += 1)
    taken.push(...left.splice((order[turn % order.length] ?? 0) % left.length, 1));
  return taken;
};

export const anyOrder = fc.array(fc.nat({ max: 30 }), { minLength: 3, maxLength: 8 });

const shuffledMap = <K, V>(map: ReadonlyMap<K, V>, order: readonly number[]): ReadonlyMap<K, V> =>
  new Map(reordered(map, order));

export const shuffledList = <T>(items: readonly T[], order: readonly number[]): readonly T[] =>
  reordered(items, order);

/** The same snapshots, met in another order. */
export const shuffled = ({ target, source }: Snapshots, order: readonly number[]): Snapshots => ({
  target: {
    ...target,
    services: shuffledMap(target.services, order),
    headless: shuffledMap(
      new Map([...target.headless].map(([key, slices]) => [key, shuffledList(slices, order)])),
      order,
    ),
  },
  source: {
    ...source,
    namespaces: shuffledMap(source.namespaces, order),
    services: shuffledMap(source.services, order),
    endpoints: shuffledMap(source.endpoints, order),
    slices: shuffledMap(source.slices, order),
    foreignEndpoints: shuffledMap(source.foreignEndpoints ?? new Map(), order),
  },
});

const refuseChange = (): never => {
  throw new Error('a snapshot was changed');
};

/** Makes every change of a value, however deep, an error. */
export const frozen = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (value instanceof Map || value instanceof Set) {
    for (const member of value.values()) frozen(member);
    Object.assign(value, { set: refuseChange, add: refuseChange, delete: refuseChange, clear: refuseChange });
  }
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
};
