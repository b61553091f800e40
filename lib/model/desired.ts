// What should exist in the source cluster for one exported Service, and why not where nothing should.
import type { PublishedAddress } from './gateway.ts';
import type { ObjectKey } from './keys.ts';
import type { EndpointPort, ServicePort, StringMap } from './objects.ts';
import type { Refusal } from './plan.ts';

export type Mode = 'gateway' | 'remote-discovery';

export interface DesiredService {
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

export interface DesiredMirror {
  readonly service: DesiredService;
  /** none: remote discovery has no endpoints objects. unobserved: not enough was seen to decide, the present ones stay. */
  readonly endpoints: DesiredEndpoints | 'none' | 'unobserved';
  readonly createNamespace: boolean;
}

/** What should exist of the gateway itself in the link's namespace. */
export interface DesiredGateway {
  /** The gateway mirror, Service `gateway-<link>`. none: the link wants none. unobserved: not enough is known, it stays. */
  readonly mirror: DesiredMirror | 'none' | 'unobserved';
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
  /** For a Service that is not exported: the sentence that says why. */
  readonly because?: string;
}
