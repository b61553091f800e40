// The bench of two real API servers: the programs of `npm run cluster:build`, started once per bench.
import type { Bench, BenchOptions } from '../cases/suite.ts';
import { requireBinaries } from '../cluster/binaries.ts';
import { startControllerManager } from '../cluster/controller-manager.ts';
import { type ControlPlane, startControlPlane } from '../cluster/control-plane.ts';
import { openDaemons } from '../cluster/daemons.ts';
import { withFreePorts } from '../cluster/ports.ts';
import { type ServerAccess, testApi } from './api.ts';
import type { LabServer } from './lab.ts';
import { emptyCluster } from './leftovers.ts';
import { LAB_USER_NAMES, LAB_USERS, tokensBy } from './users.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';

/** Gives the users with few rights what the table says. */
const grantRights = async (access: ServerAccess): Promise<void> => {
  const api = testApi(access);
  for (const [name, rules] of Object.entries(LAB_USERS)) {
    const apiGroup = 'rbac.authorization.k8s.io';
    await api.call('POST', `${RBAC}/clusterroles`, { metadata: { name }, rules });
    await api.call('POST', `${RBAC}/clusterrolebindings`, {
      metadata: { name },
      roleRef: { apiGroup, kind: 'ClusterRole', name },
      subjects: [{ apiGroup, kind: 'User', name }],
    });
  }
  await api.close();
};

const accessOf = ({ url, adminToken, caData, tokens }: ControlPlane): LabServer => ({
  url,
  token: adminToken,
  caData,
  tokens: tokensBy((user) => tokens[user] ?? ''),
});

const startPlane = async (name: string, serviceRange: string): Promise<ControlPlane> => {
  const plane = await startControlPlane({
    name,
    serviceRange,
    users: LAB_USER_NAMES.map((user) => ({ name: user })),
  });
  await grantRights(accessOf(plane));
  return plane;
};

/** Starts the mirroring controller of a cluster; returns what stops it. */
const startCopying = (plane: ControlPlane): Promise<() => Promise<void>> =>
  withFreePorts(1, async ([port = 0]) => {
    const daemons = openDaemons('mirroring');
    const path = requireBinaries(['kube-controller-manager'])['kube-controller-manager'];
    try {
      await startControllerManager({
        daemons,
        path,
        port,
        kubeconfig: plane.kubeconfig(),
        controllers: ['endpointslice-mirroring-controller'],
      });
    } catch (error) {
      await daemons.close();
      throw error;
    }
    return () => daemons.close();
  });

export const realBench = ({ sourceRange = '10.96.0.0/16' }: BenchOptions = {}): Bench => {
  let planes: readonly ControlPlane[] = [];
  return {
    open: async () => {
      const [source, target] = await Promise.all([
        startPlane('source', sourceRange),
        startPlane('target', '10.97.0.0/16'),
      ]);
      planes = [source, target];
      return { source: accessOf(source), target: accessOf(target) };
    },
    startMirroring: async (servers) => {
      const [source] = planes;
      if (source === undefined) throw new Error('the bench is not open');
      return { servers, stop: await startCopying(source) };
    },
    empty: async ({ source, target }) => {
      await Promise.all([emptyCluster(source), emptyCluster(target)]);
    },
    close: async () => {
      await Promise.all(planes.map((plane) => plane.stop()));
    },
  };
};
