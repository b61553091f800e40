// Starts an embedded Kubernetes API server: in memory, honest about the kinds that a service mirror touches.
import { storeAccess } from './access.ts';
import type { StoreAccess } from './access.ts';
import { bootstrap } from './bootstrap.ts';
import { systemClock } from './clock.ts';
import type { Clock } from './clock.ts';
import { createCore } from './core.ts';
import type { Authorize, ReviewToken, TokenUser } from './http/auth.ts';
import { startGarbageCollector } from './garbage-collector.ts';
import { createFaults } from './http/faults.ts';
import type { Faults } from './http/faults.ts';
import { listen } from './http/listen.ts';
import { createRequestLog } from './http/requests.ts';
import type { RequestLog } from './http/requests.ts';
import { kubeconfigText } from './kubeconfig.ts';
import { startMirroringController } from './mirroring-controller.ts';
import { startNamespaceController } from './namespace-controller.ts';
import { RESOURCES } from './resources/registry.ts';

export interface ApiServerOptions {
  /** The name in the kubeconfig. */
  readonly name?: string;
  /** 0, the default, for a free one. */
  readonly port?: number;
  /** CIDR of the cluster IPs; "IPv4 CIDR,IPv6 CIDR" for dual stack. Default 10.96.0.0/16. */
  readonly serviceRange?: string;
  /** Who may ask. Absent: everybody, as admin, unless tokens are reviewed. */
  readonly tokens?: readonly TokenUser[];
  /** Decides about tokens that are not among those. */
  readonly reviewToken?: ReviewToken;
  /** What each user may do. Absent: everything. */
  readonly authorize?: Authorize;
  readonly clock?: Clock;
  /** PEM texts; the certificate is also the authority in the kubeconfig. Absent: plain http. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Events kept of each kind for watches and consistent lists. Default 10,000. */
  readonly watchHistory?: number;
  /** Plays the controller that copies Endpoints to EndpointSlices. Default false. */
  readonly mirroringController?: boolean;
  /** Plays the controller that deletes what no owner is left of. Default false. */
  readonly garbageCollector?: boolean;
  /** Leaves deleted namespaces Terminating, as a cluster without its namespace controller does. Default false. */
  readonly holdTerminating?: boolean;
}

export interface EmbeddedApiServer {
  readonly url: string;
  /** Of the first user; undefined when there are no tokens. */
  readonly token: string | undefined;
  readonly store: StoreAccess;
  readonly requests: RequestLog;
  readonly faults: Faults;
  kubeconfig(): string;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** Resolves when it answers. Listens on 127.0.0.1 only; keeps no timers that would keep a process alive. */
export async function startApiServer(options: ApiServerOptions = {}): Promise<EmbeddedApiServer> {
  const { name = 'embedded', port = 0, serviceRange = '10.96.0.0/16', tokens, reviewToken, tls } = options;
  const core = createCore({
    clock: options.clock ?? systemClock,
    serviceRanges: serviceRange.split(','),
    watchHistory: options.watchHistory ?? 10_000,
  });
  bootstrap(core);
  if (options.holdTerminating !== true) startNamespaceController(core);
  if (options.mirroringController === true) startMirroringController(core);
  if (options.garbageCollector === true) startGarbageCollector(core);
  const [faults, requests] = [createFaults(), createRequestLog()];
  const server = await listen({
    core,
    port,
    tls,
    tokens,
    reviewToken,
    authorize: options.authorize,
    faults,
    requests,
  });
  const url = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${server.port}`;
  const token = tokens?.[0]?.token;
  return {
    url,
    token,
    store: storeAccess(
      core,
      RESOURCES.map(({ resource }) => resource),
    ),
    requests,
    faults,
    kubeconfig: () => kubeconfigText({ name, url, ca: tls?.cert, token }),
    close: () => server.close(),
  };
}
