// Looks at the target cluster: all its Services, who of them has a ready endpoint, and which cluster it is.
import { keyText } from '../model/keys.ts';
import type { EndpointSlice, Service } from '../model/objects.ts';
import type { Observed, TargetSnapshot } from '../model/snapshot.ts';
import type { Cluster } from '../ports.ts';
import { attempt } from './attempt.ts';
import { clusterUid } from './identity.ts';

const hasReadyEndpoint = ({ endpoints }: EndpointSlice): boolean => endpoints.some(({ ready }) => ready);

const readyServices = (slices: readonly EndpointSlice[]): ReadonlySet<string> =>
  new Set(
    slices
      .filter((slice) => slice.serviceName !== '' && hasReadyEndpoint(slice))
      .map(({ meta, serviceName }) => keyText({ namespace: meta.namespace, name: serviceName })),
  );

/** Who the pods of headless Services are; of the others it is enough to know whether one is ready. */
const headlessSlices = (
  services: readonly Service[],
  slices: readonly EndpointSlice[],
): TargetSnapshot['headless'] => {
  const headless = new Set(
    services.filter(({ clusterIP }) => clusterIP === 'None').map(({ meta }) => keyText(meta)),
  );
  const keyOf = ({ meta, serviceName }: EndpointSlice): string =>
    keyText({ namespace: meta.namespace, name: serviceName });
  return Map.groupBy(
    slices.filter((slice) => headless.has(keyOf(slice))),
    keyOf,
  );
};

/**
 * One list of all Services, not one per selector: a Service whose label moves from one selector to the other between two lists would
 * be in neither, and its mirror would be deleted. EndpointSlices are read without a selector too: those of a selector-less Service
 * need not carry the export label.
 */
export const observeTarget = async (cluster: Cluster): Promise<Observed<TargetSnapshot>> => {
  const [uid, services, slices] = await Promise.all([
    attempt('target cluster', () => clusterUid(cluster)),
    attempt('target Services', () => cluster.list('Service')),
    attempt('target EndpointSlices', () => cluster.list('EndpointSlice')),
  ]);
  if (!uid.observed) return uid;
  if (!services.observed) return services;
  return {
    observed: true,
    value: {
      uid: uid.value,
      services: new Map(services.value.map((service) => [keyText(service.meta), service])),
      ready: slices.observed ? { observed: true, value: readyServices(slices.value) } : slices,
      headless: slices.observed ? headlessSlices(services.value, slices.value) : new Map(),
    },
  };
};
