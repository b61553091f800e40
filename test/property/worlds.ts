// Random pairs of clusters: what a target exports and what somebody left in the source. Every shape is one the code must tell apart.
import * as fc from 'fast-check';
import type { LinkDocument } from '../../lib/model/link.ts';
import type { KubeObject } from '../support/api.ts';
import { aGateway, aService, aSlice } from '../support/builders.ts';

/** An object that was in the source cluster before our first run, and who wrote it. */
export interface Leftover {
  readonly resource: 'services' | 'endpoints' | 'endpointslices';
  readonly object: KubeObject;
  readonly manager: 'controller' | 'eks-service-mirror' | 'kubectl';
}

export interface World {
  readonly link: Partial<LinkDocument>;
  readonly target: readonly { readonly resource: Leftover['resource']; readonly object: KubeObject }[];
  readonly source: readonly Leftover[];
}

/** Namespaces of the target cluster; of these only the first two exist in the source cluster. */
export const TARGET_NAMESPACES = ['shop', 'other', 'lonely', 'linkerd-viz'] as const;
export const SOURCE_NAMESPACES = ['shop', 'other', 'linkerd-multicluster'] as const;

const LONG = `long-${'x'.repeat(55)}`; // 60 characters: its mirror's name has too many
const NAMES = ['web', 'api', 'db', 'db-0', LONG] as const;
const MIRROR_NAMES = ['web-west', 'api-west', 'db-west', 'db-0-west', 'old-west', 'older-west'] as const;

/** Some of the entries, each key with one of its values. */
const someOf = (pool: Readonly<Record<string, readonly string[]>>): fc.Arbitrary<Record<string, string>> =>
  fc
    .tuple(
      ...Object.entries(pool).map(([key, values]) =>
        fc.constantFrom([], ...values.map((value) => [[key, value] as const])),
      ),
    )
    .map((entries) => Object.fromEntries(entries.flat()));

const LABELS = {
  tier: ['front', 'back'],
  'app.kubernetes.io/instance': ['web'],
  'app.kubernetes.io/managed-by': ['Helm', 'hand'],
  'mirror.linkerd.io/custom': ['x'],
} as const;
const ANNOTATIONS = {
  note: ['a', 'b'],
  'config.linkerd.io/opaque-ports': ['3306', '3306,5432'],
  'meta.helm.sh/release-name': ['web'],
  'service.kubernetes.io/topology-mode': ['Auto'],
} as const;

const HTTP = { name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' } as const;
const PORTS = [
  [HTTP],
  [{ port: 80, targetPort: 8080, protocol: 'TCP' }],
  [HTTP, { name: 'admin', port: 9990, targetPort: 'adm', protocol: 'TCP' }],
  [{ ...HTTP, appProtocol: 'kubernetes.io/h2c' }],
  [
    { name: 'dns', port: 53, targetPort: 53, protocol: 'UDP' },
    { name: 'dns-tcp', port: 53, targetPort: 53, protocol: 'TCP' },
  ],
] as const;

const SHAPES = {
  plain: { selector: { app: 'x' } },
  selectorless: {},
  nodePort: { type: 'NodePort', selector: { app: 'x' } },
  headless: { clusterIP: 'None', selector: { app: 'x' } },
  externalName: { type: 'ExternalName', externalName: 'elsewhere.example.test' },
} as const;

const mostly = <T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: fc.constant(usual), weight: 4 }, ...others.map((other) => fc.constant(other)));

const exportLabels = (
  value: 'true' | 'remote-discovery' | 'false' | undefined,
  isMember: boolean,
): Record<string, string> => ({
  ...(value === undefined ? {} : { 'mirror.linkerd.io/exported': value }),
  ...(isMember ? { 'mirror.linkerd.io/federated': 'member' } : {}),
});

const targetService = fc
  .record({
    namespace: mostly<(typeof TARGET_NAMESPACES)[number]>('shop', 'other', 'lonely', 'linkerd-viz'),
    name: fc.constantFrom(...NAMES),
    exported: mostly<'true' | 'remote-discovery' | 'false' | undefined>(
      'true',
      'remote-discovery',
      'false',
      undefined,
    ),
    isMember: mostly(false, true),
    isMirror: mostly(false, false, true),
    labels: someOf(LABELS),
    annotations: someOf(ANNOTATIONS),
    ports: fc.constantFrom(...PORTS),
    shape: mostly<keyof typeof SHAPES>('plain', 'selectorless', 'nodePort', 'headless', 'externalName'),
    ready: mostly<'ready' | 'unready' | 'unseen'>('ready', 'unready', 'unseen'),
  })
  .map((given) => {
    const { namespace, name, annotations, ports, ready } = given;
    const labels = {
      ...given.labels,
      ...exportLabels(given.exported, given.isMember),
      ...(given.isMirror ? { 'mirror.linkerd.io/mirrored-service': 'true' } : {}),
    };
    return {
      key: `${namespace}/${name}`,
      objects: [
        {
          resource: 'services' as const,
          object: aService({ namespace, name, labels, annotations, ports, spec: SHAPES[given.shape] }),
        },
        ...(ready === 'unseen'
          ? []
          : [
              {
                resource: 'endpointslices' as const,
                object: aSlice({ namespace, service: name, ready: ready === 'ready' }),
              },
            ]),
      ],
    };
  });

