// A whole source cluster as plain data, without what no two clusters have in common.
import { compareText } from '../../lib/model/keys.ts';
import type { EmbeddedApiServer } from '../../sandbox/apiserver/server.ts';

type Store = EmbeddedApiServer['store'];
type StoredObject = ReturnType<Store['list']>[number];

const RESOURCES = ['namespaces', 'services', 'endpoints', 'endpointslices'] as const;

/** ClusterIPs and node ports are given out in the order of requests; times, versions and the number of writes differ. */
const VARIES = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'time',
  'clusterIP',
  'clusterIPs',
  'nodePort',
] as const;

const isHeadless = (value: unknown): boolean =>
  value === 'None' || (Array.isArray(value) && value[0] === 'None');

/** managedFields names owners by UID inside of keys, and has times. */
const UID_KEY = /k:\{\\*"uid\\*":\\*"[-0-9a-f]+\\*"\}/g;

const TIME = /\d{4}-\d\d-\d\dT[\d:]+Z/g;

/** Whose each ClusterIP is: lists of headless roots name them. */
const ownersOf = (store: Store): ReadonlyMap<string, string> =>
  new Map(
    store.list('services').flatMap(({ metadata, spec }) => {
      const ips: readonly string[] = Object(spec)['clusterIPs'] ?? [];
      return ips.map((ip): [string, string] => [
        ip,
        `${ip.includes(':') ? 'IPv6' : 'IPv4'} of ${metadata.namespace ?? ''}/${metadata.name}`,
      ]);
    }),
  );

const text = (object: unknown, owners: ReadonlyMap<string, string>): string =>
  JSON.stringify(object, (key, value: unknown) => {
    if (VARIES.some((name) => name === key) && !isHeadless(value)) return `<${key}>`;
    return typeof value === 'string' ? (owners.get(value) ?? value) : value;
  })
    .replaceAll(UID_KEY, '<uid>')
    .replaceAll(TIME, '<time>');

/** Managers in one order, owners by name and whether the object of that name is still the one that is meant. */
const withOwners = (store: Store, object: StoredObject): unknown => {
  const { namespace = '', ownerReferences = [], managedFields = [], ...metadata } = object.metadata;
  const owners = ownerReferences.map(({ name, uid }) => {
    const owner = store.get('services', namespace, name);
    return `${name} ${owner?.metadata.uid === uid ? 'present' : 'gone'}`;
  });
  const managers = managedFields.map((entry) => JSON.stringify(entry)).toSorted(); // their order is that of their times
  return { ...object, metadata: { ...metadata, namespace, owners, managers } };
};

/** Which of its endpoints a slice lists first depends on which came first. */
const withSortedEndpoints = (object: StoredObject): StoredObject => {
  const { endpoints } = Object(object);
  if (!Array.isArray(endpoints)) return object;
  const byHostname = endpoints.toSorted((a, b) => compareText(String(a.hostname), String(b.hostname)));
  return { ...object, endpoints: byHostname };
};

/** Every object of the source cluster by name, Leases apart. */
export const stateOf = (store: Store): Readonly<Record<string, unknown>> => {
  const owners = ownersOf(store);
  return Object.fromEntries(
    RESOURCES.flatMap((resource) =>
      store
        .list(resource)
        .map((object): [string, unknown] => [
          `${resource} ${object.metadata.namespace ?? ''}/${object.metadata.name}`,
          JSON.parse(text(withOwners(store, withSortedEndpoints(object)), owners)),
        ]),
    ),
  );
};
