// The Kubernetes objects of the story: what cluster west exports from namespace `shop`, and the gateway in front of it.

export const NAMESPACE = 'shop';
export const GATEWAY_NAMESPACE = 'linkerd-multicluster';
export const LINK = 'west';

/** A name as AWS gives it to a network load balancer; nobody but the sandbox's own DNS server knows it. */
export const GATEWAY_HOST = 'linkerd-gateway-0a1b2c3d4e5f6a7b.elb.us-east-1.amazonaws.com';
export const GATEWAY_PORT = 4143;

export interface StoryService {
  readonly name: string;
  readonly exported: 'true' | 'remote-discovery' | undefined; // undefined: it is not
  readonly ports: readonly { readonly name: string; readonly port: number }[];
  /** Hostnames of its pods, as a StatefulSet gives them: then it is headless. Absent: it has a ClusterIP and two pods without. */
  readonly pods?: readonly string[];
}

export const SERVICES: readonly StoryService[] = [
  { name: 'web', exported: 'true', ports: [{ name: 'http', port: 80 }] },
  {
    name: 'api',
    exported: 'true',
    ports: [
      { name: 'http', port: 8080 },
      { name: 'grpc', port: 9090 },
      { name: 'metrics', port: 9100 },
    ],
  },
  { name: 'search', exported: 'remote-discovery', ports: [{ name: 'http', port: 9200 }] },
  { name: 'db', exported: 'true', ports: [{ name: 'sql', port: 5432 }], pods: ['db-0', 'db-1'] },
  { name: 'billing', exported: undefined, ports: [{ name: 'http', port: 80 }] },
];

export const EXPORT_LABEL = 'mirror.linkerd.io/exported';

export const namespaceOf = (name: string): object => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
});

export const serviceOf = ({ name, exported, ports, pods }: StoryService): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name,
    namespace: NAMESPACE,
    labels: { app: name, ...(exported !== undefined && { [EXPORT_LABEL]: exported }) },
  },
  spec: {
    ...(pods !== undefined && { clusterIP: 'None' }),
    selector: { app: name },
    ports: ports.map((port) => ({ ...port, protocol: 'TCP' })),
  },
});

export const sliceName = (service: string): string => `${service}-sandbox`;

/** Ready pods, as the endpoint slice controller would list them. @param pods their hostnames, where they have any */
export const endpointsOf = (pods: readonly (string | undefined)[]): readonly object[] =>
  pods.map((hostname, index) => ({
    addresses: [`10.1.0.${index + 1}`],
    conditions: { ready: true },
    ...(hostname !== undefined && { hostname }),
  }));

export const sliceOf = ({ name, ports, pods }: StoryService): object => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: {
    name: sliceName(name),
    namespace: NAMESPACE,
    labels: { 'kubernetes.io/service-name': name },
  },
  addressType: 'IPv4',
  endpoints: endpointsOf(pods ?? [undefined, undefined]),
  ports: ports.map((port) => ({ ...port, protocol: 'TCP' })),
});

export const gateway = (): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name: 'linkerd-gateway',
    namespace: GATEWAY_NAMESPACE,
    annotations: {
      'mirror.linkerd.io/gateway-identity': `linkerd-gateway.${GATEWAY_NAMESPACE}.serviceaccount.identity.linkerd.cluster.local`,
      'mirror.linkerd.io/multicluster-gateway': 'true',
    },
  },
  spec: {
    type: 'LoadBalancer',
    ports: [
      { name: 'mc-gateway', port: GATEWAY_PORT, protocol: 'TCP' },
      { name: 'mc-probe', port: 4191, protocol: 'TCP' },
    ],
  },
});

/** On EKS a load balancer has a name and no address. */
export const gatewayStatus = (): object => ({
  status: { loadBalancer: { ingress: [{ hostname: GATEWAY_HOST }] } },
});