const gateway = fc
  .record({
    addresses: fc.subarray(['198.51.100.10', '198.51.100.11', '203.0.113.7']),
    identity: mostly('gw.id', ''),
  })
  .map(({ addresses, identity }) => aGateway({ ingress: addresses.map((ip) => ({ ip })), identity }));

/** Ways to carry, or nearly carry, the ownership pair of link west. */
const OWNERSHIP = {
  pair: { 'mirror.linkerd.io/mirrored-service': 'true', 'mirror.linkerd.io/cluster-name': 'west' },
  onlyMirrored: { 'mirror.linkerd.io/mirrored-service': 'true' },
  onlyCluster: { 'mirror.linkerd.io/cluster-name': 'west' },
  notMirrored: { 'mirror.linkerd.io/mirrored-service': 'false', 'mirror.linkerd.io/cluster-name': 'west' },
  otherLink: { 'mirror.linkerd.io/mirrored-service': 'true', 'mirror.linkerd.io/cluster-name': 'east' },
  none: {},
} as const;
const ownership = mostly<keyof typeof OWNERSHIP>(
  'pair',
  'onlyMirrored',
  'onlyCluster',
  'notMirrored',
  'otherLink',
  'none',
);

/** An endpoint mirror names its root in a label. */
const root = mostly<string | undefined>(undefined, 'db-west', 'gone-west');
const manager = fc.constantFrom<Leftover['manager']>('controller', 'eks-service-mirror', 'kubectl');
const place = {
  namespace: mostly<'shop' | 'other'>('shop', 'other'),
  name: fc.constantFrom(...MIRROR_NAMES),
};

const sourceLabels = (given: {
  readonly ownership: keyof typeof OWNERSHIP;
  readonly root: string | undefined;
  readonly labels: Record<string, string>;
}): Record<string, string> => ({
  ...given.labels,
  ...OWNERSHIP[given.ownership],
  ...(given.root === undefined ? {} : { 'mirror.linkerd.io/headless-mirror-svc-name': given.root }),
});

const leftoverService = fc
  .record({
    ...place,
    ownership,
    root,
    manager,
    labels: someOf(LABELS),
    annotations: someOf(ANNOTATIONS),
    ports: fc.constantFrom(...PORTS),
    shape: mostly<keyof typeof SHAPES>('selectorless', 'plain', 'headless', 'externalName'),
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
      spec: SHAPES[given.shape],
    }),
  }));

const ADDRESSES = ['198.51.100.10', '198.51.100.99', '203.0.113.7'] as const;

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
    }),
    ready: fc.subarray([...ADDRESSES]),
    port: fc.constantFrom(4143, 4144),
  })
  .map((given): Leftover => ({
    resource: 'endpoints',
    manager: given.manager,
    object: {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: {
        namespace: given.namespace,
        name: given.name,
        labels: sourceLabels(given),
        annotations: given.annotations,
      },
      ...(given.ready.length === 0
        ? {}
        : {
            subsets: [
              {
                addresses: given.ready.map((ip) => ({ ip })),
                ports: [{ name: 'http', port: given.port, protocol: 'TCP' }],
              },
            ],
          }),
    },
  }));

const MANAGERS_OF_SLICES = {
  ours: 'eks-service-mirror',
  copied: 'endpointslicemirroring-controller.k8s.io',
  other: 'somebody.example.test',
} as const;

/** Ours have names that we build (the digits are of the SHA-256 of the link's name), and one that we do not. */
const SLICE_SUFFIXES = ['76a79620-v4-0', '76a79620-v4-1', 'extra'] as const;

