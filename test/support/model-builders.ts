// Objects of the model with sane defaults, for tests of pure functions; a test names only what it is about.
import type {
  Decision,
  DesiredEndpoints,
  DesiredPod,
  DesiredService,
  HeadlessMirror,
  PlainMirror,
} from '../../lib/model/desired.ts';
import type { AddressState, GatewayView, PublishedAddress } from '../../lib/model/gateway.ts';
import { keyText } from '../../lib/model/keys.ts';
import type {
  Endpoints,
  EndpointSlice,
  EndpointSubset,
  Lease,
  Meta,
  Namespace,
  Service,
  SliceEndpoint,
  StringMap,
} from '../../lib/model/objects.ts';
import type { SourceSnapshot, TargetSnapshot } from '../../lib/model/snapshot.ts';

/** The ownership pair of link west. */
export const OURS: StringMap = {
  'mirror.linkerd.io/mirrored-service': 'true',
  'mirror.linkerd.io/cluster-name': 'west',
};
const EXPORT_LABELS: StringMap = { 'mirror.linkerd.io/exported': 'true' };

/** What Linkerd writes on the mirror of `shop/web`. */
export const WEB_FQ_NAME: StringMap = {
  'mirror.linkerd.io/remote-svc-fq-name': 'web.shop.svc.cluster.local',
};

export const meta = (given: Partial<Meta> = {}): Meta => ({
  namespace: 'shop',
  name: 'web',
  uid: `uid-of-${given.name ?? 'web'}`,
  resourceVersion: '7',
  labels: {},
  annotations: {},
  droppable: { labels: [], annotations: [] },
  createdAt: 0,
  deleting: false,
  ...given,
});

/** Metadata whose labels and annotations were all written by us (or by Linkerd's controller). */
export const ourMeta = (given: Partial<Meta> = {}): Meta => {
  const base = meta({ name: 'web-west', labels: OURS, ...given });
  return {
    ...base,
    droppable: given.droppable ?? {
      labels: Object.keys(base.labels),
      annotations: Object.keys(base.annotations),
    },
  };
};

type Given<T extends { readonly meta: Meta }> = Partial<Omit<T, 'meta'>> & { readonly meta?: Partial<Meta> };

/** A Service of the target cluster, exported in gateway mode. */
export const exported = ({ meta: given = {}, ...rest }: Given<Service> = {}): Service => ({
  meta: meta({ labels: EXPORT_LABELS, ...given }),
  type: 'ClusterIP',
  clusterIP: '10.97.0.1',
  clusterIPs: ['10.97.0.1'],
  ipFamilies: ['IPv4'],
  ipFamilyPolicy: 'SingleStack',
  isPolicyOurs: false,
  hasSelector: true,
  publishNotReadyAddresses: false,
  ports: [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }],
  ingress: [],
  ...rest,
});

/** The mirror of `exported()` as it stands in the source cluster after a sync. */
export const mirrorService = ({ meta: given = {}, ...rest }: Given<Service> = {}): Service => ({
  ...exported(),
  hasSelector: false,
  clusterIP: '10.96.0.1',
  clusterIPs: ['10.96.0.1'],
  ...rest,
  meta: ourMeta({
    annotations: { ...WEB_FQ_NAME, 'mirror.linkerd.io/remote-resource-version': '7' },
    ...given,
  }),
});

export const subset = (
  ready: readonly string[],
  notReady: readonly string[] = [],
  port = 4143,
): EndpointSubset => ({
  addresses: ready.map((ip) => ({ ip })),
  notReadyAddresses: notReady.map((ip) => ({ ip })),
  ports: [{ name: 'http', protocol: 'TCP', port }],
});

const ENDPOINT_ANNOTATIONS: StringMap = {
  ...WEB_FQ_NAME,
  'mirror.linkerd.io/remote-gateway-identity': 'gw.id',
};

/** Endpoints of that mirror: one ready gateway address. */
export const mirrorEndpoints = ({ meta: given = {}, ...rest }: Given<Endpoints> = {}): Endpoints => ({
  subsets: [subset(['203.0.113.1'])],
  ...rest,
  meta: ourMeta({ annotations: ENDPOINT_ANNOTATIONS, ...given }),
});

/** First name of the slices that we write for `shop/web-west`: the eight digits are of the SHA-256 of `west`. */
export const WEB_SLICE = 'web-west-76a79620-v4-0';

export const sliceEndpoint = (
  address: string,
  conditions: Partial<Omit<SliceEndpoint, 'addresses'>> = {},
): SliceEndpoint => ({ addresses: [address], ready: true, serving: true, terminating: false, ...conditions });

