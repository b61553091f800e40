// The changes that make a mirror's own EndpointSlices what they should be.
import { createHash } from 'node:crypto';
import type { AddressState } from '../model/gateway.ts';
import { compareText, type ObjectKey } from '../model/keys.ts';
import { SERVICE_NAME, SLICE_MANAGED_BY, SLICE_MANAGER } from '../model/labels.ts';
import type { EndpointPort, EndpointSlice, Manifest, SliceEndpoint, StringMap } from '../model/objects.ts';
import type { Change, Owner } from '../model/plan.ts';
import {
  type AddressType,
  changeText,
  type Entry,
  ipText,
  type Listing,
  newText,
  portsText,
  saysTheSame,
  type Told,
} from './listing.ts';
import { diffMetadata, withoutEmpty } from './metadata.ts';
import { placeEntries, type PlacedSlice } from './placement.ts';

/** Conditions by the state of a gateway address: a draining one still serves, for proxies that know the condition. */
const CONDITIONS: Readonly<Record<AddressState, Omit<SliceEndpoint, 'addresses'>>> = {
  ready: { ready: true, serving: true, terminating: false },
  draining: { ready: false, serving: true, terminating: true },
  down: { ready: false, serving: false, terminating: false },
};

export interface SliceContext {
  readonly link: string;
  readonly mirror: ObjectKey;
  /** UID of the mirror Service; undefined while it is yet to be created: whatever owns a slice then is gone. */
  readonly ownerUid: string | undefined;
  /** Of the one empty slice of a mirror that lists nobody. */
  readonly family: AddressType;
}

const linkHash = (link: string): string => createHash('sha256').update(link).digest('hex').slice(0, 8);

const SUFFIXES: Readonly<Record<AddressType, string>> = { IPv4: 'v4', IPv6: 'v6', FQDN: 'fqdn' };

/** Our slices of one family, and the name that new ones begin with. */
const familySlices = (
  context: SliceContext,
  desired: Listing,
  current: readonly EndpointSlice[],
  family: AddressType,
): readonly PlacedSlice[] => {
  const prefix = `${context.mirror.name}-${linkHash(context.link)}-${SUFFIXES[family]}`;
  const entries = desired.entries.filter((entry) => entry.family === family);
  const standing = current.filter(({ addressType }) => addressType === family);
  const placed = placeEntries(family, entries, standing, prefix);
  if (placed.length > 0 || family !== context.family || desired.entries.length > 0) return placed;
  // A mirror that lists nobody has one slice that says so.
  const [name = `${prefix}-0`] = standing.map(({ meta }) => meta.name).toSorted(compareText);
  return [{ name, family, ports: desired.ports, entries: [] }];
};

const FAMILIES = ['IPv4', 'IPv6', 'FQDN'] as const;

const desiredSlices = (
  context: SliceContext,
  desired: Listing,
  current: readonly EndpointSlice[],
): readonly PlacedSlice[] => FAMILIES.flatMap((family) => familySlices(context, desired, current, family));

const sliceLabels = (context: SliceContext, desired: Listing): StringMap => ({
  ...desired.labels,
  [SERVICE_NAME]: context.mirror.name,
  [SLICE_MANAGED_BY]: SLICE_MANAGER,
});

/** A slice's port list must name the port even when the Service's single port has no name. */
const slicePorts = (ports: readonly EndpointPort[]): Manifest[] =>
  ports.map((port) => ({ ...port, name: port.name ?? '' }));

/** An endpoint with a zone is for clients of that zone first: kube-proxy and Linkerd's proxies read the hint, not the zone. */
const endpointBody = ({ ip, state, hostname, zone }: Entry): Manifest => ({
  addresses: [ip],
  conditions: CONDITIONS[state],
  ...(hostname === undefined ? {} : { hostname }),
  ...(zone === undefined ? {} : { zone, hints: { forZones: [{ name: zone }] } }),
});

const ownerOf = ({ mirror, ownerUid }: SliceContext): Owner => ({ name: mirror.name, uid: ownerUid });

type Line = Omit<SliceEndpoint, 'addresses'> & { readonly text: string };

