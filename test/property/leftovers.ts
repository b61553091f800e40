// Random objects in the source cluster from before our first run: ours, nearly ours and others', in every wrong shape.
import * as fc from 'fast-check';
import { aService } from '../support/builders.ts';
import { ANNOTATIONS, LABELS, mostly, type Placed, PORTS, type Shape, SHAPES, someOf } from './pools.ts';

/** Who wrote an object. */
const MANAGERS = ['controller', 'eks-service-mirror', 'kubectl'] as const;

export interface Leftover extends Placed {
  readonly manager: (typeof MANAGERS)[number];
}

const MIRROR_NAMES = [
  'web-west',
  'api-west',
  'db-west',
  'db-0-west',
  'db-1-west',
  'old-west',
  'older-west',
] as const;

/** Ways to carry, or nearly carry, the ownership pair of link west. */
const OWNERSHIP = {
  pair: { 'mirror.linkerd.io/mirrored-service': 'true', 'mirror.linkerd.io/cluster-name': 'west' },
  onlyMirrored: { 'mirror.linkerd.io/mirrored-service': 'true' },
  onlyCluster: { 'mirror.linkerd.io/cluster-name': 'west' },
  notMirrored: { 'mirror.linkerd.io/mirrored-service': 'false', 'mirror.linkerd.io/cluster-name': 'west' },
  otherLink: { 'mirror.linkerd.io/mirrored-service': 'true', 'mirror.linkerd.io/cluster-name': 'east' },
  none: {},
} as const;
type Ownership = keyof typeof OWNERSHIP;
const ownership = mostly<Ownership>(
  'pair',
  'onlyMirrored',
  'onlyCluster',
  'notMirrored',
  'otherLink',
  'none',
);

const HEADLESS_MIRROR = 'mirror.linkerd.io/headless-mirror-svc-name';

/** An endpoint mirror names its root in a label. */
const root = mostly<string | undefined>(undefined, 'db-west', 'gone-west');
const manager = fc.constantFrom(...MANAGERS);
const place = {
  namespace: mostly<'shop' | 'other'>('shop', 'other'),
  name: fc.constantFrom(...MIRROR_NAMES),
};

const sourceLabels = (given: {
  readonly ownership: Ownership;
  readonly root?: string | undefined;
  readonly labels?: Record<string, string>;
}): Record<string, string> => ({
  ...given.labels,
  ...OWNERSHIP[given.ownership],
  ...(given.root === undefined ? {} : { [HEADLESS_MIRROR]: given.root }),
});

/** Of a Service that asks for both families, where the shape is one that can. */
const POLICY = { ipFamilyPolicy: 'PreferDualStack' } as const;

const leftoverService = fc
  .record({
    ...place,
    ownership,
    root,
    manager,
    labels: someOf(LABELS),
    annotations: someOf(ANNOTATIONS),
    ports: fc.constantFrom(...PORTS),
    shape: mostly<Shape>('selectorless', 'plain', 'headless', 'bareHeadless', 'externalName'),
    asksBoth: mostly(false, true),
  })
  .map((given): Leftover => ({
    resource: 'services',
    manager: given.manager,
    object: aService({
      namespace: given.namespace,
      name: given.name,
      labels: sourceLabels(given),
      annotations: given.annotations,
      ports: given.ports,
      spec: {
        ...SHAPES[given.shape],
        ...(given.asksBoth && given.shape === 'selectorless' ? POLICY : {}),
      },
    }),
  }));

interface Line {
  readonly ip: string;
  readonly hostname?: string;
}

/** The gateway's addresses, present and former, and lines as of a headless root: some lists have both. */
const lines: fc.Arbitrary<readonly Line[]> = fc.oneof(
  {
    arbitrary: fc.subarray<Line>(['198.51.100.10', '198.51.100.99', '203.0.113.7'].map((ip) => ({ ip }))),
    weight: 3,
  },
  {
    arbitrary: fc.subarray<Line>([
      { ip: '10.96.0.200', hostname: 'db-0' },
      { ip: '10.96.0.201', hostname: 'db-1' },
      { ip: '198.51.100.10' },
    ]),
    weight: 1,
  },
);

