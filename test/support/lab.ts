// Two clusters, a resolver and a clock in a test's hand; the same on embedded and on real API servers.
import { parseLink } from '../../lib/config.ts';
import { bearer } from '../../lib/kube/connection.ts';
import { kubeCluster } from '../../lib/kube/cluster.ts';
import type { Link, LinkDocument } from '../../lib/model/link.ts';
import type { ObjectKey } from '../../lib/model/keys.ts';
import type { Report } from '../../lib/model/report.ts';
import type { GatewayStore } from '../../lib/ports.ts';
import { reconcile, type ReconcileOptions } from '../../lib/reconcile.ts';
import { memoryStore } from '../../lib/store/memory.ts';
import { type KubeObject, type ServerAccess, testApi, type TestApi } from './api.ts';
import { type TestClock, testClock } from './clock.ts';
import { type TestDns, testDns } from './dns.ts';
import { type Faults, faultsOf, writesIn } from './faults.ts';

export interface LabServers {
  readonly source: ServerAccess;
  readonly target: ServerAccess;
}

export interface Run {
  readonly report: Report;
  /** Writes to the source cluster, in order, as `VERB Kind namespace/name`. */
  readonly writes: readonly string[];
}

type Options = Partial<ReconcileOptions>;

export interface Lab {
  readonly source: TestApi;
  readonly target: TestApi;
  readonly dns: TestDns;
  readonly clock: TestClock;
  readonly sourceFaults: Faults;
  readonly targetFaults: Faults;
  readonly store: GatewayStore;
  /** Changes the link that sync and plan use; starts as link west with example.test allowed. */
  setLink(document: Partial<LinkDocument>): void;
  /** One reconcile in a fresh process' state: new connections, the same store. */
  sync(options?: Options): Promise<Run>;
  plan(options?: Options): Promise<Run>;
  /** Advances the clock past every TTL and syncs. */
  syncLater(seconds?: number): Promise<Run>;
  close(): Promise<void>;
}

const BASE: LinkDocument = { name: 'west', allowedHostnames: ['example.test'], firstLookDelay: 0 };

export const linkOf = (document: Partial<LinkDocument> = {}): Link =>
  parseLink({ ...BASE, ...document }, { unknown: 'refuse' });

export const openLab = (servers: LabServers): Lab => {
  const [source, target] = [testApi(servers.source), testApi(servers.target)];
  const [clock, dns, store] = [testClock(), testDns(), memoryStore()];
  const [sourceFaults, targetFaults] = [faultsOf(), faultsOf()];
  let link = linkOf();
  let runs = 0;

  const clusterOf = (name: 'source' | 'target', access: ServerAccess) =>
    kubeCluster(
      {
        name,
        server: access.url,
        ...(access.caData === undefined ? {} : { caData: access.caData }),
        credentials: bearer(() => Promise.resolve(access.token)),
      },
      { clock },
    );

  const run = async (options: Options): Promise<Run> => {
    const sourceCluster = clusterOf('source', servers.source);
    const targetCluster = clusterOf('target', servers.target);
    const from = sourceFaults.requests.length;
    runs += 1;
    try {
      const report = await reconcile(
        link,
        {
          source: sourceFaults.wrap(sourceCluster, 'source'),
          target: targetFaults.wrap(targetCluster, 'target'),
          resolver: dns,
          store,
          clock,
          random: () => 0,
          runId: `run-${runs}`,
        },
        { dryRun: false, ...options },
      );
      return { report, writes: writesIn(sourceFaults.requests.slice(from)) };
    } finally {
      await Promise.all([sourceCluster.close(), targetCluster.close()]);
    }
  };

  return {
    source,
    target,
    dns,
    clock,
    sourceFaults,
    targetFaults,
    store,
    setLink: (document) => {
      link = linkOf(document);
    },
    sync: (options = {}) => run(options),
    plan: (options = {}) => run({ ...options, dryRun: true }),
    syncLater: (seconds = 61) => {
      clock.advance(seconds);
      return run({});
    },
    close: async () => {
      await Promise.all([source.close(), target.close()]);
    },
  };
};

/** What a reader of Endpoints sees: `{ready, notReady, ports}` of one mirror; undefined when there is no such object. */
export const endpointsOf = async (
  api: TestApi,
  key: ObjectKey = { namespace: 'shop', name: 'web-west' },
): Promise<{ ready: string[]; notReady: string[]; ports: string[] } | undefined> => {
  const object = await api.read('Endpoints', key.namespace, key.name);
  return object === undefined ? undefined : readSubsets(object);
};

interface Subset {
  readonly addresses?: readonly { readonly ip: string }[];
  readonly notReadyAddresses?: readonly { readonly ip: string }[];
  readonly ports?: readonly { readonly name?: string; readonly port: number }[];
}

const readSubsets = (object: KubeObject): { ready: string[]; notReady: string[]; ports: string[] } => {
  const subsets = (object['subsets'] ?? []) as readonly Subset[];
  return {
    ready: subsets.flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip)),
    notReady: subsets.flatMap(({ notReadyAddresses = [] }) => notReadyAddresses.map(({ ip }) => ip)),
    ports: subsets.flatMap(({ ports = [] }) => ports.map(({ name, port }) => `${name ?? ''}:${port}`)),
  };
};

/** Reasons of a report's refusals with the object each names. */
export const refusalsOf = ({ report }: Run): readonly string[] =>
  report.refusals.map(({ namespace, name, reason }) => `${reason} ${namespace}/${name}`);
