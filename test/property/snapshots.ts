// Random worlds as the snapshots that pure functions take: read by the adapter's own readers, in any order, and frozen.
import * as fc from 'fast-check';
import { readObject } from '../../lib/kube/read/object.ts';
import { keyText } from '../../lib/model/keys.ts';
import type { Endpoints, EndpointSlice, Meta, Service } from '../../lib/model/objects.ts';
import type { SourceSnapshot, TargetSnapshot } from '../../lib/model/snapshot.ts';
import { namespace, sourceOf } from '../support/model-builders.ts';
import { type Leftover, SOURCE_NAMESPACES, type World } from './worlds.ts';

export interface Snapshots {
  readonly target: TargetSnapshot;
  readonly source: SourceSnapshot;
}

const KINDS = { services: 'Service', endpoints: 'Endpoints', endpointslices: 'EndpointSlice' } as const;

type Placed = World['target'][number] & { readonly manager?: Leftover['manager'] };

const fieldsOf = (map: Readonly<Record<string, string>> = {}): Readonly<Record<string, object>> =>
  Object.fromEntries(Object.keys(map).map((key) => [`f:${key}`, {}]));

/** The object as a server would answer: with a UID, a version, and who wrote its labels and annotations. */
const asServed = ({ object, manager = 'kubectl' }: Placed, index: number): object => {
  const { labels, annotations } = object.metadata;
  const fieldsV1 = {
    'f:metadata': { 'f:labels': fieldsOf(labels), 'f:annotations': fieldsOf(annotations) },
  };
  const metadata = {
    ...object.metadata,
    uid: `uid-${index}`,
    resourceVersion: String(index + 1),
    managedFields: [{ manager, fieldsV1 }],
  };
  return { ...object, metadata };
};

const readAll = <T extends Service | Endpoints | EndpointSlice>(
  objects: readonly Placed[],
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

/** As the observer asks for them: Endpoints and slices only with the link's label, other Endpoints apart. */
export const snapshotsOf = ({ target, source }: World): Snapshots => {
  const carriesLabel = ({ meta }: { readonly meta: Meta }): boolean =>
    meta.labels['mirror.linkerd.io/cluster-name'] === 'west';
  const endpoints = readAll(source, 'endpoints', isEndpoints);
  const slices = readAll(source, 'endpointslices', isSlice);
  const ready = [...readAll(target, 'endpointslices', isSlice).values()].filter((slice) =>
    slice.endpoints.some(({ ready }) => ready),
  );
  return {
    target: {
      uid: 'uid-of-target',
      services: readAll(target, 'services', isService),
      ready: {
        observed: true,
        value: new Set(ready.map(({ meta, serviceName }) => `${meta.namespace}/${serviceName}`)),
      },
      headless: new Map(),
    },
    source: {
      ...sourceOf({
        namespaces: SOURCE_NAMESPACES.map((name) => namespace(name)),
        endpoints: [...endpoints.values()].filter(carriesLabel),
        slices: [...slices.values()].filter(carriesLabel),
        foreignEndpoints: [...endpoints.values()].filter((object) => !carriesLabel(object)),
      }),
      services: readAll(source, 'services', isService),
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

/** The same snapshots, met in another order. */
export const shuffled = ({ target, source }: Snapshots, order: readonly number[]): Snapshots => ({
  target: { ...target, services: shuffledMap(target.services, order) },
  source: {
    ...source,
    namespaces: shuffledMap(source.namespaces, order),
    services: shuffledMap(source.services, order),
    endpoints: shuffledMap(source.endpoints, order),
    slices: shuffledMap(source.slices, order),
    foreignEndpoints: shuffledMap(source.foreignEndpoints ?? new Map(), order),
  },
});

export const shuffledList = <T>(items: readonly T[], order: readonly number[]): readonly T[] =>
  reordered(items, order);

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
