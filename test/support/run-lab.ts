// A deployment in a test's hand: stored links, queues and stores in memory, over the embedded API servers of a lab.
import { kubeCluster } from '../../lib/kube/cluster.ts';
import { bearer } from '../../lib/kube/connection.ts';
import type { Link, LinkDocument } from '../../lib/model/link.ts';
import type { ReconcileMessage, RefreshMessage } from '../../lib/model/messages.ts';
import { memoryQueue, type MemoryQueue } from '../../lib/queue/memory.ts';
import type { RunWorld } from '../../lib/runs/world.ts';
import { memoryStores } from '../../lib/store/memory-stores.ts';
import { type EmbeddedApiServer, startApiServer } from '../../sandbox/apiserver/server.ts';
import { testApi, type TestApi } from './api.ts';
import { aGateway, aNamespace } from './builders.ts';
import { testClock, type TestClock } from './clock.ts';
import { testDns, type TestDns } from './dns.ts';
import { linkOf } from './lab.ts';

export interface RunLab {
  readonly world: RunWorld;
  readonly work: MemoryQueue<ReconcileMessage>;
  readonly timers: MemoryQueue<RefreshMessage>;
  readonly clock: TestClock;
  readonly dns: TestDns;
  readonly source: TestApi;
  readonly target: TestApi;
  readonly servers: { readonly source: EmbeddedApiServer; readonly target: EmbeddedApiServer };
  /** Links whose target cluster refuses every connection. */
  readonly unreachable: Set<string>;
  store(document: Partial<LinkDocument>): Promise<Link>;
  close(): Promise<void>;
}

const TOKEN = 'token';
/** A port of this computer that nobody listens on. */
const NOBODY = 'http://127.0.0.1:9';

export const openRunLab = async (): Promise<RunLab> => {
  const tokens = [{ token: TOKEN, user: 'admin' }];
  const [source, target] = await Promise.all([
    startApiServer({ name: 'source', serviceRange: '10.96.0.0/16', tokens, mirroringController: true }),
    startApiServer({ name: 'target', serviceRange: '10.97.0.0/16', tokens }),
  ]);
  const [clock, dns, unreachable] = [testClock(), testDns(), new Set<string>()];
  const [work, timers] = [memoryQueue<ReconcileMessage>({ clock }), memoryQueue<RefreshMessage>({ clock })];
  const stores = memoryStores({ clock });
  const connect = (name: 'source' | 'target', server: string) =>
    kubeCluster({ name, server, credentials: bearer(() => Promise.resolve(TOKEN)) }, { clock });
  let runs = 0;
  const world: RunWorld = {
    ...stores,
    work,
    timers,
    resolver: dns,
    clock,
    random: () => 0,
    runId: () => `run-${(runs += 1)}`,
    open: (link) => {
      const opened = {
        source: connect('source', source.url),
        target: connect('target', unreachable.has(link.name) ? NOBODY : target.url),
      };
      const close = async (): Promise<void> => {
        await Promise.all([opened.source.close(), opened.target.close()]);
      };
      return Promise.resolve({ ...opened, close });
    },
  };
  const apis = {
    source: testApi({ url: source.url, token: TOKEN }),
    target: testApi({ url: target.url, token: TOKEN }),
  };
  for (const name of ['shop', 'linkerd-multicluster']) {
    await Promise.all([apis.source, apis.target].map((api) => api.create('Namespace', aNamespace(name))));
  }
  await apis.target.create('Service', aGateway());
  return {
    world,
    work,
    timers,
    clock,
    dns,
    ...apis,
    servers: { source, target },
    unreachable,
    store: async (document) => {
      const link = linkOf(document);
      if (!(await stores.links.put(link, 0))) throw new Error(`link ${link.name} is stored already`);
      return link;
    },
    close: async () => {
      await Promise.all([apis.source.close(), apis.target.close()]);
      await Promise.all([source.close(), target.close()]);
    },
  };
};
