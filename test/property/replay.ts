// Plays a plan on what was seen, change by change as they are written, and looks after each for entries of headless roots that lead
// nowhere. Pure: a small model of the objects that matter here, and no server.
import { keyText, type ObjectKey } from '../../lib/model/keys.ts';
import type { StringMap } from '../../lib/model/objects.ts';
import type { Change, ClusterIPOf } from '../../lib/model/plan.ts';
import type { SourceSnapshot } from '../../lib/model/snapshot.ts';
import { ipText } from '../../lib/plan/listing.ts';

interface Line {
  readonly hostname: string | undefined;
  readonly ips: readonly (string | ClusterIPOf)[];
}

interface Standing {
  readonly labels: StringMap;
  readonly service: string; // that it is, or whose list it is
  readonly ips: readonly string[]; // of a Service
  readonly lines: readonly Line[]; // of a list
}

/** Objects by kind and name. */
export type Cluster = ReadonlyMap<string, Standing>;

const nameOf = (kind: string, key: ObjectKey): string => `${kind} ${keyText(key)}`;

export const clusterOf = ({
  services,
  endpoints,
  slices,
}: Pick<SourceSnapshot, 'services' | 'endpoints' | 'slices'>): Cluster =>
  new Map<string, Standing>([
    ...[...services.values()].map(({ meta, clusterIPs }): [string, Standing] => [
      nameOf('Service', meta),
      { labels: meta.labels, service: keyText(meta), ips: clusterIPs, lines: [] },
    ]),
    ...[...endpoints.values()].map(({ meta, subsets }): [string, Standing] => [
      nameOf('Endpoints', meta),
      {
        labels: meta.labels,
        service: keyText(meta),
        ips: [],
        lines: subsets
          .flatMap(({ addresses, notReadyAddresses }) => [...addresses, ...notReadyAddresses])
          .map(({ ip, hostname }) => ({ ips: [ip], hostname })),
      },
    ]),
    ...[...slices.values()].map((slice): [string, Standing] => [
      nameOf('EndpointSlice', slice.meta),
      {
        labels: slice.meta.labels,
        service: keyText({ namespace: slice.meta.namespace, name: slice.serviceName }),
        ips: [],
        lines: slice.endpoints.map(({ addresses, hostname }) => ({ ips: addresses, hostname })),
      },
    ]),
  ]);

interface Address {
  readonly ip: string | ClusterIPOf;
  readonly hostname?: string;
}
interface Body {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string | null>> };
  readonly spec?: { readonly clusterIP?: string; readonly ipFamilyPolicy?: string };
  readonly subsets?: readonly { readonly addresses?: readonly Address[] }[];
  readonly endpoints?: readonly {
    readonly addresses: readonly (string | ClusterIPOf)[];
    readonly hostname?: string;
  }[];
}

const bodyOf = (change: Change): Body => {
  if (change.action === 'delete') return {};
  return change.action === 'create' ? change.body : change.patch;
};

/** The lines that a change writes; undefined: it leaves them as they are. */
const linesIn = (change: Change): readonly Line[] | undefined => {
  const { subsets, endpoints } = bodyOf(change);
  if (subsets !== undefined)
    return subsets
      .flatMap(({ addresses = [] }) => addresses)
      .map(({ ip, hostname }) => ({ ips: [ip], hostname }));
  return endpoints?.map(({ addresses, hostname }) => ({ ips: addresses, hostname }));
};

/** One address of each family that a Service of this name gets anew. */
const given = (key: ObjectKey): readonly string[] => [
  `10.96.9.9 of ${keyText(key)}`,
  `fd00::9 of ${keyText(key)}`,
];

const clusterIpsAfter = (change: Change, before: readonly string[]): readonly string[] => {
  const { spec } = bodyOf(change);
  if (change.action === 'create') return spec?.clusterIP === 'None' ? [] : given(change);
  return spec?.ipFamilyPolicy === 'PreferDualStack' ? [...before, ...given(change)] : before;
};

const patched = (labels: StringMap, patch: Readonly<Record<string, string | null>> = {}): StringMap =>
  Object.fromEntries(
    Object.entries({ ...labels, ...patch }).flatMap(([key, value]) => (value === null ? [] : [[key, value]])),
  );

const isOfFamily = (ip: string, family: string): boolean => ip.includes(':') === (family === 'IPv6');

/** @throws Error when an address is to be filled in of a Service that is not there */
const filled = (cluster: Cluster, ip: string | ClusterIPOf): string => {
  if (typeof ip === 'string') return ip;
  const ips = cluster.get(nameOf('Service', ip.clusterIPOf))?.ips ?? [];
  const found = ips.find((one) => isOfFamily(one, ip.family));
  if (found === undefined)
    throw new Error(`no ClusterIP of ${keyText(ip.clusterIPOf)} (${ip.family}) to fill in`);
  return found;
};

