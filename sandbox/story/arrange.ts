// Changes the two clusters as their owners would, through their API servers.
import type { ApiClient } from '../api-client.ts';
import {
  EXPORT_LABEL,
  gateway,
  GATEWAY_NAMESPACE,
  gatewayStatus,
  NAMESPACE,
  namespaceOf,
  SERVICES,
  serviceOf,
  sliceName,
  sliceOf,
} from './objects.ts';

const namespaces = '/api/v1/namespaces';
const services = (namespace: string): string => `${namespaces}/${namespace}/services`;
const slices = (namespace: string): string =>
  `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`;

/** What both clusters have before there is a link. */
export async function arrangeNamespaces(cluster: ApiClient): Promise<void> {
  for (const name of [NAMESPACE, GATEWAY_NAMESPACE]) await cluster.create(namespaces, namespaceOf(name));
}

/** The Services of cluster west and its gateway. */
export async function arrangeExports(west: ApiClient): Promise<void> {
  for (const service of SERVICES) {
    await west.create(services(NAMESPACE), serviceOf(service));
    await west.create(slices(NAMESPACE), sliceOf(service));
  }
  await west.create(services(GATEWAY_NAMESPACE), gateway());
  await west.patch(`${services(GATEWAY_NAMESPACE)}/linkerd-gateway/status`, gatewayStatus());
}

/** What the endpoint slice controller does when the last pod is gone. */
export const scaleToZero = (west: ApiClient, service: string): Promise<void> =>
  west.patch(`${slices(NAMESPACE)}/${sliceName(service)}`, { endpoints: [] });

export const unexport = (west: ApiClient, service: string): Promise<void> =>
  west.patch(`${services(NAMESPACE)}/${service}`, { metadata: { labels: { [EXPORT_LABEL]: null } } });
