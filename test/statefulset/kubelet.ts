// What a scheduler and a kubelet would do to the pods of a test cluster: place them, let them run, let them go. No pod is a process.
import type { KubeObject, TestApi } from '../support/api.ts';
import { unlessGone } from '../support/leftovers.ts';

/** The slice controller passes over pods that are on no node. */
const NODE: KubeObject = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'node-a', labels: { 'topology.kubernetes.io/zone': 'zone-a' } },
};

/** Of pods; as many as one /24 holds before an address comes back, by when its former holder is long gone. */
const MOST_ADDRESSES = 254;

export interface Kubelet {
  /** Looks once at every pod: places and starts the new ones, lets go of those that are Terminating. */
  round(): Promise<void>;
  /** Takes all pods away at once. */
  killAll(): Promise<void>;
}

/** Whether a pod's status says it is ready. */
export const isReady = ({ status }: KubeObject): boolean =>
  (status?.conditions ?? []).some(
    (condition: { type: string; status: string }) =>
      condition.type === 'Ready' && condition.status === 'True',
  );

/** What a kubelet reports of a pod's readiness. */
export const readiness = (ready: boolean): object => ({
  conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
});

/** Makes the cluster's one node, which outlives its pods. */
export const startKubelet = async (api: TestApi): Promise<Kubelet> => {
  await api.create('Node', NODE);
  let addresses = 0;

  const start = async ({ metadata, spec }: KubeObject): Promise<void> => {
    const { namespace = '', name } = metadata;
    if (spec.nodeName === undefined) {
      const target = { apiVersion: 'v1', kind: 'Node', name: NODE.metadata.name };
      const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target };
      await api.call('POST', `/api/v1/namespaces/${namespace}/pods/${name}/binding`, binding);
    }
    addresses += 1;
    const podIP = `10.1.0.${1 + (addresses % MOST_ADDRESSES)}`;
    const status = { phase: 'Running', podIP, podIPs: [{ ip: podIP }], ...readiness(true) };
    await api.patchStatus('Pod', namespace, name, status);
  };

  const kill = ({ metadata }: KubeObject): Promise<void> =>
    unlessGone(api.remove('Pod', metadata.namespace ?? '', metadata.name, { gracePeriodSeconds: 0 }));

  return {
    round: async () => {
      for (const pod of await api.list('Pod')) {
        if (pod.metadata['deletionTimestamp'] !== undefined) await kill(pod);
        else if (pod['status']?.podIP === undefined) await unlessGone(start(pod));
      }
    },
    killAll: async () => {
      for (const pod of await api.list('Pod')) await kill(pod);
    },
  };
};
