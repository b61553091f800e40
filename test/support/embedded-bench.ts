// The bench of two embedded API servers in this process: for suites that also run on real ones.
import { type EmbeddedApiServer, startApiServer } from '../../sandbox/apiserver/server.ts';
import type { Bench } from '../cases/suite.ts';
import { isLeftover } from './leftovers.ts';

const RESOURCES = ['services', 'endpoints', 'endpointslices', 'leases'] as const;

const emptyServer = ({ store }: EmbeddedApiServer): void => {
  for (const resource of RESOURCES) {
    for (const { metadata } of store.list(resource)) {
      const { namespace = '', name } = metadata;
      if (isLeftover(namespace)) store.delete(resource, namespace, name);
    }
  }
};

export const embeddedBench = (): Bench => {
  let servers: readonly EmbeddedApiServer[] = [];
  return {
    open: async () => {
      const [source, target] = await Promise.all([
        startApiServer({ name: 'source', serviceRange: '10.96.0.0/16' }),
        startApiServer({ name: 'target', serviceRange: '10.97.0.0/16' }),
      ]);
      servers = [source, target];
      return { source: { url: source.url, token: 'any' }, target: { url: target.url, token: 'any' } };
    },
    empty: async () => {
      for (const server of servers) emptyServer(server);
    },
    close: async () => {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
};