/** An EndpointSlice of ours for that mirror. */
export const ourSlice = ({ meta: given = {}, ...rest }: Given<EndpointSlice> = {}): EndpointSlice => {
  const serviceName = rest.serviceName ?? 'web-west';
  return {
    serviceName,
    managedBy: 'eks-service-mirror',
    addressType: 'IPv4',
    endpoints: [sliceEndpoint('203.0.113.1')],
    ports: [{ name: 'http', protocol: 'TCP', port: 4143 }],
    ownerUids: [`uid-of-${serviceName}`],
    ...rest,
    meta: ourMeta({
      name: WEB_SLICE,
      labels: {
        ...OURS,
        'kubernetes.io/service-name': serviceName,
        'endpointslice.kubernetes.io/managed-by': rest.managedBy ?? 'eks-service-mirror',
      },
      annotations: ENDPOINT_ANNOTATIONS,
      ...given,
    }),
  };
};

/** A slice that the mirroring controller made of that mirror's Endpoints. */
export const copiedSlice = (given: Given<EndpointSlice> = {}): EndpointSlice =>
  ourSlice({
    managedBy: 'endpointslicemirroring-controller.k8s.io',
    ...given,
    meta: { name: 'web-west-x7k2p', ...given.meta },
  });

export const namespace = (name = 'shop', terminating = false): Namespace => ({
  meta: meta({ namespace: '', name }),
  terminating,
});

export const lease = (given: Partial<Lease> = {}): Lease => ({
  meta: meta({ namespace: 'linkerd-multicluster', name: 'service-mirror-write-west' }),
  holder: '',
  renewedAt: 0,
  durationSeconds: 60,
  transitions: 0,
  ...given,
});

export const published = (ip: string, state: AddressState = 'ready'): PublishedAddress => ({
  ip,
  family: ip.includes(':') ? 'IPv6' : 'IPv4',
  state,
});

export const gatewayView = (given: Partial<GatewayView> = {}): GatewayView => ({
  addresses: [published('203.0.113.1')],
  resolved: given.addresses ?? [published('203.0.113.1')],
  port: 4143,
  probePort: 4191,
  identity: 'gw.id',
  ...given,
});

const byKey = <T extends { readonly meta: Meta }>(objects: readonly T[]): ReadonlyMap<string, T> =>
  new Map(objects.map((object) => [keyText(object.meta), object]));

interface SourceObjects {
  readonly namespaces?: readonly Namespace[];
  readonly services?: readonly Service[];
  readonly endpoints?: readonly Endpoints[];
  readonly slices?: readonly EndpointSlice[];
  readonly foreignEndpoints?: readonly Endpoints[];
}

/** A source cluster with namespace shop. */
export const sourceOf = (given: SourceObjects = {}): SourceSnapshot => ({
  uid: 'uid-of-source',
  namespaces: new Map((given.namespaces ?? [namespace()]).map((one) => [one.meta.name, one])),
  services: byKey(given.services ?? []),
  endpoints: byKey(given.endpoints ?? []),
  slices: byKey(given.slices ?? []),
  ...(given.foreignEndpoints === undefined ? {} : { foreignEndpoints: byKey(given.foreignEndpoints) }),
  family: 'IPv4',
  serviceRanges: { cidrs: ['10.96.0.0/16'], inferred: false },
  apiServers: new Set(),
});

/** A target cluster in which every Service has a ready endpoint, unless `ready` names those that have one. */
export const targetOf = (
  services: readonly Service[],
  ready: readonly string[] = services.map(({ meta }) => keyText(meta)),
): TargetSnapshot => ({
  uid: 'uid-of-target',
  services: byKey(services),
  ready: { observed: true, value: new Set(ready) },
  headless: new Map(),
});

export const desiredService = (given: Partial<DesiredService> = {}): DesiredService => ({
  isHeadless: false,
  wantsBothFamilies: false,
  labels: OURS,
  annotations: WEB_FQ_NAME,
  ports: [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }],
  remoteResourceVersion: '7',
  ...given,
});

export const desiredEndpoints = (given: Partial<DesiredEndpoints> = {}): DesiredEndpoints => ({
  labels: OURS,
  annotations: ENDPOINT_ANNOTATIONS,
  ports: [{ name: 'http', protocol: 'TCP', port: 4143 }],
  addresses: [published('203.0.113.1')],
  ...given,
});

export const desiredMirror = (given: Partial<PlainMirror> = {}): PlainMirror => ({
  service: desiredService(),
  endpoints: desiredEndpoints(),
  createNamespace: false,
  ...given,
});

const DB_PORT = { name: 'pg', protocol: 'TCP', port: 5432 } as const;
const DB_PORTS = [{ ...DB_PORT, targetPort: 5432 }];

const fqName = (name: string): StringMap => ({
  'mirror.linkerd.io/remote-svc-fq-name': `${name}.shop.svc.cluster.local`,
});
const listAnnotations = (name: string): StringMap => ({
  ...fqName(name),
  'mirror.linkerd.io/remote-gateway-identity': 'gw.id',
});