const GONE_AT = {
  'eks-service-mirror/pod-gone-at': ['2025-12-31T23:58:00Z', '2025-12-31T23:00:00Z', 'no time'],
};

interface List {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
  readonly lines: readonly Line[];
  readonly port: number;
}

const endpointsObject = ({ namespace, name, labels, annotations, lines: all, port }: List): Placed => ({
  resource: 'endpoints',
  object: {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { namespace, name, labels, annotations },
    ...(all.length === 0
      ? {}
      : { subsets: [{ addresses: all, ports: [{ name: 'http', port, protocol: 'TCP' }] }] }),
  },
});

const leftoverEndpoints = fc
  .record({
    ...place,
    ownership,
    root,
    manager,
    labels: someOf(LABELS),
    annotations: someOf({
      'mirror.linkerd.io/remote-svc-fq-name': ['web.shop.svc.cluster.local', 'stale.shop.svc.cluster.local'],
      'mirror.linkerd.io/remote-gateway-identity': ['gw.id', 'old.id'],
      note: ['a'],
      ...GONE_AT,
    }),
    lines,
    port: fc.constantFrom(4143, 4144),
  })
  .map((given): Leftover => ({
    ...endpointsObject({ ...given, labels: sourceLabels(given) }),
    manager: given.manager,
  }));

const MANAGERS_OF_SLICES = {
  ours: 'eks-service-mirror',
  copied: 'endpointslicemirroring-controller.k8s.io',
  other: 'somebody.example.test',
} as const;

/** Ours have names that we build (the digits are of the SHA-256 of the link's name), and one that we do not. */
const SLICE_SUFFIXES = ['76a79620-v4-0', '76a79620-v4-1', 'extra'] as const;

interface SliceList extends List {
  readonly service: string;
  readonly managedBy: keyof typeof MANAGERS_OF_SLICES;
}

const sliceObject = (given: SliceList): Placed => ({
  resource: 'endpointslices',
  object: {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      namespace: given.namespace,
      name: given.name,
      labels: {
        ...given.labels,
        'kubernetes.io/service-name': given.service,
        'endpointslice.kubernetes.io/managed-by': MANAGERS_OF_SLICES[given.managedBy],
      },
      annotations: given.annotations,
    },
    addressType: 'IPv4',
    endpoints: given.lines.map(({ ip, ...name }) => ({
      addresses: [ip],
      conditions: { ready: true },
      ...name,
    })),
    ports: [{ name: 'http', port: given.port, protocol: 'TCP' }],
  },
});

const leftoverSlice = fc
  .record({
    ...place,
    ownership,
    root,
    manager,
    managedBy: mostly<keyof typeof MANAGERS_OF_SLICES>('ours', 'copied', 'other'),
    suffix: fc.constantFrom(...SLICE_SUFFIXES),
    annotations: someOf(GONE_AT),
    lines,
  })
  .map((given): Leftover => {
    const isOurs = given.managedBy === 'ours' && given.ownership === 'pair';
    const name = isOurs
      ? `${given.name}-${given.suffix}`
      : `${given.name}-${given.managedBy}-${given.ownership.toLowerCase()}`;
    const list = { ...given, name, service: given.name, labels: sourceLabels(given), port: 4143 };
    return { ...sliceObject(list), manager: given.manager };
  });

/** ClusterIPs that no API server gives out by itself: those of endpoint mirrors that stand. */
const CLUSTER_IPS = { 'db-0': '10.96.0.200', 'db-1': '10.96.0.201', web: '10.96.0.202' } as const;
type StandingPod = keyof typeof CLUSTER_IPS;

const NAMES_OF_PODS: readonly StandingPod[] = ['db-0', 'db-1', 'web'];