/** What stands after a change. With its Service go the Endpoints of the same name, as the API server's controllers see to it. */
const after = (cluster: Cluster, change: Change): Cluster => {
  const next = new Map(cluster);
  const name = nameOf(change.kind, change);
  if (change.action === 'delete') {
    next.delete(name);
    if (change.kind === 'Service') next.delete(nameOf('Endpoints', change));
    return next;
  }
  const before = cluster.get(name);
  const lines = linesIn(change)?.map((line) => ({ ...line, ips: line.ips.map((ip) => filled(cluster, ip)) }));
  const labels = patched(before?.labels ?? {}, bodyOf(change).metadata?.labels);
  next.set(name, {
    labels,
    service: keyText({
      namespace: change.namespace,
      name: labels['kubernetes.io/service-name'] ?? change.name,
    }),
    ips: change.kind === 'Service' ? clusterIpsAfter(change, before?.ips ?? []) : [],
    lines: lines ?? before?.lines ?? [],
  });
  return next;
};

const HEADLESS_MIRROR = 'mirror.linkerd.io/headless-mirror-svc-name';
const OWNED = { 'mirror.linkerd.io/mirrored-service': 'true', 'mirror.linkerd.io/cluster-name': 'west' };
const hasPair = ({ labels }: Standing): boolean =>
  Object.entries(OWNED).every(([key, value]) => labels[key] === value);
/** Slices of other writers may carry every label of the Endpoints that they were copied from. */
const isOwned = (name: string, standing: Standing): boolean =>
  hasPair(standing) &&
  (!name.startsWith('EndpointSlice ') ||
    standing.labels['endpointslice.kubernetes.io/managed-by'] === 'eks-service-mirror');
const isList = (name: string): boolean => !name.startsWith('Service ');

/** Entries of headless roots of link west behind which no endpoint mirror with a list of its own stands. */
export const deadEntries = (cluster: Cluster): ReadonlySet<string> => {
  const objects = [...cluster].filter(([name, standing]) => isOwned(name, standing));
  const listed = new Set(objects.flatMap(([name, { service }]) => (isList(name) ? [service] : [])));
  const alive = new Set(
    objects.flatMap(([name, { labels, service, ips }]) => {
      const root = labels[HEADLESS_MIRROR];
      const [namespace] = service.split('/');
      return isList(name) || !listed.has(service) ? [] : ips.map((ip) => `${namespace}/${root} ${ip}`);
    }),
  );
  /** Under a Service of somebody else, or under an endpoint mirror, no list is that of a root. */
  const isOfRoot = (labels: StringMap, service: string): boolean => {
    const found = cluster.get(`Service ${service}`);
    const root = (found?.labels ?? labels)[HEADLESS_MIRROR];
    return (found === undefined || hasPair(found)) && (root === undefined || service.endsWith(`/${root}`));
  };
  return new Set(
    objects
      .filter(([name, { labels, service }]) => isList(name) && isOfRoot(labels, service))
      .flatMap(([, { service, lines }]) =>
        lines
          .filter(({ hostname }) => hostname !== undefined)
          .flatMap(({ ips, hostname }) => ips.map((ip) => [`${service} ${ipText(ip)}`, hostname] as const)),
      )
      .filter(([entry]) => !alive.has(entry))
      .map(([entry, hostname]) => `${entry} (${hostname})`),
  );
};

/** Mirror by mirror, stage by stage; the parts of a stage one after the other, in the order of the plan or in the other one. */
const inStages = (changes: readonly Change[], isReversed: boolean): readonly Change[] =>
  [...Map.groupBy(changes, ({ mirror }) => keyText(mirror)).values()].flatMap((members) =>
    [...Map.groupBy(members, ({ stage = 0 }) => stage)]
      .toSorted(([a], [b]) => a - b)
      .flatMap(([, stage]) => {
        const lanes = [...Map.groupBy(stage, ({ part, mirror }) => keyText(part ?? mirror)).values()];
        return (isReversed ? lanes.toReversed() : lanes).flat();
      }),
  );

/** Entries that led somewhere, or were not there, before a change, and lead nowhere after it. */
export const brokenBy = (
  changes: readonly Change[],
  start: Cluster,
  { isReversed }: { readonly isReversed: boolean },
): readonly string[] => {
  let cluster = start;
  return inStages(changes, isReversed).flatMap((change) => {
    const before = deadEntries(cluster);
    cluster = after(cluster, change);
    return [...deadEntries(cluster)]
      .filter((entry) => !before.has(entry))
      .map((entry) => `${change.action} ${change.kind} ${keyText(change)} leaves ${entry}`);
  });
};
