// An embedded source cluster whose clock the test moves, with the Lease of link west in its hand.
import { startApiServer } from '../../sandbox/apiserver/server.ts';
import { bearer } from '../../lib/kube/connection.ts';
import { kubeCluster } from '../../lib/kube/cluster.ts';
import type { Lease } from '../../lib/model/objects.ts';
import type { Cluster } from '../../lib/ports.ts';
import { aNamespace } from '../support/builders.ts';
import { type TestClock, testClock } from '../support/clock.ts';
import { type Faults, faultsOf } from '../support/faults.ts';
import { markReadBack } from '../support/read-back.ts';

export const START = Date.UTC(2026, 0, 1);
export const NAMESPACE = 'linkerd-multicluster';
export const NAME = 'service-mirror-write-west';

/** What Linkerd's controller writes while it leads; with a `renewTime` it is live for 30 seconds from then on. */
export const LINKERDS = {
  holderIdentity: 'controller-west-0',
  leaseDurationSeconds: 30,
  leaseTransitions: 4,
} as const;

export interface LeaseGround {
  readonly source: Cluster;
  readonly clock: TestClock;
  readonly faults: Faults;
  /** Another connection of somebody whose own clock may be wrong. */
  connect(clock: TestClock): Cluster;
  /** The Lease as the server holds it. */
  stored(): { readonly annotations: Readonly<Record<string, string>>; readonly spec: unknown };
  /** Writes the Lease as somebody else would. */
  put(spec: object): void;
  remove(): void;
  seen(): Promise<Lease | undefined>;
  close(): Promise<void>;
}

export const leaseGround = async (): Promise<LeaseGround> => {
  const clock = testClock(START);
  const server = await startApiServer({ clock });
  for (const name of [NAMESPACE, 'shop']) server.store.put('namespaces', aNamespace(name));
  const faults = faultsOf();
  const clusters: { close(): Promise<void> }[] = [];
  const connect = (ownClock: TestClock): Cluster => {
    const cluster = kubeCluster(
      { name: 'source', server: server.url, credentials: bearer(() => Promise.resolve('any')) },
      { clock: ownClock },
    );
    clusters.push(cluster);
    return cluster;
  };
  const source = faults.wrap(connect(clock), 'source');
  return {
    source,
    clock,
    faults,
    connect,
    stored: () => {
      markReadBack();
      const object = server.store.get('leases', NAMESPACE, NAME);
      return { annotations: object?.metadata.annotations ?? {}, spec: Object(object)['spec'] };
    },
    put: (spec) => {
      const { resourceVersion } = { ...server.store.get('leases', NAMESPACE, NAME)?.metadata };
      server.store.put('leases', {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { namespace: NAMESPACE, name: NAME, resourceVersion },
        spec,
      });
    },
    remove: () => server.store.delete('leases', NAMESPACE, NAME),
    seen: () => source.get('Lease', NAMESPACE, NAME),
    close: async () => {
      await Promise.all(clusters.map((cluster) => cluster.close()));
      await server.close();
    },
  };
};
