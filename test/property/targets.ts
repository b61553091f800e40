// Random Services of the target cluster with their EndpointSlices: of every shape, headless ones with pods of every kind.
import * as fc from 'fast-check';
import { aService, aSlice } from '../support/builders.ts';
import {
  ANNOTATIONS,
  LABELS,
  longName,
  mostly,
  type Placed,
  PORTS,
  type Shape,
  SHAPES,
  someOf,
} from './pools.ts';

/** Namespaces of the target cluster; of these only the first two exist in the source cluster. */
export const TARGET_NAMESPACES = ['shop', 'other', 'lonely', 'linkerd-viz'] as const;

const NAMES = ['web', 'api', 'db', 'db-0', longName('long')] as const;
/** Some are names of Services too; the last two can be no name of a Service that begins with them. */
const HOSTNAMES = ['db-0', 'db-1', 'web', '0-first', longName('pod')] as const;

const SLICE_PORTS = [
  [{ name: 'http', port: 8080, protocol: 'TCP' }],
  [{ name: 'http', port: 8081, protocol: 'TCP' }],
  [{ name: '', port: 8080, protocol: 'TCP' }],
] as const;

interface Pod {
  readonly hostname: string | undefined;
  readonly ready: 'ready' | 'unready' | 'unsaid';
  /** Which of the slices hold it: a pod that moves is in two for a moment. */
  readonly slices: readonly number[];
}

const pod = (hostname: fc.Arbitrary<string | undefined>): fc.Arbitrary<Pod> =>
  fc.record({
    hostname,
    ready: mostly<Pod['ready']>('ready', 'unready', 'unsaid'),
    slices: mostly<readonly number[]>([0], [1], [2], [0, 1]),
  });

const hostname = fc.constantFrom(...HOSTNAMES);
const many = { maxLength: 4, minLength: 1 };
const pods: fc.Arbitrary<readonly Pod[]> = fc.oneof(
  { arbitrary: fc.uniqueArray(pod(hostname), { ...many, selector: (given) => given.hostname }), weight: 4 },
  { arbitrary: fc.array(pod(fc.option(hostname, { nil: undefined })), many), weight: 1 },
  { arbitrary: fc.array(pod(fc.constant(undefined)), many), weight: 1 },
  { arbitrary: fc.constant([]), weight: 1 },
);

const FAMILIES = { IPv4: '10.1.0.', IPv6: 'fd00::' } as const;
const READY = { ready: { ready: true }, unready: { ready: false }, unsaid: {} } as const;

const endpointOf = ({ hostname, ready }: Pod, ip: string): object => ({
  addresses: [ip],
  conditions: READY[ready],
  ...(hostname === undefined ? {} : { hostname }),
});

interface Content {
  readonly pods: readonly Pod[];
  readonly families: readonly (keyof typeof FAMILIES)[];
  readonly ports: readonly (typeof SLICE_PORTS)[number][]; // of each slice
}

const content: fc.Arbitrary<Content> = fc.record({
  pods,
  families: mostly<Content['families']>(['IPv4'], ['IPv6'], ['IPv4', 'IPv6']),
  ports: fc.tuple(...[0, 1, 2].map(() => mostly<(typeof SLICE_PORTS)[number]>(...SLICE_PORTS))),
});

interface Key {
  readonly namespace: string;
  readonly name: string;
}

const headlessSlices = (
  { namespace, name }: Key,
  { pods: all, families, ports }: Content,
): readonly Placed[] =>
  families.flatMap((family) =>
    ports.map((portsOfSlice, slice): Placed => {
      const base = aSlice({ namespace, service: name, name: `${name}-${family.toLowerCase()}-${slice}` });
      const endpoints = all.flatMap((one, index) =>
        one.slices.includes(slice) ? [endpointOf(one, `${FAMILIES[family]}${index + 1}`)] : [],
      );
      return {
        resource: 'endpointslices',
        object: { ...base, addressType: family, endpoints, ports: portsOfSlice },
      };
    }),
  );

const exportLabels = (
  value: 'true' | 'remote-discovery' | 'false' | undefined,
  isMember: boolean,
): Record<string, string> => ({
  ...(value === undefined ? {} : { 'mirror.linkerd.io/exported': value }),
  ...(isMember ? { 'mirror.linkerd.io/federated': 'member' } : {}),
});

const isHeadless = (shape: Shape): boolean => 'clusterIP' in SHAPES[shape];

const EXPORTED = ['true', 'remote-discovery', 'false', undefined] as const;

const details = fc.record({
  exported: mostly<(typeof EXPORTED)[number]>(...EXPORTED),
  isMember: mostly(false, true),
  isMirror: mostly(false, false, true),
  labels: someOf(LABELS),
  annotations: someOf(ANNOTATIONS),
  ports: fc.constantFrom(...PORTS),
  shape: fc.oneof(
    mostly<Shape>('plain', 'selectorless', 'nodePort', 'externalName'),
    mostly<Shape>('headless', 'headlessWithUnready', 'bareHeadless'),
  ),
  ready: mostly<'ready' | 'unready' | 'unseen'>('ready', 'unready', 'unseen'),
  content,
});
type Details = typeof details extends fc.Arbitrary<infer T> ? T : never;

const objectsOf = (key: Key, given: Details): readonly Placed[] => {
  const { namespace, name } = key;
  const { annotations, ports, ready } = given;
  const labels = {
    ...given.labels,
    ...exportLabels(given.exported, given.isMember),
    ...(given.isMirror ? { 'mirror.linkerd.io/mirrored-service': 'true' } : {}),
  };
  const spec = SHAPES[given.shape];
  const service = aService({ namespace, name, labels, annotations, ports, spec });
  const slice = aSlice({ namespace, service: name, ready: ready === 'ready' });
  const slices = isHeadless(given.shape)
    ? headlessSlices(key, given.content)
    : [{ resource: 'endpointslices' as const, object: slice }];
  return [{ resource: 'services' as const, object: service }, ...(ready === 'unseen' ? [] : slices)];
};

/** What becomes of a Service between two looks: mostly its pods come and go. */
const change = fc.constantFrom<'none' | 'pods' | 'all' | 'appears' | 'goes'>(
  'none',
  'pods',
  'pods',
  'all',
  'appears',
  'goes',
);

interface Exports {
  readonly before: readonly Placed[];
  readonly now: readonly Placed[];
}

const twoLooks = fc
  .record({
    namespace: mostly<(typeof TARGET_NAMESPACES)[number]>('shop', 'other', 'lonely', 'linkerd-viz'),
    name: fc.constantFrom(...NAMES),
    details,
    change,
    changed: details,
  })
  .map(({ namespace, name, details: given, change: what, changed }) => {
    const key = { namespace, name };
    const now = objectsOf(key, given);
    const before = {
      none: now,
      pods: objectsOf(key, { ...given, content: changed.content, ready: changed.ready }),
      all: objectsOf(key, changed),
      appears: [],
      goes: now,
    }[what];
    return { key: `${namespace}/${name}`, before, now: what === 'goes' ? [] : now };
  });

/** What a target cluster exports, the gateway apart, at two times. */
export const exports: fc.Arbitrary<Exports> = fc
  .uniqueArray(twoLooks, { maxLength: 6, selector: ({ key }) => key })
  .map((services) => ({
    before: services.flatMap(({ before }) => before),
    now: services.flatMap(({ now }) => now),
  }));
