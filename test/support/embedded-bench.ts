// The bench of two embedded API servers in this process: for suites that also run on real ones.
import {
  type ApiServerOptions,
  type EmbeddedApiServer,
  startApiServer,
} from '../../sandbox/apiserver/server.ts';
import type { Bench } from '../cases/suite.ts';
import type { LabServer, LabServers } from './lab.ts';
import { emptyCluster } from './leftovers.ts';
import { isAllowed, LAB_USER_NAMES, tokensBy } from './users.ts';

const tokenOf = (user: string): string => `token-of-${user}`;

/** Without its namespace controller, as the real ones of these suites are: tests decide when a namespace is gone. */
const start = (options: ApiServerOptions): Promise<EmbeddedApiServer> =>
  startApiServer({
    ...options,
    holdTerminating: true,
    tokens: ['admin', ...LAB_USER_NAMES].map((user) => ({ token: tokenOf(user), user })),
    authorize: ({ user, ...wish }) => isAllowed(user, wish),
  });

const accessOf = ({ url }: EmbeddedApiServer): LabServer => ({
  url,
  token: tokenOf('admin'),
  tokens: tokensBy(tokenOf),
});

const SOURCE: ApiServerOptions = { name: 'source', serviceRange: '10.96.0.0/16' };

export const embeddedBench = (): Bench => {
  const running: EmbeddedApiServer[] = [];
  const started = async (options: ApiServerOptions): Promise<LabServer> => {
    const server = await start(options);
    running.push(server);
    return accessOf(server);
  };
  return {
    open: async () => ({
      source: await started(SOURCE),
      target: await started({ name: 'target', serviceRange: '10.97.0.0/16' }),
    }),
    startMirroring: async (servers: LabServers) => ({
      servers: { ...servers, source: await started({ ...SOURCE, mirroringController: true }) },
      stop: () => Promise.resolve(), // it goes with its server
    }),
    empty: async ({ source, target }) => {
      await Promise.all([emptyCluster(source), emptyCluster(target)]);
    },
    close: async () => {
      await Promise.all(running.map((server) => server.close()));
    },
  };
};
