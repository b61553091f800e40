// The ground a bench stands on: two real API servers, a target full of exported Services, and a link between them.
import { parseLink } from '../lib/config.ts';
import { kubeCluster } from '../lib/kube/cluster.ts';
import { bearer } from '../lib/kube/connection.ts';
import type { Link } from '../lib/model/link.ts';
import type { Report } from '../lib/model/report.ts';
import type { Clock } from '../lib/ports.ts';
import { reconcile } from '../lib/reconcile.ts';
import { memoryStore } from '../lib/store/memory.ts';
import { type ControlPlane, startControlPlane } from '../test/cluster/control-plane.ts';
import type { ServerAccess } from '../test/support/api.ts';
import { aGateway, aNamespace, aService, aSlice, EXPORTED, GATEWAY_HOST } from '../test/support/builders.ts';
import { testDns, type TestDns } from '../test/support/dns.ts';
import { type BareClient, bareClient, collectionPath } from './bare.ts';
import { headlessService } from './headless.ts';

/** Namespaces that the exported Services are spread over. */
const NAMESPACES = ['shop-0', 'shop-1', 'shop-2', 'shop-3'] as const;

export interface RunOptions {
  readonly dryRun: boolean;
  /** How mirrors list the gateway, as in a link document; default: endpoints. */
  readonly endpoints?: Link['endpoints'];
}

export interface Ground {
  readonly access: { readonly source: ServerAccess; readonly target: ServerAccess };
  readonly source: BareClient;
  readonly target: BareClient;
  readonly dns: TestDns;
  /** Exports Services until there are `count`. */
  fillTarget(count: number): Promise<void>;
  /** Exports a headless Service with exactly so many named pods, one at least. */
  setPods(count: number): Promise<void>;
  /** Removes every mirror. */
  emptySource(): Promise<void>;
  run(options: RunOptions): Promise<Report>;
  /** Moves the clock past every TTL. */
  passTtl(): void;
  stop(): Promise<void>;
}

const accessOf = ({ url, adminToken, caData }: ControlPlane): ServerAccess => ({
  url,
  token: adminToken,
  caData,
});

const clockWithOffset = (): Clock & { skip(seconds: number): void } => {
  let offset = 0;
  return {
    now: () => Date.now() + offset,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    skip: (seconds) => {
      offset += seconds * 1000;
    },
  };
};

const serviceName = (index: number): { namespace: string; name: string } => ({
  namespace: NAMESPACES[index % NAMESPACES.length] ?? NAMESPACES[0],
  name: `web-${index}`,
});

const connect = (name: 'source' | 'target', access: ServerAccess, clock: Clock) =>
  kubeCluster(
    {
      name,
      server: access.url,
      ...(access.caData === undefined ? {} : { caData: access.caData }),
      credentials: bearer(() => Promise.resolve(access.token)),
    },
    { clock },
  );

/** One reconcile with fresh connections, as an invocation makes them. */
export const runOnce = async (
  access: Ground['access'],
  world: { readonly clock: Clock; readonly dns: TestDns; readonly store: ReturnType<typeof memoryStore> },
  { dryRun, endpoints = 'endpoints' }: RunOptions,
): Promise<Report> => {
  const settings = { allowedHostnames: ['example.test'], firstLookDelay: 0, endpoints };
  const link = parseLink({ name: 'west', ...settings }, { unknown: 'refuse' });
  const { clock, dns, store } = world;
  const [source, target] = [connect('source', access.source, clock), connect('target', access.target, clock)];
  try {
    const fixed = { resolver: dns, store, clock, random: () => 0, runId: 'bench' };
    return await reconcile(link, { source, target, ...fixed }, { dryRun });
  } finally {
    await Promise.all([source.close(), target.close()]);
  }
};

const prepare = async (client: BareClient): Promise<void> => {
  for (const name of [...NAMESPACES, 'linkerd-multicluster']) {
    await client.send('POST', '/api/v1/namespaces', aNamespace(name));
  }
};

export const startGround = async (): Promise<Ground> => {
  const planes = await Promise.all([
    startControlPlane({ name: 'source', serviceRange: '10.96.0.0/16' }),
    startControlPlane({ name: 'target', serviceRange: '10.97.0.0/16' }),
  ]);
  const access = { source: accessOf(planes[0]), target: accessOf(planes[1]) };
  const [source, target] = [bareClient(access.source), bareClient(access.target)];
  const [clock, dns, store] = [clockWithOffset(), testDns(), memoryStore()];
  await Promise.all([prepare(source), prepare(target)]);
  const gateway = aGateway();
  const services = collectionPath('Service', 'linkerd-multicluster');
  await target.send('POST', services, gateway);
  await target.send('PATCH', `${services}/linkerd-gateway/status`, { status: gateway['status'] });
  dns.set(GATEWAY_HOST, ['203.0.113.10', '203.0.113.11']);
  let filled = 0;
  return {
    access,
    source,
    target,
    dns,
    fillTarget: async (count) => {
      const added = Array.from({ length: count - filled }, (_unused, index) => serviceName(filled + index));
      filled = count;
      await target.all(added, async ({ namespace, name }) => {
        await target.send(
          'POST',
          collectionPath('Service', namespace),
          aService({ namespace, name, labels: { ...EXPORTED, team: 'a' } }),
        );
        const slice = aSlice({ namespace, service: name });
        await target.send('POST', collectionPath('EndpointSlice', namespace), slice);
      });
    },
    setPods: headlessService(target, { namespace: NAMESPACES[0], name: 'db' }),
    emptySource: async () => {
      for (const namespace of NAMESPACES) {
        for (const kind of ['EndpointSlice', 'Endpoints', 'Service'] as const) {
          await source.send('DELETE', collectionPath(kind, namespace));
        }
      }
    },
    run: (options) => runOnce(access, { clock, dns, store }, options),
    passTtl: () => clock.skip(600),
    stop: async () => {
      await Promise.all([source.close(), target.close()]);
      await Promise.all(planes.map((plane) => plane.stop()));
    },
  };
};
