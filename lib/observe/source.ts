// Looks at the source cluster: what stands there under this link's name, who else holds names, and which addresses are its own.
import { ClusterError } from '../errors.ts';
import { familyOf } from '../model/families.ts';
import { keyText } from '../model/keys.ts';
import { CLUSTER_NAME, SERVICE_NAME } from '../model/labels.ts';
import type { Link } from '../model/link.ts';
import type { Family, Lease, Meta, Service } from '../model/objects.ts';
import type { Observed, SourceSnapshot } from '../model/snapshot.ts';
import type { Cluster } from '../ports.ts';
import { attempt } from './attempt.ts';

const byKey = <T extends { readonly meta: Meta }>(objects: readonly T[]): ReadonlyMap<string, T> =>
  new Map(objects.map((object) => [keyText(object.meta), object]));

/** How ClusterIPs' ranges are guessed on clusters without ServiceCIDR objects; a pure rule of lib/gateway. */
export type InferRange = (clusterIPs: readonly string[], kubernetesIP: string) => string | undefined;

const kubernetesService = (services: readonly Service[]): Service | undefined =>
  services.find(({ meta }) => meta.namespace === 'default' && meta.name === 'kubernetes');

/** ServiceCIDR objects exist from Kubernetes 1.33 on and may be forbidden to us: then undefined, and the range is inferred. */
const declaredRanges = async (cluster: Cluster): Promise<readonly string[] | undefined> => {
  try {
    const ranges = (await cluster.list('ServiceCIDR')).flatMap(({ cidrs }) => cidrs);
    return ranges.length > 0 ? ranges : undefined;
  } catch (error) {
    if (error instanceof ClusterError && ['unsupported', 'denied', 'notFound'].includes(error.kind))
      return undefined;
    throw error;
  }
};

/** Addresses of the API servers; unknown where they may not be read, which is no reason to stop. */
const apiServerAddresses = async (cluster: Cluster): Promise<ReadonlySet<string>> => {
  try {
    const query = { namespace: 'default', labelSelector: `${SERVICE_NAME}=kubernetes` };
    const slices = await cluster.list('EndpointSlice', query);
    return new Set(slices.flatMap(({ endpoints }) => endpoints.flatMap(({ addresses }) => addresses)));
  } catch (error) {
    if (error instanceof ClusterError && error.kind === 'denied') return new Set();
    throw error;
  }
};

const rangesOf = (
  declared: readonly string[] | undefined,
  services: readonly Service[],
  infer: InferRange,
): SourceSnapshot['serviceRanges'] => {
  if (declared !== undefined) return { cidrs: declared, inferred: false };
  const inferred = infer(
    services.flatMap(({ clusterIPs }) => clusterIPs),
    kubernetesService(services)?.clusterIP ?? '',
  );
  return { cidrs: inferred === undefined ? [] : [inferred], inferred: true };
};

/** The family besides the first that Services of the cluster can have: its ranges tell, or the Services that have both. */
const secondFamily = (
  first: Family,
  ranges: SourceSnapshot['serviceRanges'],
  services: readonly Service[],
): Pick<SourceSnapshot, 'secondFamily'> => {
  const second: Family = first === 'IPv4' ? 'IPv6' : 'IPv4';
  const isDeclared = ranges.cidrs.some((cidr) => familyOf(cidr) === second);
  // A Service without a selector and an address is said to have both families on every cluster.
  const isUsed = services.some(
    ({ clusterIP, ipFamilies }) => clusterIP !== 'None' && ipFamilies.includes(second),
  );
  return isDeclared || isUsed ? { secondFamily: second } : {};
};

/** One complete look at the source cluster, in parallel. The first part that cannot be read makes the whole unobserved. */
export const observeSource = async (
  cluster: Cluster,
  link: Link,
  infer: InferRange,
): Promise<Observed<SourceSnapshot>> => {
  const labelSelector = `${CLUSTER_NAME}=${link.name}`;
  const [namespaces, services, endpoints, slices, declared, apiServers] = await Promise.all([
    attempt('source Namespaces', () => cluster.list('Namespace')),
    attempt('source Services', () => cluster.list('Service')),
    attempt('source Endpoints', () => cluster.list('Endpoints', { labelSelector })),
    attempt('source EndpointSlices', () => cluster.list('EndpointSlice', { labelSelector })),
    attempt('source ServiceCIDRs', () => declaredRanges(cluster)),
    attempt('source API servers', () => apiServerAddresses(cluster)),
  ]);
  if (!namespaces.observed) return namespaces;
  if (!services.observed) return services;
  if (!endpoints.observed) return endpoints;
  if (!slices.observed) return slices;
  if (!declared.observed) return declared;
  if (!apiServers.observed) return apiServers;
  const family = kubernetesService(services.value)?.ipFamilies[0] ?? 'IPv4';
  const serviceRanges = rangesOf(declared.value, services.value, infer);
  return {
    observed: true,
    value: {
      uid: namespaces.value.find(({ meta }) => meta.name === 'kube-system')?.meta.uid,
      namespaces: new Map(namespaces.value.map((namespace) => [namespace.meta.name, namespace])),
      services: byKey(services.value),
      endpoints: byKey(endpoints.value),
      slices: byKey(slices.value),
      family,
      ...secondFamily(family, serviceRanges, services.value),
      serviceRanges,
      apiServers: apiServers.value,
    },
  };
};

/** The snapshot with the names of all other Endpoints too, for plans that create some. Metadata only: their content is not ours. */
export const withForeignEndpoints = async (
  cluster: Cluster,
  snapshot: SourceSnapshot,
): Promise<Observed<SourceSnapshot>> => {
  const names = await attempt('source Endpoints', () => cluster.list('Endpoints', { metadataOnly: true }));
  if (!names.observed) return names;
  const foreign = names.value.filter(({ meta }) => !snapshot.endpoints.has(keyText(meta)));
  return { observed: true, value: { ...snapshot, foreignEndpoints: byKey(foreign) } };
};

/** The Lease by which writers of the link agree; undefined when there is none yet. */
export const observeLease = (
  cluster: Cluster,
  namespace: string,
  name: string,
): Promise<Observed<Lease | undefined>> =>
  attempt(`source Lease ${namespace}/${name}`, () => cluster.get('Lease', namespace, name));

const NOTHING: Omit<SourceSnapshot, 'endpoints' | 'slices' | 'family'> = {
  uid: undefined,
  namespaces: new Map(),
  services: new Map(),
  serviceRanges: { cidrs: [], inferred: true },
  apiServers: new Set(),
};

/** Only the endpoints objects of a link: what a gateway whose addresses changed concerns. The rest of the snapshot is empty. */
export const observeEndpoints = async (cluster: Cluster, link: Link): Promise<Observed<SourceSnapshot>> => {
  const labelSelector = `${CLUSTER_NAME}=${link.name}`;
  const [endpoints, slices] = await Promise.all([
    attempt('source Endpoints', () => cluster.list('Endpoints', { labelSelector })),
    attempt('source EndpointSlices', () => cluster.list('EndpointSlice', { labelSelector })),
  ]);
  if (!endpoints.observed) return endpoints;
  if (!slices.observed) return slices;
  return {
    observed: true,
    value: { ...NOTHING, endpoints: byKey(endpoints.value), slices: byKey(slices.value), family: 'IPv4' },
  };
};
