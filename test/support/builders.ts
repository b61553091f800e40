// Objects of the two clusters with sane defaults; a test names only what it is about.
import type { KubeObject } from './api.ts';

type Labels = Readonly<Record<string, string>>;

export const EXPORTED: Labels = { 'mirror.linkerd.io/exported': 'true' };
export const REMOTE_DISCOVERY: Labels = { 'mirror.linkerd.io/exported': 'remote-discovery' };

interface ServiceSpec {
  readonly name?: string;
  readonly namespace?: string;
  readonly labels?: Labels;
  readonly annotations?: Labels;
  readonly ports?: readonly object[];
  readonly spec?: object;
}

/** A Service of the target cluster, exported in gateway mode unless its labels say otherwise. */
export const aService = (given: ServiceSpec = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name: given.name ?? 'web',
    namespace: given.namespace ?? 'shop',
    labels: given.labels ?? EXPORTED,
    annotations: given.annotations ?? {},
  },
  spec: {
    ports: given.ports ?? [{ name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' }],
    ...given.spec,
  },
});

interface SliceSpec {
  readonly service?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly ready?: boolean | undefined;
  readonly addresses?: readonly string[];
  readonly labels?: Labels;
}

/** An EndpointSlice of a Service of the target cluster: one ready pod, without the export label. */
export const aSlice = (given: SliceSpec = {}): KubeObject => {
  const service = given.service ?? 'web';
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: given.name ?? `${service}-abcde`,
      namespace: given.namespace ?? 'shop',
      labels: { 'kubernetes.io/service-name': service, ...given.labels },
    },
    addressType: 'IPv4',
    endpoints: (given.addresses ?? ['10.1.0.1']).map((address) => ({
      addresses: [address],
      conditions: 'ready' in given && given.ready === undefined ? {} : { ready: given.ready ?? true },
    })),
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
  };
};

interface GatewaySpec {
  readonly ingress?: readonly object[];
  readonly type?: string;
  readonly identity?: string;
  readonly ports?: readonly object[];
  readonly annotations?: Labels;
}

export const GATEWAY_HOST = 'lb.example.test';

/** The target cluster's gateway Service; its load balancer has only a hostname, as on EKS. */
export const aGateway = (given: GatewaySpec = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name: 'linkerd-gateway',
    namespace: 'linkerd-multicluster',
    annotations: {
      'mirror.linkerd.io/gateway-identity': given.identity ?? 'gw.id',
      'mirror.linkerd.io/multicluster-gateway': 'true',
      ...given.annotations,
    },
  },
  spec: {
    type: given.type ?? 'LoadBalancer',
    ports: given.ports ?? [
      { name: 'mc-gateway', port: 4143, protocol: 'TCP' },
      { name: 'mc-probe', port: 4191, protocol: 'TCP' },
    ],
  },
  status: { loadBalancer: { ingress: given.ingress ?? [{ hostname: GATEWAY_HOST }] } },
});

interface MirrorSpec {
  readonly name?: string;
  readonly namespace?: string;
  readonly link?: string;
  readonly labels?: Labels;
  readonly annotations?: Labels;
  readonly spec?: object;
}

/** A mirror Service in the source cluster, as some controller of link west left it. */
export const aMirror = (given: MirrorSpec = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name: given.name ?? 'web-west',
    namespace: given.namespace ?? 'shop',
    labels: given.labels ?? {
      'mirror.linkerd.io/mirrored-service': 'true',
      'mirror.linkerd.io/cluster-name': given.link ?? 'west',
    },
    annotations: given.annotations ?? {},
  },
  spec: { ports: [{ name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' }], ...given.spec },
});

interface EndpointsSpec extends Omit<MirrorSpec, 'spec'> {
  readonly ready?: readonly string[];
  readonly port?: number;
}

/** Endpoints of a mirror in the source cluster. */
export const aMirrorEndpoints = (given: EndpointsSpec = {}): KubeObject => {
  const ready = given.ready ?? ['203.0.113.10'];
  return {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: aMirror(given).metadata,
    ...(ready.length === 0
      ? {}
      : {
          subsets: [
            {
              addresses: ready.map((ip) => ({ ip })),
              ports: [{ name: 'http', port: given.port ?? 4143, protocol: 'TCP' }],
            },
          ],
        }),
  };
};

export const aNamespace = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
});