/** A headless mirror as a run left it, but for some of its objects. */
const headlessMirror: fc.Arbitrary<readonly Leftover[]> = fc
  .record({
    root: fc.constantFrom('db-west', 'api-west', 'gone-west'),
    manager,
    pods: fc.subarray([...NAMES_OF_PODS]),
    listed: fc.subarray([...NAMES_OF_PODS]),
    form: mostly<'endpoints' | 'endpointslices'>('endpoints', 'endpointslices'),
    isRootThere: mostly(true, false),
    isListThere: mostly(true, false),
    withoutService: fc.option(fc.constantFrom(...NAMES_OF_PODS), { nil: undefined, freq: 4 }),
    withoutList: fc.option(fc.constantFrom(...NAMES_OF_PODS), { nil: undefined, freq: 4 }),
    goneAt: someOf(GONE_AT),
  })
  .map((given) => {
    const namespace = 'shop'; // one namespace only: each ClusterIP can stand once
    const ofPods = { ...OWNERSHIP.pair, [HEADLESS_MIRROR]: given.root };
    const list = (service: string, labels: Record<string, string>, all: readonly Line[]): Placed => {
      const common = { namespace, labels, annotations: service === given.root ? {} : given.goneAt };
      return given.form === 'endpoints'
        ? endpointsObject({ ...common, name: service, lines: all, port: 4143 })
        : sliceObject({
            ...common,
            name: `${service}-76a79620-v4-0`,
            service,
            managedBy: 'ours',
            lines: all,
            port: 4143,
          });
    };
    const service = (name: string, labels: Record<string, string>, clusterIP: string): Placed => ({
      resource: 'services',
      object: aService({ namespace, name, labels, spec: { clusterIP } }),
    });
    const entries = given.listed
      .filter((hostname) => given.pods.includes(hostname))
      .map((hostname) => ({ ip: CLUSTER_IPS[hostname], hostname }));
    return [
      ...(given.isRootThere ? [service(given.root, { ...OWNERSHIP.pair }, 'None')] : []),
      ...(given.isListThere ? [list(given.root, { ...OWNERSHIP.pair }, entries)] : []),
      ...given.pods.flatMap((pod) => [
        ...(pod === given.withoutService ? [] : [service(`${pod}-west`, ofPods, CLUSTER_IPS[pod])]),
        ...(pod === given.withoutList ? [] : [list(`${pod}-west`, ofPods, [{ ip: '198.51.100.10' }])]),
      ]),
    ].map((placed) => ({ ...placed, manager: given.manager }));
  });

/** @param most how many of each kind; a crowded cluster needs many, so that objects of one mirror meet */
export const leftoversOf = (most: {
  readonly min: number;
  readonly max: number;
}): fc.Arbitrary<readonly Leftover[]> => {
  const size = { minLength: most.min, maxLength: most.max };
  const single = fc.tuple(
    fc.array(leftoverService, size),
    fc.array(leftoverEndpoints, size),
    fc.array(leftoverSlice, size),
  );
  return fc.tuple(single, fc.array(headlessMirror, { maxLength: 2 })).map(([singles, mirrors]) => {
    const rows = [...singles.flat(), ...mirrors.flat()];
    const name = ({ resource, object: { metadata } }: Leftover): string =>
      `${resource} ${metadata.namespace}/${metadata.name}`;
    return [...new Map(rows.map((row) => [name(row), row])).values()];
  });
};

const labelsOf = ({ object }: Placed): Readonly<Record<string, string>> => object.metadata.labels ?? {};

const hasPair = (leftover: Placed): boolean => {
  const labels = labelsOf(leftover);
  return (
    labels['mirror.linkerd.io/mirrored-service'] === 'true' &&
    labels['mirror.linkerd.io/cluster-name'] === 'west'
  );
};

/** Ownership as the documentation states it, told from what the test itself wrote. */
export const isOurs = (leftover: Placed): boolean => {
  const { object, resource } = leftover;
  if (!hasPair(leftover)) return false;
  if (resource === 'endpointslices')
    return labelsOf(leftover)['endpointslice.kubernetes.io/managed-by'] === 'eks-service-mirror';
  if (resource === 'endpoints') return true;
  return object['spec'].selector === undefined && object['spec'].type !== 'ExternalName';
};
