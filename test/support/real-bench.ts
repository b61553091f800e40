// The bench of two real API servers: the programs of `npm run cluster:build`, started once per suite.
import type { Bench } from '../cases/suite.ts';
import { type ControlPlane, startControlPlane } from '../cluster/control-plane.ts';
import { type ServerAccess, testApi } from './api.ts';
import { isLeftover } from './leftovers.ts';

const KINDS = ['Service', 'Endpoints', 'EndpointSlice', 'Lease'] as const;

const accessOf = ({ url, adminToken, caData }: ControlPlane): ServerAccess => ({
  url,
  token: adminToken,
  caData,
});

const emptyCluster = async (access: ServerAccess): Promise<void> => {
  const api = testApi(access);
  for (const kind of KINDS) {
    for (const { metadata } of await api.list(kind)) {
      const { namespace = '', name } = metadata;
      if (isLeftover(namespace)) await api.remove(kind, namespace, name);
    }
  }
  await api.close();
};

export const realBench = (): Bench => {
  let planes: readonly ControlPlane[] = [];
  return {
    open: async () => {
      const [source, target] = await Promise.all([
        startControlPlane({ name: 'source', serviceRange: '10.96.0.0/16' }),
        startControlPlane({ name: 'target', serviceRange: '10.97.0.0/16' }),
      ]);
      planes = [source, target];
      return { source: accessOf(source), target: accessOf(target) };
    },
    empty: async ({ source, target }) => {
      await Promise.all([emptyCluster(source), emptyCluster(target)]);
    },
    close: async () => {
      await Promise.all(planes.map((plane) => plane.stop()));
    },
  };
};
