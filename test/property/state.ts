// A whole source cluster as plain data, without what no two clusters have in common.
import type { EmbeddedApiServer } from '../../sandbox/apiserver/server.ts';

type Store = EmbeddedApiServer['store'];
type StoredObject = ReturnType<Store['list']>[number];

const RESOURCES = ['namespaces', 'services', 'endpoints', 'endpointslices'] as const;

/** ClusterIPs and node ports are given out in the order of requests; times and versions differ. */
const VARIES = [
  'uid',
  'resourceVersion',
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

const text = (object: unknown): string =>
  JSON.stringify(object, (key, value: unknown) =>
    VARIES.some((name) => name === key) && !isHeadless(value) ? `<${key}>` : value,
  )
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

/** Every object of the source cluster by name, Leases apart. */
export const stateOf = (store: Store): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    RESOURCES.flatMap((resource) =>
      store
        .list(resource)
        .map((object): [string, unknown] => [
          `${resource} ${object.metadata.namespace ?? ''}/${object.metadata.name}`,
          JSON.parse(text(withOwners(store, object))),
        ]),
    ),
  );
