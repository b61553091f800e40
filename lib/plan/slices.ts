// The changes that make a mirror's own EndpointSlices what they should be.
import { createHash } from 'node:crypto';
import type { DesiredEndpoints } from '../model/desired.ts';
import type { AddressState, PublishedAddress } from '../model/gateway.ts';
import { compareText, type ObjectKey } from '../model/keys.ts';
import { SERVICE_NAME, SLICE_MANAGED_BY, SLICE_MANAGER } from '../model/labels.ts';
import type {
  EndpointPort,
  EndpointSlice,
  Family,
  Manifest,
  SliceEndpoint,
  StringMap,
} from '../model/objects.ts';
import type { Change, Owner } from '../model/plan.ts';
import { diffMetadata, withoutEmpty } from './metadata.ts';
import { endpointPortText } from './subsets.ts';

/** As many endpoints as Kubernetes' own controllers put into one slice. */
const SLICE_SIZE = 100;

/** Conditions by the state of a gateway address: a draining one still serves, for proxies that know the condition. */
const CONDITIONS: Readonly<Record<AddressState, Omit<SliceEndpoint, 'addresses'>>> = {
  ready: { ready: true, serving: true, terminating: false },
  draining: { ready: false, serving: true, terminating: true },
  down: { ready: false, serving: false, terminating: false },
};

interface DesiredSlice {
  readonly name: string;
  readonly family: Family;
  readonly endpoints: readonly SliceEndpoint[];
}

export interface SliceContext {
  readonly link: string;
  readonly mirror: ObjectKey;
  /** UID of the mirror Service; undefined while it is yet to be created: whatever owns a slice then is gone. */
  readonly ownerUid: string | undefined;
  /** Family of the one empty slice of a mirror that lists nobody. */
  readonly family: Family;
}

const linkHash = (link: string): string => createHash('sha256').update(link).digest('hex').slice(0, 8);

const toEndpoint = ({ ip, state }: PublishedAddress): SliceEndpoint => ({
  addresses: [ip],
  ...CONDITIONS[state],
});

const familySlices = (
  context: SliceContext,
  family: Family,
  addresses: readonly PublishedAddress[],
): DesiredSlice[] => {
  const prefix = `${context.mirror.name}-${linkHash(context.link)}-${family === 'IPv4' ? 'v4' : 'v6'}`;
  const count = Math.max(1, Math.ceil(addresses.length / SLICE_SIZE));
  return Array.from({ length: count }, (_unused, index) => ({
    name: `${prefix}-${index}`,
    family,
    endpoints: addresses.slice(index * SLICE_SIZE, (index + 1) * SLICE_SIZE).map(toEndpoint),
  }));
};

const desiredSlices = (context: SliceContext, desired: DesiredEndpoints): DesiredSlice[] => {
  const families = [...new Set(desired.addresses.map(({ family }) => family))].sort(compareText);
  return (families.length === 0 ? [context.family] : families).flatMap((family) =>
    familySlices(
      context,
      family,
      desired.addresses.filter((address) => address.family === family),
    ),
  );
};

const sliceLabels = (context: SliceContext, desired: DesiredEndpoints): StringMap => ({
  ...desired.labels,
  [SERVICE_NAME]: context.mirror.name,
  [SLICE_MANAGED_BY]: SLICE_MANAGER,
});

/** A slice's port list must name the port even when the Service's single port has no name. */
const slicePorts = (ports: readonly EndpointPort[]): Manifest[] =>
  ports.map((port) => ({ ...port, name: port.name ?? '' }));

const endpointBody = ({ addresses, ready, serving, terminating }: SliceEndpoint): Manifest => ({
  addresses,
  conditions: { ready, serving, terminating },
});

const ownerOf = ({ mirror, ownerUid }: SliceContext): Owner => ({ name: mirror.name, uid: ownerUid });

const endpointText = ({ addresses, ready, serving, terminating }: SliceEndpoint): string =>
  `${addresses.join('+')}${ready ? '' : serving && terminating ? ' draining' : ' not ready'}`;

/** Content of a slice as one text that is equal exactly when it says the same. */
const contentText = (endpoints: readonly SliceEndpoint[], ports: readonly EndpointPort[]): string =>
  `${endpoints.map(endpointText).sort(compareText).join(', ') || '(empty)'} on ${ports.map(endpointPortText).sort(compareText).join(' ')}`;

