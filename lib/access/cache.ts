// What a process keeps between runs of how it reaches clusters: looked-up facts, and open connections that nobody uses now.
import type { EksCluster } from '../eks/cluster.ts';
import type { KubeCluster } from '../kube/cluster.ts';
import type { KubeConnection } from '../kube/connection.ts';
import type { StoredKubeconfig } from '../secrets/kubeconfig.ts';

/** More accesses than a deployment has links would be needed to fill it; the ones used longest ago go first. */
const MOST_KEPT = 100;

/** Two for each link that is worked on at the same time. */
const MOST_IDLE = 32;

/** A connection and what it leads to. One user at a time, so that the requests of a run can be counted. */
export interface Line {
  /** Which server by which name and trust: the same text means that the sockets serve. */
  readonly place: string;
  readonly cluster: KubeCluster;
  /** Asked before each request; a line outlives the credentials that it was opened with. */
  credentials: KubeConnection['credentials'];
}

export interface AccessCache {
  /** The facts of one access, made when they are not there. */
  eks(key: string, make: () => EksCluster): EksCluster;
  secret(key: string, make: () => StoredKubeconfig): StoredKubeconfig;
  /** A line to this place that nobody uses; from now on the caller's. */
  take(place: string): Line | undefined;
  /** Gives a line back for others to take. */
  giveBack(line: Line): Promise<void>;
  /** Ends every connection that nobody uses, and forgets everything. */
  close(): Promise<void>;
}

/** An empty cache; one per process, kept outside of the handler. */
export function accessCache(): AccessCache {
  const [clusters, secrets] = [new Map<string, EksCluster>(), new Map<string, StoredKubeconfig>()];
  let idle: Line[] = [];
  return {
    eks: (key, make) => keep(clusters, key, make),
    secret: (key, make) => keep(secrets, key, make),
    take(place) {
      const line = idle.findLast((other) => other.place === place);
      idle = idle.filter((other) => other !== line);
      return line;
    },
    async giveBack(line) {
      idle.push(line);
      if (idle.length > MOST_IDLE) await idle.shift()?.cluster.close();
    },
    async close() {
      for (const kept of [...clusters.values(), ...secrets.values()]) kept.close();
      clusters.clear();
      secrets.clear();
      const lines = idle;
      idle = [];
      await Promise.all(lines.map(({ cluster }) => cluster.close()));
    },
  };
}

/** The entry of a key, as the one used last. */
function keep<T extends { close(): void }>(entries: Map<string, T>, key: string, make: () => T): T {
  const entry = entries.get(key) ?? make();
  entries.delete(key);
  entries.set(key, entry);
  for (const [oldest, other] of entries) {
    if (entries.size <= MOST_KEPT) break;
    entries.delete(oldest);
    other.close();
  }
  return entry;
}
