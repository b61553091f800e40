// Every label, annotation and well-known name that this product reads or writes, one line each.

/** Linkerd's own keys (linkerd2, pkg/k8s/labels.go). */
export const MIRRORED_SERVICE = 'mirror.linkerd.io/mirrored-service'; // "true" on every mirror
export const CLUSTER_NAME = 'mirror.linkerd.io/cluster-name'; // the link's name, on every mirror of one link
export const HEADLESS_MIRROR = 'mirror.linkerd.io/headless-mirror-svc-name'; // on an endpoint mirror: its root's name
export const REMOTE_FQ_NAME = 'mirror.linkerd.io/remote-svc-fq-name'; // the exported Service's DNS name in its cluster
export const REMOTE_RESOURCE_VERSION = 'mirror.linkerd.io/remote-resource-version'; // what the mirror was made from
export const REMOTE_GATEWAY_IDENTITY = 'mirror.linkerd.io/remote-gateway-identity'; // on endpoints: the gateway's mTLS identity
export const REMOTE_DISCOVERY = 'multicluster.linkerd.io/remote-discovery'; // label on a remote-discovery mirror: the link
export const REMOTE_SERVICE = 'multicluster.linkerd.io/remote-service'; // label on a remote-discovery mirror: the Service
export const OPAQUE_PORTS = 'config.linkerd.io/opaque-ports'; // annotation that always follows the exported Service

/** Annotations of the gateway Service (target cluster). */
export const GATEWAY_IDENTITY = 'mirror.linkerd.io/gateway-identity';
export const PROBE_PATH = 'mirror.linkerd.io/probe-path';
export const PROBE_PERIOD = 'mirror.linkerd.io/probe-period';
export const PROBE_TIMEOUT = 'mirror.linkerd.io/probe-timeout';
export const PROBE_FAILURE_THRESHOLD = 'mirror.linkerd.io/probe-failure-threshold';

/** Ports of the gateway Service. */
export const GATEWAY_PORT_NAME = 'mc-gateway';
export const PROBE_PORT_NAME = 'mc-probe';

/** Kubernetes' own. */
export const SERVICE_NAME = 'kubernetes.io/service-name'; // on an EndpointSlice: the Service it belongs to
export const SLICE_MANAGED_BY = 'endpointslice.kubernetes.io/managed-by'; // on an EndpointSlice: who writes it
export const MIRRORING_CONTROLLER = 'endpointslicemirroring-controller.k8s.io'; // managed-by of copies of Endpoints

/** Ours. */
export const FIELD_MANAGER = 'eks-service-mirror'; // field manager of every write
export const SLICE_MANAGER = 'eks-service-mirror'; // managed-by of the slices that we write
export const GATEWAY_MIRROR = 'eks-service-mirror/gateway-mirror'; // label: "true" on the gateway mirror and its endpoints
export const POD_GONE_AT = 'eks-service-mirror/pod-gone-at'; // annotation on an endpoint mirror's endpoints: ISO 8601, since when its pod is gone
export const TARGET_UID = 'eks-service-mirror/target-cluster-uid'; // annotation on the Lease: which cluster the link was made for

/** Field manager of Linkerd's own service mirror controller: its binary is called "controller" and client-go uses that name. */
export const LINKERD_FIELD_MANAGER = 'controller';

/** Name of the Lease by which Linkerd's controllers agree who writes the mirrors of a link. */
export const leaseName = (link: string): string => `service-mirror-write-${link}`;

/** The gateway mirror's name. */
export const gatewayMirrorName = (link: string): string => `gateway-${link}`;

/** Names of the Services that Linkerd's charts, new and older, make for probing a gateway. */
export const probeServiceNames = (link: string): readonly string[] => [
  `probe-${link}`,
  `probe-gateway-${link}`,
];

/** The pair of labels that marks a mirror as one link's. */
export const ownershipLabels = (link: string): Readonly<Record<string, string>> => ({
  [MIRRORED_SERVICE]: 'true',
  [CLUSTER_NAME]: link,
});
