// The changes that let standing mirrors follow a gateway whose addresses changed: endpoints only, and only those that list somebody.
// An empty mirror may be empty because its Service has no ready endpoint: that takes a reconcile.
import type { PublishedAddress } from '../model/gateway.ts';
import { compareKeys, type ObjectKey, keyText } from '../model/keys.ts';
import {
  CLUSTER_NAME,
  GATEWAY_MIRROR,
  MIRRORED_SERVICE,
  probeServiceNames,
  SERVICE_NAME,
  SLICE_MANAGED_BY,
  SLICE_MANAGER,
} from '../model/labels.ts';
import type { Link } from '../model/link.ts';
import type { EndpointPort, Endpoints, EndpointSlice, Family, Meta, StringMap } from '../model/objects.ts';
import type { Change } from '../model/plan.ts';
import { planEndpoints } from './endpoints.ts';
import type { Listing } from './listing.ts';
import { inOrder } from './order.ts';
import { planSlices } from './slices.ts';

export interface FollowInput {
  readonly link: Link;
  readonly endpoints: ReadonlyMap<string, Endpoints>; // those that carry the link's cluster-name
  readonly slices: ReadonlyMap<string, EndpointSlice>; // likewise
  /** What mirrors list, and what the gateway mirror and the probe's endpoints list. */
  readonly gateway: {
    readonly addresses: readonly PublishedAddress[];
    readonly resolved: readonly PublishedAddress[];
  };
}

type Gateway = FollowInput['gateway'];

/** The addresses that an object of this kind lists; undefined: it does not list the gateway. */
const addressesFor = (
  meta: Meta,
  name: string,
  link: Link,
  gateway: Gateway,
): readonly PublishedAddress[] | undefined => {
  if (meta.labels[CLUSTER_NAME] !== link.name) return undefined;
  if (meta.labels[MIRRORED_SERVICE] === 'true') return gateway.addresses;
  const isProbe = meta.namespace === link.namespace && probeServiceNames(link.name).includes(name);
  const isGateway = isProbe || meta.labels[GATEWAY_MIRROR] === 'true';
  return isGateway ? gateway.resolved.filter(({ state }) => state === 'ready') : undefined;
};

const without = (labels: StringMap, keys: readonly string[]): StringMap =>
  Object.fromEntries(Object.entries(labels).filter(([key]) => !keys.includes(key)));

const desired = (
  meta: Meta,
  ports: readonly EndpointPort[],
  addresses: readonly PublishedAddress[],
): Listing => ({
  labels: without(meta.labels, [SERVICE_NAME, SLICE_MANAGED_BY]),
  annotations: meta.annotations,
  ports,
  entries: addresses.map((address) => ({ ...address, ports })),
});

/** A root of a headless mirror names its addresses: they are ClusterIPs, not the gateway's. */
const listsGateway = ({ subsets }: Endpoints): boolean =>
  subsets.length > 0 &&
  subsets.every(({ addresses, notReadyAddresses }) =>
    [...addresses, ...notReadyAddresses].every(({ hostname }) => hostname === undefined),
  );

const followEndpoints = ({ link, endpoints, gateway }: FollowInput): readonly Change[] =>
  [...endpoints.values()].filter(listsGateway).flatMap((current) => {
    const { meta, subsets } = current;
    const addresses = addressesFor(meta, meta.name, link, gateway);
    if (addresses === undefined) return [];
    const key: ObjectKey = { namespace: meta.namespace, name: meta.name };
    return planEndpoints(key, desired(meta, subsets[0]?.ports ?? [], addresses), current) ?? [];
  });

const followSlices = ({ link, slices, gateway }: FollowInput): readonly Change[] => {
  const inOrderOfNames = [...slices.values()].toSorted((a, b) => compareKeys(a.meta, b.meta));
  const own = inOrderOfNames.filter(
    ({ managedBy, addressType, endpoints }) =>
      managedBy === SLICE_MANAGER &&
      addressType !== 'FQDN' && // a gateway mirror of names: they are there whatever they resolve to
      endpoints.every(({ hostname }) => hostname === undefined),
  );
  const groups = Map.groupBy(own, ({ meta, serviceName }) =>
    keyText({ namespace: meta.namespace, name: serviceName }),
  );
  return [...groups.values()].flatMap((current) => {
    const [first] = current;
    if (first?.ownerUids[0] === undefined || current.every(({ endpoints }) => endpoints.length === 0))
      return [];
    const addresses = addressesFor(first.meta, first.serviceName, link, gateway);
    if (addresses === undefined) return [];
    const mirror = { namespace: first.meta.namespace, name: first.serviceName };
    const family: Family = first.addressType === 'IPv6' ? 'IPv6' : 'IPv4'; // of the one that stays when nobody is left
    const context = { link: link.name, mirror, ownerUid: first.ownerUids[0], family };
    return planSlices(context, desired(first.meta, first.ports, addresses), current);
  });
};

/** Same input, whatever its order, same changes. Nothing but addresses changes. */
export const planFollow = (input: FollowInput): readonly Change[] =>
  inOrder([...followEndpoints(input), ...followSlices(input)]);
