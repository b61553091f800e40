// What stands in the source cluster under the names of one link's mirrors, found without walking every object for every mirror.
import { compareKeys, compareText, type ObjectKey, keyText } from '../model/keys.ts';
import { HEADLESS_MIRROR } from '../model/labels.ts';
import type { Endpoints, EndpointSlice, Meta, Service } from '../model/objects.ts';
import type { SourceSnapshot } from '../model/snapshot.ts';
import { isCopiedSlice, isOwnedEndpoints, isOwnedService, isOwnedSlice } from './ownership.ts';

/** What stands at and under the name of one Service. */
export interface Standing {
  readonly service: Service | undefined; // any owner's
  readonly endpoints: Endpoints | undefined; // any owner's
  readonly ownSlices: readonly EndpointSlice[];
  readonly copiedSlices: readonly EndpointSlice[]; // the mirroring controller's copies of our Endpoints
}

export const NOTHING_STANDS: Standing = {
  service: undefined,
  endpoints: undefined,
  ownSlices: [],
  copiedSlices: [],
};

export interface StandingIndex {
  at(key: ObjectKey): Standing;
  /** Names of the endpoint mirrors of a root of which anything of ours stands, sorted. */
  podsOf(root: ObjectKey): readonly ObjectKey[];
}

const sliceOwner = ({ meta, serviceName }: EndpointSlice): string =>
  keyText({ namespace: meta.namespace, name: serviceName });

interface PodName {
  readonly root: string;
  readonly pod: ObjectKey;
}

const podName = (meta: Meta, name: string): readonly PodName[] => {
  const { namespace } = meta;
  const root = meta.labels[HEADLESS_MIRROR];
  return root === undefined || root === name
    ? []
    : [{ root: keyText({ namespace, name: root }), pod: { namespace, name } }];
};

const podNames = (source: SourceSnapshot, link: string): readonly PodName[] => [
  ...[...source.services.values()]
    .filter((service) => isOwnedService(service, link))
    .flatMap(({ meta }) => podName(meta, meta.name)),
  ...[...source.endpoints.values()]
    .filter(({ meta }) => isOwnedEndpoints(meta, link))
    .flatMap(({ meta }) => podName(meta, meta.name)),
  ...[...source.slices.values()]
    .filter((slice) => isOwnedSlice(slice, link))
    .flatMap(({ meta, serviceName }) => podName(meta, serviceName)),
];

const unique = (names: readonly PodName[]): readonly ObjectKey[] =>
  [...new Map(names.map(({ pod }) => [pod.name, pod])).values()].toSorted((a, b) =>
    compareText(a.name, b.name),
  );

export const standingOf = (source: SourceSnapshot, link: string): StandingIndex => {
  const slices = [...source.slices.values()].toSorted((a, b) => compareKeys(a.meta, b.meta));
  const own = Map.groupBy(
    slices.filter((slice) => isOwnedSlice(slice, link)),
    sliceOwner,
  );
  const copied = Map.groupBy(
    slices.filter((slice) => isCopiedSlice(slice, link)),
    sliceOwner,
  );
  const pods = Map.groupBy(podNames(source, link), ({ root }) => root);
  /** Ours that appeared since the snapshot look empty there: a create meets them, and reads them whole. */
  const foreignAt = (key: string): Endpoints | undefined => {
    const found = source.foreignEndpoints?.get(key);
    return found === undefined || isOwnedEndpoints(found.meta, link) ? undefined : found;
  };
  return {
    at: (name) => {
      const key = keyText(name);
      return {
        service: source.services.get(key),
        endpoints: source.endpoints.get(key) ?? foreignAt(key),
        ownSlices: own.get(key) ?? [],
        copiedSlices: copied.get(key) ?? [],
      };
    },
    podsOf: (root) => unique(pods.get(keyText(root)) ?? []),
  };
};
