// What should exist in the source cluster for one exported Service, and why not where nothing should.
import type { PublishedAddress } from './gateway.ts';
import type { ObjectKey } from './keys.ts';
import type { EndpointPort, ServicePort, StringMap } from './objects.ts';
import type { Refusal } from './plan.ts';

export type Mode = 'gateway' | 'remote-discovery';

export interface DesiredService {
  readonly isHeadless: boolean; // clusterIP: None
  readonly externalName?: string; // of a Service of type ExternalName
  readonly wantsBothFamilies: boolean; // asks PreferDualStack
  readonly labels: StringMap;
  readonly annotations: StringMap; // without the remote resource version: its moving alone is no reason to write
  readonly ports: readonly ServicePort[];
  readonly remoteResourceVersion: string | undefined; // of the exported Service; undefined where there is none
}

export interface DesiredEndpoints {
  readonly labels: StringMap;
  readonly annotations: StringMap;
  readonly ports: readonly EndpointPort[];
  readonly addresses: readonly PublishedAddress[]; // none: the mirror has endpoints objects that list nobody
}

/** One pod of a headless Service, and its endpoint mirror. */
export interface DesiredPod {
  readonly hostname: string;
  readonly mirror: ObjectKey; // the endpoint mirror's name
  /** Whether the root lists it. One that is not ready is not listed, and its endpoint mirror is kept but not made. */
  readonly isListed: boolean;
  readonly ports: readonly EndpointPort[]; // as in the target cluster: of its entry in the root
  readonly service: DesiredService;
  readonly endpoints: DesiredEndpoints; // the gateway; nobody while it is not listed
}

/** What the root of a headless mirror lists: endpoint mirrors by hostname. */
export interface DesiredRoot {
  readonly labels: StringMap;
  readonly annotations: StringMap;
  readonly pods: readonly DesiredPod[]; // sorted by hostname
}

/** A mirror whose endpoints are the gateway. */
export interface PlainMirror {
  readonly service: DesiredService;
  /** none: remote discovery has no endpoints objects. unobserved: not enough was seen to decide, the present ones stay. */
  readonly endpoints: DesiredEndpoints | 'none' | 'unobserved';
  readonly createNamespace: boolean;
}

/** The mirror of a headless Service, pod by pod. */
export interface HeadlessMirror {
  readonly service: DesiredService; // of the root
  readonly endpoints: DesiredRoot;
  readonly createNamespace: boolean;
}

export type DesiredMirror = PlainMirror | HeadlessMirror;

export const isHeadlessMirror = (mirror: DesiredMirror): mirror is HeadlessMirror =>
  typeof mirror.endpoints === 'object' && 'pods' in mirror.endpoints;

/** A gateway mirror that gives hostnames to clients, which resolve them themselves. */
export interface NamedGateway {
  readonly shape: 'fqdn' | 'externalName';
  readonly labels: StringMap;
  readonly annotations: StringMap; // of an EndpointSlice
  readonly ports: readonly EndpointPort[];
  readonly hostnames: readonly string[]; // sorted, at least one; an ExternalName holds the first
}

/** What should exist of the gateway itself in the link's namespace. */
export interface DesiredGateway {
  /** The gateway mirror, Service `gateway-<link>`. none: the link wants none. unobserved: not enough is known, it stays. */
  readonly mirror: PlainMirror | NamedGateway | 'none' | 'unobserved';
  readonly refusals: readonly Refusal[];
  readonly notes: readonly string[];
  /** Content of the Endpoints of a probe Service that Linkerd's chart made, where there is one. */
  readonly probe: DesiredEndpoints | 'unobserved';
}

/** The decision about one Service of the target cluster. */
export interface Decision {
  readonly key: ObjectKey; // the exported Service
  readonly mirror: ObjectKey; // the name its mirror has or would have
  /** The mode it is exported in; absent when it is not exported. */
  readonly mode?: Mode;
  /** Absent: no mirror is to be written. */
  readonly desired?: DesiredMirror;
  /** Whether mirrors that already stand there stay: true for everything that is exported, however declined. */
  readonly protects: boolean;
  readonly refusals: readonly Refusal[];
  /** Why there is nothing to be written though nothing is refused: it is not exported, or not yet known what it is. */
  readonly because?: string;
}
