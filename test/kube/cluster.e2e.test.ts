// The cluster port on a real API server, and what only a real one can show: TLS, HTTP/2, compression, its kubeconfig.
import { expect, it } from 'vitest';
import { kubeCluster } from '../../lib/kube/cluster.ts';
import type { KubeConnection } from '../../lib/kube/connection.ts';
import { connectionFromKubeconfig } from '../../lib/kube/kubeconfig.ts';
import { SERVICE_RANGE, clusterContract } from '../contract/cluster.contract.ts';
import { startControlPlane, type ControlPlane } from '../cluster/control-plane.ts';
import { testClock } from '../support/clock.ts';
import { selfSigned } from '../../sandbox/certificate.ts';
import { connect } from './connect.ts';

let plane: ControlPlane;

clusterContract(async () => {
  plane = await startControlPlane({ name: 'port', serviceRange: SERVICE_RANGE, users: [{ name: 'nobody' }] });
  const { url, caData, adminToken, tokens } = plane;
  return { url, caData, adminToken, nobodyToken: tokens['nobody'] ?? '', stop: () => plane.stop() };
}, connect);

const opened = async <T>(
  more: Partial<KubeConnection>,
  use: (cluster: ReturnType<typeof kubeCluster>) => Promise<T>,
): Promise<T> => {
  const connection = await connectionFromKubeconfig({
    name: 'target',
    trust: 'stored',
    text: plane.kubeconfig(),
  });
  const cluster = kubeCluster({ ...connection, ...more }, { clock: testClock() });
  try {
    return await use(cluster);
  } finally {
    await cluster.close();
  }
};

it('answers over TLS to the kubeconfig that it comes with, and 64 requests at a time', async () => {
  await opened({}, async (cluster) => {
    const reads = Array.from({ length: 64 }, () => cluster.get('Service', 'default', 'kubernetes'));
    const names = (await Promise.all(reads)).map((service) => service?.meta.name);
    expect(new Set(names)).toEqual(new Set(['kubernetes']));
    expect(cluster.requests().reads).toBe(64);
  });
});

it('is not believed when nobody that we trust vouches for it', async () => {
  await opened({ caData: selfSigned().cert }, async (cluster) => {
    await expect(cluster.list('Service')).rejects.toMatchObject({ kind: 'unreachable' });
  });
});

it('sends large lists compressed: fewer bytes come than the objects have', async () => {
  await opened({}, async (cluster) => {
    const namespace = 'large';
    await cluster.create('Namespace', '', { metadata: { name: namespace } });
    const annotations = { note: 'x'.repeat(50_000) };
    for (const name of ['a', 'b', 'c', 'd']) {
      await cluster.create('Endpoints', namespace, { metadata: { name, annotations } });
    }
    const { bytes } = cluster.requests();
    const listed = await cluster.list('Endpoints', { namespace });
    expect(listed.map(({ meta }) => meta.annotations['note']?.length)).toEqual([
      50_000, 50_000, 50_000, 50_000,
    ]);
    expect(cluster.requests().bytes - bytes).toBeLessThan(100_000);
  });
});
