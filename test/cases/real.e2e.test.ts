// The case suites on real API servers.
import { type ControlPlane, startControlPlane } from '../cluster/control-plane.ts';
import type { LabServers } from '../support/lab.ts';
import { testApi } from '../support/api.ts';
import { ALL_CASES } from './all.ts';
import { type Bench, onBench } from './suite.ts';

const accessOf = ({ url, adminToken, caData }: ControlPlane) => ({ url, token: adminToken, caData });

const KINDS = ['Service', 'Endpoints', 'EndpointSlice', 'Lease'] as const;

/** Removes all that tests make; Kubernetes' own Service in default stays. */
const emptyCluster = async (access: LabServers['source']): Promise<void> => {
  const api = testApi(access);
  for (const kind of KINDS) {
    for (const { metadata } of await api.list(kind)) {
      const { namespace = '', name } = metadata;
      if (namespace !== 'default' && !namespace.startsWith('kube-')) await api.remove(kind, namespace, name);
    }
  }
  await api.close();
};

const realBench = (): Bench => {
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

for (const [name, suite] of ALL_CASES) onBench(`${name} on real API servers`, realBench(), suite);
