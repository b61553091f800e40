// Changes the two clusters as their owners would, through their API servers.
import type { ApiClient } from '../api-client.ts';
import {
  endpointsOf,
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

/** What the endpoint slice controller does when these are the pods. @param pods hostnames */
export const scale = (west: ApiClient, service: string, pods: readonly string[]): Promise<void> =>
  west.patch(`${slices(NAMESPACE)}/${sliceName(service)}`, { endpoints: endpointsOf(pods) });

/** A Service cannot lose its ClusterIP: it is deleted and made again. */
export async function makeHeadless(west: ApiClient, name: string, pods: readonly string[]): Promise<void> {
  const service = SERVICES.find((one) => one.name === name);
  if (service === undefined) throw new Error(`no Service ${name} in the story`);
  await west.remove(`${services(NAMESPACE)}/${name}`);
  await west.create(services(NAMESPACE), serviceOf({ ...service, pods }));
  await scale(west, name, pods);
}

export const unexport = (west: ApiClient, service: string): Promise<void> =>
  west.patch(`${services(NAMESPACE)}/${service}`, { metadata: { labels: { [EXPORT_LABEL]: null } } });