const lineText = ({ text, ready, serving, terminating, hostname, zone }: Line): string =>
  [
    text,
    ...(hostname === undefined ? [] : [`(${hostname})`]),
    ...(zone === undefined ? [] : [`in ${zone}`]),
    ...(ready ? [] : [serving && terminating ? 'draining' : 'not ready']),
  ].join(' ');

/** Content of a slice as text that is equal exactly when it says the same. */
const told = (lines: readonly Line[], ports: readonly EndpointPort[]): Told => {
  const texts = lines.map(lineText).sort(compareText);
  const said = texts.length === 0 ? ['(empty)'] : texts;
  const suffix = ports.length === 0 ? '' : ` on ${portsText(ports)}`;
  return { text: `${said.join(', ')}${suffix}`, lines: said.map((text) => `${text}${suffix}`) };
};

const toldPlaced = ({ entries, ports }: PlacedSlice): Told =>
  told(
    entries.map(({ ip, state, ...entry }) => ({ ...entry, ...CONDITIONS[state], text: ipText(ip) })),
    ports,
  );

const toldStanding = ({ endpoints, ports }: EndpointSlice): Told =>
  told(
    endpoints.map(({ addresses, ...endpoint }) => ({ ...endpoint, text: addresses.join('+') })),
    ports,
  );

const base = (context: SliceContext, name: string) =>
  ({
    kind: 'EndpointSlice',
    namespace: context.mirror.namespace,
    name,
    mirror: context.mirror,
  }) as const;

const createSlice = (context: SliceContext, desired: Listing, slice: PlacedSlice): Change => ({
  action: 'create',
  ...base(context, slice.name),
  needsEarlier: true,
  reasons: [newText(toldPlaced(slice))],
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
    endpoints: slice.entries.map(endpointBody),
    ports: slicePorts(slice.ports),
  },
});

interface SliceDiff {
  readonly patch: Manifest;
  readonly reasons: readonly string[];
  readonly isOwnerWrong: boolean;
}

const diffSlice = (
  context: SliceContext,
  desired: Listing,
  pair: [PlacedSlice, EndpointSlice],
): SliceDiff => {
  const [slice, present] = pair;
  const { annotations } = desired;
  const metadata = diffMetadata(present.meta, { labels: sliceLabels(context, desired), annotations });
  const [before, after] = [toldStanding(present), toldPlaced(slice)];
  const isSame = saysTheSame(before, after);
  const isOwnerWrong = context.ownerUid === undefined || !present.ownerUids.includes(context.ownerUid);
  return {
    isOwnerWrong,
    patch: withoutEmpty({
      metadata: metadata.patch,
      endpoints: isSame ? undefined : slice.entries.map(endpointBody),
      ports: isSame ? undefined : slicePorts(slice.ports),
    }),
    reasons: [
      ...metadata.reasons,
      ...(isOwnerWrong ? ['owner: → the mirror Service'] : []),
      ...(isSame ? [] : [`addresses: ${changeText(before, after)}`]),
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

/** Slices that lose entries come last: whoever merges them all misses none that moves from one to another. */
const gainsFirst = (
  wanted: readonly PlacedSlice[],
  present: ReadonlyMap<string, EndpointSlice>,
): readonly PlacedSlice[] => {
  const loses = ({ name, entries }: PlacedSlice): boolean => {
    const stay = new Set(entries.map(({ ip }) => ipText(ip)));
    return (
      present.get(name)?.endpoints.some(({ addresses }) => addresses.some((ip) => !stay.has(ip))) ?? false
    );
  };
  return wanted.toSorted((a, b) => Number(loses(a)) - Number(loses(b)));
};

/** Creates, updates and, at the end, deletes of slices that are no longer needed. `current` holds only slices that are ours. */
export const planSlices = (
  context: SliceContext,
  desired: Listing,
  current: readonly EndpointSlice[],
): readonly Change[] => {
  const wanted = desiredSlices(context, desired, current);
  const byName = new Map(current.map((slice) => [slice.meta.name, slice]));
  const written = gainsFirst(wanted, byName).flatMap((slice): Change[] => {
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
