// The rights of deploy/ on embedded API servers that are told by the manifests who may do what.
import { type EmbeddedApiServer, startApiServer } from '../../sandbox/apiserver/server.ts';
import { emptyCluster } from '../support/leftovers.ts';
import { isGranted } from './manifests.ts';
import { type Grantee, type RightsBench, rightsSuite } from './rbac.suite.ts';

const embedded = (): RightsBench => {
  const servers: EmbeddedApiServer[] = [];
  const start = async (name: string, serviceRange: string, grantees: readonly Grantee[]) => {
    const byUser = new Map(grantees.map((grantee) => [grantee.user, grantee]));
    const server = await startApiServer({
      name,
      serviceRange,
      holdTerminating: true,
      tokens: [...byUser.keys(), 'admin'].map((user) => ({
        token: `token of ${user}`.replaceAll(' ', '-'),
        user,
      })),
      authorize: ({ user, ...wish }) => {
        const grantee = byUser.get(user);
        return grantee === undefined || isGranted(grantee.manifests, grantee.group, wish);
      },
    });
    servers.push(server);
    return { url: server.url, token: 'token-of-admin' };
  };
  return {
    open: async ({ source, target }) => ({
      source: await start('source', '10.96.0.0/16', source),
      target: await start('target', '10.97.0.0/16', target),
    }),
    tokenOf: (_, user) => `token-of-${user}`,
    empty: async ({ source, target }) => {
      await Promise.all([emptyCluster(source), emptyCluster(target)]);
    },
    close: async () => {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
};

rightsSuite('embedded', embedded());
