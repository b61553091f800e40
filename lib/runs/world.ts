// What the runs of a deployment have at hand, beyond what one reconcile touches.
import type { ReconcileMessage, RefreshMessage } from '../model/messages.ts';
import type { Link } from '../model/link.ts';
import type {
  Clock,
  Cluster,
  GatewayStore,
  Journal,
  LinkStore,
  LoadBalancerWitness,
  NameStore,
  Prober,
  Queue,
  Resolver,
} from '../ports.ts';

export interface OpenClusters {
  readonly source: Cluster;
  readonly target: Cluster;
  close(): Promise<void>;
}

export interface RunWorld {
  readonly links: LinkStore;
  readonly gateways: GatewayStore;
  readonly names: NameStore;
  readonly journal: Journal;
  readonly work: Queue<ReconcileMessage>;
  readonly timers: Queue<RefreshMessage>;
  readonly resolver: Resolver;
  /** Asked for the load balancers of links that want it; absent: this deployment may not. */
  readonly loadBalancers?: LoadBalancerWitness;
  readonly prober?: Prober; // absent: nobody probes gateways here
  readonly clock: Clock;
  readonly random: () => number;
  readonly runId: () => string; // a new one for each run
  /** The clusters of a link. What is wrong with their credentials shows at the first request. @param fresh forget what is cached */
  readonly open: (link: Link, options: { readonly fresh: boolean }) => Promise<OpenClusters>;
}
