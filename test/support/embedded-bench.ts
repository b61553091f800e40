// The bench of two embedded API servers in this process: for suites that also run on real ones.
import {
  type ApiServerOptions,
  type EmbeddedApiServer,
  startApiServer,
} from '../../sandbox/apiserver/server.ts';
import type { Bench, BenchOptions } from '../cases/suite.ts';
import type { LabServer, LabServers } from './lab.ts';
import { emptyCluster } from './leftovers.ts';
import { isAllowed, LAB_USER_NAMES, tokensBy } from './users.ts';

/** A token is good for one cluster, as on real ones. */
const tokenOf = (cluster: string, user: string): string => `token-of-${user}-in-${cluster}`;

/** Without its namespace controller, as the real ones of these suites are: tests decide when a namespace is gone. */
const start = (options: ApiServerOptions & { readonly name: string }): Promise<EmbeddedApiServer> =>
  startApiServer({
    ...options,
    holdTerminating: true,
    tokens: ['admin', ...LAB_USER_NAMES].map((user) => ({ token: tokenOf(options.name, user), user })),
    authorize: ({ user, ...wish }) => isAllowed(user, wish),
  });

const accessOf = ({ url }: EmbeddedApiServer, name: string): LabServer => ({
  url,
  token: tokenOf(name, 'admin'),
  tokens: tokensBy((user) => tokenOf(name, user)),
});

export const embeddedBench = ({ sourceRange = '10.96.0.0/16' }: BenchOptions = {}): Bench => {
  const source = { name: 'source', serviceRange: sourceRange };
  const running: EmbeddedApiServer[] = [];
  const started = async (options: Parameters<typeof start>[0]): Promise<LabServer> => {
    const server = await start(options);
    running.push(server);
    return accessOf(server, options.name);
  };
  return {
    open: async () => ({
      source: await started(source),
      target: await started({ name: 'target', serviceRange: '10.97.0.0/16' }),
    }),
    startMirroring: async (servers: LabServers) => ({
      servers: { ...servers, source: await started({ ...source, mirroringController: true }) },
      stop: () => Promise.resolve(), // it goes with its server
    }),
    empty: async (servers) => {
      await Promise.all([emptyCluster(servers.source), emptyCluster(servers.target)]);
    },
    close: async () => {
      await Promise.all(running.map((server) => server.close()));
    },
  };
};