const base = (context: SliceContext, name: string) =>
  ({
    kind: 'EndpointSlice',
    namespace: context.mirror.namespace,
    name,
    mirror: context.mirror,
  }) as const;

const createSlice = (context: SliceContext, desired: DesiredEndpoints, slice: DesiredSlice): Change => ({
  action: 'create',
  ...base(context, slice.name),
  needsEarlier: true,
  reasons: [contentText(slice.endpoints, desired.ports)],
  ownedBy: ownerOf(context),
  body: {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      namespace: context.mirror.namespace,
      name: slice.name,
      labels: sliceLabels(context, desired),
      annotations: desired.annotations,
    },
    addressType: slice.family,
    endpoints: slice.endpoints.map(endpointBody),
    ports: slicePorts(desired.ports),
  },
});

interface SliceDiff {
  readonly patch: Manifest;
  readonly reasons: readonly string[];
  readonly isOwnerWrong: boolean;
}

const diffSlice = (
  context: SliceContext,
  desired: DesiredEndpoints,
  pair: [DesiredSlice, EndpointSlice],
): SliceDiff => {
  const [slice, { meta, endpoints, ports, ownerUids }] = pair;
  const { annotations } = desired;
  const metadata = diffMetadata(meta, { labels: sliceLabels(context, desired), annotations });
  const [before, after] = [contentText(endpoints, ports), contentText(slice.endpoints, desired.ports)];
  const isOwnerWrong = context.ownerUid === undefined || !ownerUids.includes(context.ownerUid);
  return {
    isOwnerWrong,
    patch: withoutEmpty({
      metadata: metadata.patch,
      endpoints: before === after ? undefined : slice.endpoints.map(endpointBody),
      ports: before === after ? undefined : slicePorts(desired.ports),
    }),
    reasons: [
      ...metadata.reasons,
      ...(isOwnerWrong ? ['owner: → the mirror Service'] : []),
      ...(before === after ? [] : [`addresses: ${before} → ${after}`]),
    ],
  };
};

export const deleteSlice = (slice: EndpointSlice, mirror: ObjectKey, reason: string): Change => ({
  action: 'delete',
  kind: 'EndpointSlice',
  namespace: slice.meta.namespace,
  name: slice.meta.name,
  mirror,
  needsEarlier: true,
  reasons: [reason],
  uid: slice.meta.uid,
  resourceVersion: slice.meta.resourceVersion,
});

/** Creates, updates and, at the end, deletes of slices that are no longer needed. `current` holds only slices that are ours. */
export const planSlices = (
  context: SliceContext,
  desired: DesiredEndpoints,
  current: readonly EndpointSlice[],
): readonly Change[] => {
  const wanted = desiredSlices(context, desired);
  const byName = new Map(current.map((slice) => [slice.meta.name, slice]));
  const written = wanted.flatMap((slice): Change[] => {
    const present = byName.get(slice.name);
    if (present === undefined) return [createSlice(context, desired, slice)];
    const { patch, reasons, isOwnerWrong } = diffSlice(context, desired, [slice, present]);
    if (reasons.length === 0) return [];
    const { uid, resourceVersion } = present.meta;
    return [
      {
        action: 'update',
        ...base(context, slice.name),
        needsEarlier: context.ownerUid === undefined, // its new owner has to be there
        reasons,
        patch,
        ...(isOwnerWrong ? { ownedBy: ownerOf(context) } : {}),
        uid,
        resourceVersion,
      },
    ];
  });
  const names = new Set(wanted.map(({ name }) => name));
  const surplus = current.filter(({ meta }) => !names.has(meta.name));
  return [
    ...written,
    ...surplus.map((slice) => deleteSlice(slice, context.mirror, 'no address left for it')),
  ];
};

/** Every address that slices list as ready. */
export const readyAddresses = (slices: readonly EndpointSlice[]): ReadonlySet<string> =>
  new Set(
    slices.flatMap(({ endpoints }) =>
      endpoints.filter(({ ready }) => ready).flatMap(({ addresses }) => addresses),
    ),
  );
