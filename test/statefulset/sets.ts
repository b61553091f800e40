// StatefulSets of the target cluster with their Services, each step followed until what Kubernetes makes of it stands still.
import type { KubeObject, TestApi } from '../support/api.ts';
import { EXPORTED } from '../support/builders.ts';
import { until } from '../support/until.ts';
import { isReady, type Kubelet, readiness } from './kubelet.ts';

/** Where the sets are, and so their mirrors. */
export const NAMESPACE = 'default';

/** The Service that gives the pods of a set their names. */
export interface ServiceShape {
  /** default: true */
  readonly headless?: boolean;
  /** default: true */
  readonly exported?: boolean;
  readonly publishNotReadyAddresses?: boolean;
}

export interface SetShape extends ServiceShape {
  readonly name: string;
  readonly replicas: number;
  readonly podManagementPolicy?: 'OrderedReady' | 'Parallel';
  /** ordinal of the first pod; default: 0 */
  readonly start?: number;
}

/** Every method but the last resolves when the pods are as asked for and the EndpointSlices of their Service say so. */
export interface Sets {
  create(shape: SetShape): Promise<void>;
  scale(name: string, replicas: number): Promise<void>;
  /** @param pod for example foo-0 */
  setReady(pod: string, ready: boolean): Promise<void>;
  /** Deletes the Service and creates one of another shape under the same name. */
  replaceService(name: string, shape: ServiceShape): Promise<void>;
  /** Labels a Service for export. */
  exportService(name: string): Promise<void>;
}

const aSet = ({ name, replicas, podManagementPolicy = 'OrderedReady', start = 0 }: SetShape): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name, namespace: NAMESPACE },
  spec: {
    serviceName: name,
    replicas,
    podManagementPolicy,
    ordinals: { start },
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image: 'example.test/never-pulled' }] },
    },
  },
});

const aGoverningService = (
  name: string,
  { headless = true, exported = true, publishNotReadyAddresses = false }: ServiceShape,
): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: NAMESPACE, labels: exported ? EXPORTED : {} },
  spec: {
    ...(headless ? { clusterIP: 'None' } : {}),
    publishNotReadyAddresses,
    selector: { app: name },
    ports: [{ name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' }],
  },
});

export const openSets = (api: TestApi, kubelet: Kubelet): Sets => {
  const settle = async (name: string): Promise<void> => {
    await until(`the pods of ${name} are as asked for`, async () => {
      await kubelet.round();
      return areAsAskedFor(api, name);
    });
    await until(`the EndpointSlices of ${name} list its pods`, () => areListed(api, name));
  };
  return {
    create: async (shape) => {
      await api.create('Service', aGoverningService(shape.name, shape));
      await api.create('StatefulSet', aSet(shape));
      await settle(shape.name);
    },
    scale: async (name, replicas) => {
      await api.patch('StatefulSet', NAMESPACE, name, { spec: { replicas } });
      await settle(name);
    },
    setReady: async (pod, ready) => {
      await api.patchStatus('Pod', NAMESPACE, pod, readiness(ready));
      await settle(pod.replace(/-\d+$/, ''));
    },
    replaceService: async (name, shape) => {
      await api.remove('Service', NAMESPACE, name);
      await api.create('Service', aGoverningService(name, shape));
      await settle(name);
    },
    exportService: async (name) => {
      await api.patch('Service', NAMESPACE, name, { metadata: { labels: EXPORTED } });
    },
  };
};

const ofOwner =
  (owner: KubeObject) =>
  ({ metadata }: KubeObject): boolean =>
    (metadata.ownerReferences ?? []).some(({ uid }) => uid === owner.metadata.uid);

const standing = async (api: TestApi, kind: 'Service' | 'StatefulSet', name: string): Promise<KubeObject> => {
  const object = await api.read(kind, NAMESPACE, name);
  if (object === undefined) throw new Error(`the target cluster has no ${kind} ${name}`);
  return object;
};

const podsOf = async (api: TestApi, name: string): Promise<readonly KubeObject[]> => {
  const set = await standing(api, 'StatefulSet', name);
  return (await api.list('Pod', NAMESPACE)).filter(ofOwner(set));
};

/** As many as the set asks for, by the ordinals it asks for, and none that is not started or on its way out. */
const areAsAskedFor = async (api: TestApi, name: string): Promise<boolean> => {
  const { spec } = await standing(api, 'StatefulSet', name);
  const pods = await podsOf(api, name);
  const ordinals = Array.from({ length: spec.replicas }, (_, index) => spec.ordinals.start + index);
  const isRunning = ({ metadata, status }: KubeObject): boolean =>
    metadata['deletionTimestamp'] === undefined && status.podIP !== undefined;
  return (
    sameTexts(
      pods.map(({ metadata }) => metadata.name),
      ordinals.map((ordinal) => `${name}-${ordinal}`),
    ) && pods.every(isRunning)
  );
};

interface SliceEndpoint {
  readonly addresses: readonly string[];
  readonly conditions: { readonly ready: boolean };
}

/** The slices of today's Service list every pod once, with its readiness; those of a deleted Service are gone. */
const areListed = async (api: TestApi, name: string): Promise<boolean> => {
  const service = await standing(api, 'Service', name);
  const slices = (await api.list('EndpointSlice', NAMESPACE)).filter(
    ({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === name,
  );
  const listed = slices.flatMap(({ endpoints }): readonly SliceEndpoint[] => endpoints ?? []);
  const pods = await podsOf(api, name);
  const isPublished = (pod: KubeObject): boolean =>
    isReady(pod) || service['spec'].publishNotReadyAddresses === true;
  return (
    slices.every(ofOwner(service)) &&
    sameTexts(
      listed.map(({ addresses, conditions }) => `${addresses.join()} ${conditions.ready}`),
      pods.map((pod) => `${pod['status'].podIP} ${isPublished(pod)}`),
    )
  );
};

const sameTexts = (a: readonly string[], b: readonly string[]): boolean =>
  a.toSorted().join('\n') === b.toSorted().join('\n');
