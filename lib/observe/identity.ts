// Which cluster is behind a connection, whatever its address and credentials say.
import { ClusterError } from '../errors.ts';
import type { Cluster } from '../ports.ts';

/**
 * The UID of namespace kube-system, or of Service default/kubernetes where that namespace may not be read: both live as long as
 * the cluster does.
 */
export const clusterUid = async (cluster: Cluster): Promise<string> => {
  const uid = await namespaceUid(cluster);
  if (uid !== undefined) return uid;
  const service = await cluster.get('Service', 'default', 'kubernetes');
  if (service !== undefined) return service.meta.uid;
  throw new ClusterError(
    'neither namespace kube-system nor Service default/kubernetes can be read, so which cluster it is stays unknown',
    {
      kind: 'denied',
      request: 'identity of the cluster',
    },
  );
};

const namespaceUid = async (cluster: Cluster): Promise<string | undefined> => {
  try {
    return (await cluster.get('Namespace', '', 'kube-system'))?.meta.uid;
  } catch (error) {
    if (error instanceof ClusterError && error.kind === 'denied') return undefined;
    throw error;
  }
};