/** The labels of an endpoint mirror of root `shop/db-west`. */
export const OF_DB: StringMap = { ...OURS, 'mirror.linkerd.io/headless-mirror-svc-name': 'db-west' };

/** The headless Service `shop/db` of the target cluster, exported in gateway mode. */
export const headlessExported = ({ meta: given = {}, ...rest }: Given<Service> = {}): Service =>
  exported({
    clusterIP: 'None',
    clusterIPs: ['None'],
    ports: DB_PORTS,
    ...rest,
    meta: { name: 'db', ...given },
  });

/** A pod as an EndpointSlice of the target cluster lists it. */
export const podEndpoint = (
  hostname: string,
  address: string,
  conditions: Parameters<typeof sliceEndpoint>[1] = {},
): SliceEndpoint => sliceEndpoint(address, { hostname, ...conditions });

/** An EndpointSlice of `shop/db` in the target cluster. */
export const targetSlice = (
  endpoints: readonly SliceEndpoint[],
  { meta: given = {}, ...rest }: Given<EndpointSlice> = {},
): EndpointSlice => ({
  serviceName: 'db',
  managedBy: 'endpointslice-controller.k8s.io',
  addressType: 'IPv4',
  endpoints,
  ports: [DB_PORT],
  ownerUids: [],
  ...rest,
  meta: meta({ name: 'db-abcde', ...given }),
});

/** A pod of `shop/db` with its endpoint mirror. */
export const desiredPod = (hostname: string, given: Partial<DesiredPod> = {}): DesiredPod => ({
  hostname,
  mirror: { namespace: 'shop', name: `${hostname}-west` },
  isListed: true,
  ports: [DB_PORT],
  service: desiredService({ labels: OF_DB, annotations: fqName(`${hostname}.db`), ports: DB_PORTS }),
  endpoints: desiredEndpoints({
    labels: OF_DB,
    annotations: listAnnotations(`${hostname}.db`),
    ports: [{ ...DB_PORT, port: 4143 }],
    ...(given.isListed === false ? { addresses: [] } : {}),
  }),
  ...given,
});

/** The mirror of `shop/db`, with these pods. */
export const desiredHeadless = (
  pods: readonly DesiredPod[],
  service: Partial<DesiredService> = {},
): HeadlessMirror => ({
  service: desiredService({ isHeadless: true, annotations: fqName('db'), ports: DB_PORTS, ...service }),
  endpoints: { labels: OURS, annotations: listAnnotations('db'), pods },
  createNamespace: false,
});

/** The root of that mirror as it stands in the source cluster. */
export const rootService = ({ meta: given = {}, ...rest }: Given<Service> = {}): Service =>
  mirrorService({
    clusterIP: 'None',
    clusterIPs: ['None'],
    ports: DB_PORTS,
    ...rest,
    meta: { name: 'db-west', annotations: fqName('db'), ...given },
  });

/** What that root lists: ClusterIPs by hostname. */
export const rootEndpoints = (ips: StringMap, { meta: given = {} }: Given<Endpoints> = {}): Endpoints =>
  mirrorEndpoints({
    subsets:
      Object.keys(ips).length === 0
        ? []
        : [
            {
              addresses: Object.entries(ips).map(([hostname, ip]) => ({ ip, hostname })),
              notReadyAddresses: [],
              ports: [DB_PORT],
            },
          ],
    meta: { name: 'db-west', annotations: listAnnotations('db'), ...given },
  });

/** The endpoint mirror of a pod of that root as it stands there. */
export const podService = (
  hostname: string,
  clusterIP: string,
  { meta: given = {}, ...rest }: Given<Service> = {},
): Service =>
  mirrorService({
    clusterIP,
    clusterIPs: [clusterIP],
    ports: DB_PORTS,
    ...rest,
    meta: { name: `${hostname}-west`, labels: OF_DB, annotations: fqName(`${hostname}.db`), ...given },
  });

/** What that endpoint mirror lists: the gateway. */
export const podEndpoints = (
  hostname: string,
  { meta: given = {}, ...rest }: Given<Endpoints> = {},
): Endpoints =>
  mirrorEndpoints({
    subsets: [
      {
        addresses: [{ ip: '203.0.113.1' }],
        notReadyAddresses: [],
        ports: [{ ...DB_PORT, port: 4143 }],
      },
    ],
    ...rest,
    meta: {
      name: `${hostname}-west`,
      labels: OF_DB,
      annotations: listAnnotations(`${hostname}.db`),
      ...given,
    },
  });

/** The decision to mirror `shop/<name>`. */
export const decision = (name = 'web', given: Partial<Decision> = {}): Decision => ({
  key: { namespace: 'shop', name },
  mirror: { namespace: 'shop', name: `${name}-west` },
  mode: 'gateway',
  desired: desiredMirror(),
  protects: true,
  refusals: [],
  ...given,
});
