// What the decision about one Service of the target cluster depends on, and nothing else does.
import type { GatewayView } from '../model/gateway.ts';
import type { Link } from '../model/link.ts';
import type { Service } from '../model/objects.ts';
import type { Pods } from './pods.ts';

export interface Facts {
  readonly link: Link;
  readonly service: Service; // of the target cluster
  /** Whether the Service has a ready endpoint; undefined: the EndpointSlices could not be read. */
  readonly ready: boolean | undefined;
  /** Those of a headless Service; of no other they are asked. */
  readonly pods: Pods;
  /** none: the link declares that it has no gateway. unobserved: what is remembered of it cannot be read. */
  readonly gateway: GatewayView | 'none' | 'unobserved';
  /** The namespace of the same name in the source cluster. */
  readonly namespace: 'present' | 'terminating' | 'absent';
  /** The shape in which the mirror stands there: the one that stays while a headless Service has no pod to tell which it needs. */
  readonly standing: 'headless' | 'address' | 'absent';
}