const leftoverSlice = fc
  .record({
    ...place,
    ownership,
    manager,
    managedBy: mostly<keyof typeof MANAGERS_OF_SLICES>('ours', 'copied', 'other'),
    suffix: fc.constantFrom(...SLICE_SUFFIXES),
    ready: fc.subarray([...ADDRESSES]),
  })
  .map((given): Leftover => {
    const isOurs = given.managedBy === 'ours' && given.ownership === 'pair';
    return {
      resource: 'endpointslices',
      manager: given.manager,
      object: {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: {
          namespace: given.namespace,
          name: isOurs
            ? `${given.name}-${given.suffix}`
            : `${given.name}-${given.managedBy}-${given.ownership.toLowerCase()}`,
          labels: {
            ...OWNERSHIP[given.ownership],
            'kubernetes.io/service-name': given.name,
            'endpointslice.kubernetes.io/managed-by': MANAGERS_OF_SLICES[given.managedBy],
          },
        },
        addressType: 'IPv4',
        endpoints: given.ready.map((ip) => ({ addresses: [ip], conditions: { ready: true } })),
        ports: [{ name: 'http', port: 4143, protocol: 'TCP' }],
      },
    };
  });

/** @param most how many of each kind; `crowded` needs many, so that objects of one mirror meet */
const leftoversOf = (most: {
  readonly min: number;
  readonly max: number;
}): fc.Arbitrary<readonly Leftover[]> => {
  const size = { minLength: most.min, maxLength: most.max };
  return fc
    .tuple(fc.array(leftoverService, size), fc.array(leftoverEndpoints, size), fc.array(leftoverSlice, size))
    .map((kinds) => {
      const rows = kinds.flat();
      const name = ({ resource, object: { metadata } }: Leftover): string =>
        `${resource} ${metadata.namespace}/${metadata.name}`;
      return [...new Map(rows.map((row) => [name(row), row])).values()];
    });
};

const link: fc.Arbitrary<Partial<LinkDocument>> = fc
  .record({
    endpoints: fc.constantFrom<'endpoints' | 'endpointslices'>('endpoints', 'endpointslices'),
    createNamespaces: fc.boolean(),
    excludedLabels: mostly<readonly string[]>([], ['tier']),
    deleteBrake: mostly({}, { percent: 0, atLeast: 0 }),
    isWithoutGateway: mostly(false, false, true),
  })
  .map(({ isWithoutGateway, excludedLabels, ...rest }) => ({
    ...rest,
    excludedLabels: [...excludedLabels],
    ...(isWithoutGateway ? { gateway: 'none' as const } : {}),
  }));

const worldWith = (source: fc.Arbitrary<readonly Leftover[]>): fc.Arbitrary<World> =>
  fc
    .record({
      link,
      services: fc.uniqueArray(targetService, { maxLength: 6, selector: ({ key }) => key }),
      gateway: fc.option(gateway, { nil: undefined, freq: 8 }),
      source,
    })
    .map(({ link, services, gateway, source }) => ({
      link,
      source,
      target: [
        ...services.flatMap(({ objects }) => objects),
        ...(gateway === undefined ? [] : [{ resource: 'services' as const, object: gateway }]),
      ],
    }));

export const world = worldWith(leftoversOf({ min: 0, max: 5 }));

/** A source cluster full of leftovers: too slow to put on a server again and again, right for pure functions. */
export const crowdedWorld = worldWith(leftoversOf({ min: 6, max: 16 }));

const labelsOf = ({ object }: Leftover): Readonly<Record<string, string>> => object.metadata.labels ?? {};

const hasPair = (leftover: Leftover): boolean => {
  const labels = labelsOf(leftover);
  return (
    labels['mirror.linkerd.io/mirrored-service'] === 'true' &&
    labels['mirror.linkerd.io/cluster-name'] === 'west'
  );
};

/** Ownership as the documentation states it, told from what the test itself wrote. */
export const isOurs = (leftover: Leftover): boolean => {
  const { object, resource } = leftover;
  if (!hasPair(leftover)) return false;
  if (resource === 'endpointslices')
    return labelsOf(leftover)['endpointslice.kubernetes.io/managed-by'] === 'eks-service-mirror';
  if (resource === 'endpoints') return true;
  return object['spec'].selector === undefined && object['spec'].type !== 'ExternalName';
};

/** Whether an endpoint mirror stands at a name that another exported Service's mirror would get: settled in two runs. */
export const hasPodMirrorAtExportedName = ({ source, target }: World): boolean => {
  const wanted = new Set(
    target.map(({ object: { metadata } }) => `${metadata.namespace}/${metadata.name}-west`),
  );
  return source.some(
    (leftover) =>
      labelsOf(leftover)['mirror.linkerd.io/headless-mirror-svc-name'] !== undefined &&
      wanted.has(`${leftover.object.metadata.namespace}/${leftover.object.metadata.name}`),
  );
};
