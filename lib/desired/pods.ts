// Who the pods of a headless Service are, by the hostnames in its EndpointSlices.
import { compareText } from '../model/keys.ts';
import type { EndpointPort, EndpointSlice, SliceEndpoint } from '../model/objects.ts';

export interface NamedPod {
  readonly hostname: string;
  readonly isReady: boolean;
  readonly ports: readonly EndpointPort[];
}

export interface Pods {
  readonly named: readonly NamedPod[]; // sorted by hostname
  readonly unnamed: number; // pods without a hostname
}

interface Seen extends SliceEndpoint {
  readonly slice: EndpointSlice;
}

/** Of slices that disagree the one wins in which the pod is ready; then family and name decide, so that their order never does. */
const byTrust = (a: Seen, b: Seen): number =>
  Number(b.ready) - Number(a.ready) ||
  compareText(a.slice.addressType, b.slice.addressType) ||
  compareText(a.slice.meta.name, b.slice.meta.name);

const namedPod = (hostname: string, seen: readonly Seen[]): NamedPod => {
  const [first] = seen.toSorted(byTrust);
  return { hostname, isReady: first?.ready ?? false, ports: first?.slice.ports ?? [] };
};

/** A pod stands once in the slices of each family, and for a moment twice while a controller moves it from slice to slice. */
const countUnnamed = (seen: readonly Seen[]): number => {
  const families = Map.groupBy(seen, ({ slice }) => slice.addressType).values();
  const counts = [...families].map((rows) => new Set(rows.map(({ addresses }) => addresses.join())).size);
  return Math.max(0, ...counts);
};

/** @param slices all EndpointSlices of one Service, in any order */
export const readPods = (slices: readonly EndpointSlice[]): Pods => {
  const seen = slices.flatMap((slice) => slice.endpoints.map((endpoint): Seen => ({ ...endpoint, slice })));
  const named = Map.groupBy(
    seen.filter(({ hostname }) => hostname !== undefined),
    ({ hostname = '' }) => hostname,
  );
  return {
    named: [...named]
      .map(([hostname, rows]) => namedPod(hostname, rows))
      .toSorted((a, b) => compareText(a.hostname, b.hostname)),
    unnamed: countUnnamed(seen.filter(({ hostname }) => hostname === undefined)),
  };
};
