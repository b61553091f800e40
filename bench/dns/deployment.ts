// A deployment without AWS and without clusters: the real tick, reconcile and refresh over stores in memory. Its clusters hold a
// gateway Service each and nothing that could be mirrored.
import { parseLink } from '../../lib/config.ts';
import type { ReconcileMessage, RefreshMessage } from '../../lib/model/messages.ts';
import type { Clock, Queue, Resolver } from '../../lib/ports.ts';
import { refresh } from '../../lib/runs/refresh.ts';
import { tick } from '../../lib/runs/tick.ts';
import { workOn } from '../../lib/runs/work.ts';
import type { RunWorld } from '../../lib/runs/world.ts';
import { memoryStores } from '../../lib/store/memory-stores.ts';
import { clusterOf } from '../../test/observe/cluster-of.ts';
import { meta } from '../../test/support/model-builders.ts';
import type { Random } from './random.ts';

/** Hostnames of each link's gateway, by the link's name. */
export type Gateways = Readonly<Record<string, readonly string[]>>;

export interface DeploymentOptions {
  readonly hostnames: Gateways;
  readonly clock: Clock;
  readonly random: Random;
  readonly resolver: Resolver;
  readonly work: Queue<ReconcileMessage>;
  readonly timers: Queue<RefreshMessage>;
}

export interface Deployment {
  readonly world: RunWorld;
  readonly tick: () => Promise<void>;
  /** One message of the work queue. */
  readonly reconcile: (message: ReconcileMessage) => Promise<void>;
  /** One message of the timer queue. */
  readonly refresh: (message: RefreshMessage) => Promise<void>;
}

/** A run has a minute; nothing here takes any time. */
const TIME_FOR_A_RUN = 60_000;

const clusterUid = (uid: string) => ({
  Namespace: [{ meta: meta({ namespace: '', name: 'kube-system', uid }), terminating: false }],
});

const targetWith = (hostnames: readonly string[]) => ({
  ...clusterUid('target'),
  Service: [
    {
      meta: meta({ namespace: 'linkerd-multicluster', name: 'linkerd-gateway' }),
      type: 'LoadBalancer',
      clusterIP: '10.100.7.7',
      clusterIPs: ['10.100.7.7'],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      isPolicyOurs: false,
      publishNotReadyAddresses: false,
      hasSelector: true,
      ports: [{ name: 'mc-gateway', protocol: 'TCP', port: 4143, targetPort: 4143 }],
      ingress: hostnames.map((hostname) => ({ hostname })),
    } as const,
  ],
});

export const deploymentOf = async (options: DeploymentOptions): Promise<Deployment> => {
  const { hostnames, clock, random, resolver, work, timers } = options;
  const stores = memoryStores({ clock });
  let runs = 0;
  const world: RunWorld = {
    ...stores,
    clock,
    random,
    resolver,
    work,
    timers,
    runId: () => `run-${(runs += 1)}`,
    open: ({ name }) =>
      Promise.resolve({
        source: clusterOf(clusterUid('source')),
        target: clusterOf(targetWith(hostnames[name] ?? [])),
        close: () => Promise.resolve(),
      }),
  };
  const document = { firstLookDelay: 0, allowedHostnames: ['example.test'], gatewayMirror: 'none' } as const;
  for (const name of Object.keys(hostnames)) {
    await stores.links.put(parseLink({ ...document, name }, { unknown: 'refuse' }), 0);
  }
  const deadline = (): number => clock.now() + TIME_FOR_A_RUN;
  return {
    world,
    tick: async () => void (await tick(world)),
    reconcile: async (message) => void (await workOn(world, message, deadline())),
    refresh: async (message) => void (await refresh(world, message, deadline())),
  };
};
