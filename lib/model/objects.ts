// The Kubernetes objects as the core sees them: only the fields that it reads, never optional where the API has a default.

export type StringMap = Readonly<Record<string, string>>;

/** A JSON object as the API takes it. */
export type Manifest = Readonly<Record<string, unknown>>;

export type Protocol = 'TCP' | 'UDP' | 'SCTP';
export type Family = 'IPv4' | 'IPv6';

export interface Meta {
  readonly namespace: string; // '' for cluster-scoped objects
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly labels: StringMap;
  readonly annotations: StringMap;
  /** Keys whose last writer was this product or Linkerd's controller (from managedFields): the only ones we may drop. */
  readonly droppable: { readonly labels: readonly string[]; readonly annotations: readonly string[] };
  readonly createdAt: number; // ms since the epoch
  readonly deleting: boolean; // has a deletionTimestamp
}

export interface ServicePort {
  readonly name?: string; // absent on a single unnamed port
  readonly protocol: Protocol;
  readonly port: number;
  readonly targetPort: number | string;
  readonly appProtocol?: string;
  readonly nodePort?: number;
}

export interface Ingress {
  readonly ip?: string;
  readonly hostname?: string;
}

export interface Service {
  readonly meta: Meta;
  readonly type: 'ClusterIP' | 'NodePort' | 'LoadBalancer' | 'ExternalName';
  readonly clusterIP: string; // 'None' when headless, '' for ExternalName
  readonly clusterIPs: readonly string[];
  readonly ipFamilies: readonly Family[];
  readonly ipFamilyPolicy: 'SingleStack' | 'PreferDualStack' | 'RequireDualStack' | ''; // '' for ExternalName
  /** Whether this product was the last to set that policy: only then is it ours to take back. */
  readonly isPolicyOurs: boolean;
  readonly externalName?: string; // of type ExternalName
  readonly hasSelector: boolean;
  /** Whether DNS is to name endpoints that are not ready. */
  readonly publishNotReadyAddresses: boolean;
  readonly ports: readonly ServicePort[];
  readonly ingress: readonly Ingress[]; // status.loadBalancer.ingress
}

export interface EndpointPort {
  readonly name?: string;
  readonly protocol: Protocol;
  readonly port: number;
}

export interface EndpointAddress {
  readonly ip: string;
  readonly hostname?: string;
}

export interface EndpointSubset {
  readonly addresses: readonly EndpointAddress[];
  readonly notReadyAddresses: readonly EndpointAddress[];
  readonly ports: readonly EndpointPort[];
}

export interface Endpoints {
  readonly meta: Meta;
  readonly subsets: readonly EndpointSubset[];
}

export interface SliceEndpoint {
  readonly addresses: readonly string[];
  /** conditions.ready; absent counts as ready, as the API says. */
  readonly ready: boolean;
  readonly serving: boolean; // absent: same as ready
  readonly terminating: boolean; // absent: false
  readonly hostname?: string;
  readonly zone?: string;
}

export interface EndpointSlice {
  readonly meta: Meta;
  readonly serviceName: string; // label kubernetes.io/service-name, '' when absent
  readonly managedBy: string; // label endpointslice.kubernetes.io/managed-by, '' when absent
  readonly addressType: Family | 'FQDN';
  readonly endpoints: readonly SliceEndpoint[];
  readonly ports: readonly EndpointPort[];
  readonly ownerUids: readonly string[];
}

export interface Namespace {
  readonly meta: Meta;
  readonly terminating: boolean;
}

export interface Lease {
  readonly meta: Meta;
  readonly holder: string; // '' when nobody holds it
  readonly renewedAt: number; // ms since the epoch, 0 when never renewed
  readonly durationSeconds: number;
  readonly transitions: number;
}

/** The address ranges Services get their ClusterIPs from (networking.k8s.io/v1 ServiceCIDR). */
export interface ServiceRange {
  readonly meta: Meta;
  readonly cidrs: readonly string[];
}

/** The kinds that a cluster port reads, with the shape each is read into. */
export interface ObjectOf {
  readonly Namespace: Namespace;
  readonly Service: Service;
  readonly Endpoints: Endpoints;
  readonly EndpointSlice: EndpointSlice;
  readonly Lease: Lease;
  readonly ServiceCIDR: ServiceRange;
}
export type Kind = keyof ObjectOf;
