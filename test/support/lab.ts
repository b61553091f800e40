// Two clusters, a resolver and a clock in a test's hand; the same on embedded and on real API servers.
import { parseLink } from '../../lib/config.ts';
import { bearer, type KubeConnection } from '../../lib/kube/connection.ts';
import { kubeCluster } from '../../lib/kube/cluster.ts';
import type { Link, LinkDocument } from '../../lib/model/link.ts';
import type { ObjectKey } from '../../lib/model/keys.ts';
import type { Report } from '../../lib/model/report.ts';
import type { GatewayStore } from '../../lib/ports.ts';
import type { Probing } from '../../lib/observe/liveness.ts';
import { reconcile, type ReconcileOptions } from '../../lib/reconcile.ts';
import { memoryStore } from '../../lib/store/memory.ts';
import { type KubeObject, type ServerAccess, testApi, type TestApi } from './api.ts';
import { type TestClock, testClock } from './clock.ts';
import { type TestDns, testDns } from './dns.ts';
import { type Faults, faultsOf, writesIn } from './faults.ts';
import type { LabUser } from './users.ts';
import { openWire, type Wire } from './wire.ts';

export interface LabServer extends ServerAccess {
  /** Tokens of the users with few rights; absent where a test has no need of them. */
  readonly tokens?: Readonly<Record<LabUser, string>>;
}

export interface LabServers {
  readonly source: LabServer;
  readonly target: LabServer;
}

export type ClusterName = 'source' | 'target';

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
  readonly servers: LabServers;
  /** Changes the link that sync and plan use; starts as link west with example.test allowed. */
  setLink(document: Partial<LinkDocument>): void;
  /** One reconcile in a fresh process' state: new connections, the same store. */
  sync(options?: Options): Promise<Run>;
  plan(options?: Options): Promise<Run>;
  /** Advances the clock past every TTL and syncs. */
  syncLater(seconds?: number): Promise<Run>;
  /** Forgets all that was remembered between runs: a lost table. */
  forget(): void;
  /** The connection by which runs reach a cluster: as admin, straight, unless it was changed. */
  connection(name: ClusterName): KubeConnection;
  /** Changes it for the runs to come. */
  reach(name: ClusterName, connection: Partial<KubeConnection>): void;
  /** The runs to come reach a cluster as this user. */
  reachAs(name: ClusterName, user: LabUser | 'admin'): void;
  /** Puts a wire between the runs to come and a cluster. */
  wire(name: ClusterName): Promise<Wire>;
  /** Objects per page of the lists of runs to come. */
  /** Who probes the gateway from now on; nobody at first. */
  probeWith(probing: Probing | undefined): void;
  setPageSize(size: number): void;
  close(): Promise<void>;
}

const BASE: LinkDocument = {
  name: 'west',
  allowedHostnames: ['example.test'],
  firstLookDelay: 0,
  gatewayMirror: 'none',
  probe: { off: true }, // documentation addresses are written, never dialled
};

export const linkOf = (document: Partial<LinkDocument> = {}): Link =>
  parseLink({ ...BASE, ...document }, { unknown: 'refuse' });

/** Holders of Leases differ from lab to lab, as those of two processes do. */
let labs = 0;

export const openLab = (servers: LabServers): Lab => {
  const [source, target] = [testApi(servers.source), testApi(servers.target)];
  const [clock, dns] = [testClock(), testDns()];
  const [sourceFaults, targetFaults] = [faultsOf(), faultsOf()];
  const connections = {
    source: connectionTo('source', servers.source),
    target: connectionTo('target', servers.target),
  };
  const wires: Wire[] = [];
  let store = memoryStore();
  let link = linkOf();
  let runs = 0;
  labs += 1;
  const lab = labs;
  let paging: { pageSize?: number } = {};
  let probing: Probing | undefined;

  const clusterOf = (name: ClusterName) => kubeCluster(connections[name], { clock, ...paging });
  const reach: Lab['reach'] = (name, changed) => {
    connections[name] = { ...connections[name], ...changed };
  };

  const run = async (options: Options): Promise<Run> => {
    const [sourceCluster, targetCluster] = [clusterOf('source'), clusterOf('target')];
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
          runId: `run-${lab}-${runs}`,
          ...(probing === undefined ? {} : { probing }),
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
    get store() {
      return store;
    },
    servers,
    setLink: (document) => {
      link = linkOf(document);
    },
    forget: () => {
      store = memoryStore();
    },
    connection: (name) => connections[name],
    reach,
    reachAs: (name, user) => {
      const token = user === 'admin' ? servers[name].token : servers[name].tokens?.[user];
      if (token === undefined) throw new Error(`the ${name} cluster has no user ${user}`);
      reach(name, { credentials: bearer(() => Promise.resolve(token)) });
    },
    wire: async (name) => {
      const wire = await openWire(servers[name]);
      wires.push(wire);
      reach(name, { server: wire.url });
      return wire;
    },
    probeWith: (given) => {
      probing = given;
    },
    setPageSize: (pageSize) => {
      paging = { pageSize };
    },
    sync: (options = {}) => run(options),
    plan: (options = {}) => run({ ...options, dryRun: true }),
    syncLater: (seconds = 61) => {
      clock.advance(seconds);
      return run({});
    },
    close: async () => {
      await Promise.all([source.close(), target.close(), ...wires.map((wire) => wire.close())]);
    },
  };
};

const connectionTo = (name: ClusterName, { url, token, caData }: ServerAccess): KubeConnection => ({
  name,
  server: url,
  ...(caData === undefined ? {} : { caData }),
  credentials: bearer(() => Promise.resolve(token)),
});

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
  const subsets: readonly Subset[] = object['subsets'] ?? [];
  return {
    ready: subsets.flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip)),
    notReady: subsets.flatMap(({ notReadyAddresses = [] }) => notReadyAddresses.map(({ ip }) => ip)),
    ports: subsets.flatMap(({ ports = [] }) => ports.map(({ name, port }) => `${name ?? ''}:${port}`)),
  };
};

/** The EndpointSlices of one Service, by name. */
export const slicesOf = async (
  api: TestApi,
  key: ObjectKey = { namespace: 'shop', name: 'web-west' },
): Promise<readonly KubeObject[]> => {
  const slices = await api.list('EndpointSlice', key.namespace);
  return slices
    .filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === key.name)
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
};

/** Reasons of a report's refusals with the object each names. */
export const refusalsOf = ({ report }: Run): readonly string[] =>
  report.refusals.map(({ namespace, name, reason }) => `${reason} ${namespace}/${name}`);
