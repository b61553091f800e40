// Reads the mirrors of the link back from the API server of cluster east, as any other client would.
import type { ApiClient } from '../api-client.ts';
import { LINK } from './objects.ts';
import type { PresentMirror } from './mirrors.ts';

interface Meta {
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
}

interface ServiceObject {
  readonly metadata: Meta;
  readonly spec: { readonly clusterIP: string };
}

interface EndpointsObject {
  readonly metadata: Meta;
  readonly subsets?: readonly {
    readonly addresses?: readonly { readonly ip: string; readonly hostname?: string }[];
    readonly ports?: readonly { readonly name?: string; readonly port: number }[];
  }[];
}

interface List<T> {
  readonly items: readonly T[];
}

const selector = encodeURIComponent(
  `mirror.linkerd.io/mirrored-service=true,mirror.linkerd.io/cluster-name=${LINK}`,
);
const keyOf = ({ metadata }: { readonly metadata: Meta }): string => `${metadata.namespace}/${metadata.name}`;

/** Everything that carries the link's ownership labels, sorted by name. */
export async function readMirrors(east: ApiClient): Promise<readonly PresentMirror[]> {
  const [services, endpoints] = await Promise.all([
    east.get<List<ServiceObject>>(`/api/v1/services?labelSelector=${selector}`),
    east.get<List<EndpointsObject>>(`/api/v1/endpoints?labelSelector=${selector}`),
  ]);
  const byName = new Map(endpoints.items.map((object) => [keyOf(object), object]));
  return services.items
    .map((service) => mirrorOf(service, byName.get(keyOf(service))))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function mirrorOf(service: ServiceObject, endpoints: EndpointsObject | undefined): PresentMirror {
  const subsets = endpoints?.subsets ?? [];
  const addresses = subsets
    .flatMap((subset) => subset.addresses ?? [])
    .map(({ ip, hostname }) => (hostname === undefined ? ip : `${hostname}=${ip}`));
  return {
    name: keyOf(service),
    clusterIP: service.spec.clusterIP,
    version: `${service.metadata.resourceVersion}/${endpoints?.metadata.resourceVersion ?? 'none'}`,
    addresses: endpoints === undefined ? 'elsewhere' : addresses.toSorted(),
    ports: subsets.flatMap(({ ports = [] }) => ports.map(({ name = '', port }) => `${name}:${port}`)),
  };
}
