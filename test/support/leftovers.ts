// Brings a cluster back to the state that every test begins with.
import {
  ApiFailure,
  type KubeObject,
  type ServerAccess,
  testApi,
  type TestApi,
  type TestKind,
} from './api.ts';
import { aNamespace } from './builders.ts';

/** The namespaces that every test finds, in both clusters. */
const NAMESPACES = ['shop', 'other', 'linkerd-multicluster'] as const;

const KINDS = ['Service', 'Endpoints', 'EndpointSlice', 'Lease'] as const satisfies readonly TestKind[];

/** A controller at work may put back or take away what is being removed: looked at this often. */
const ROUNDS = 20;

/** Namespaces that every cluster has. */
const isKubernetesOwn = (namespace: string): boolean =>
  namespace === 'default' || namespace.startsWith('kube-');

/** All that is in Kubernetes' own namespaces, but of `default`, which tests use too, only the Service of the API. */
const isKubernetesObject = ({ namespace = '', name }: KubeObject['metadata']): boolean =>
  isKubernetesOwn(namespace) && (namespace !== 'default' || name === 'kubernetes');

/** Removes what tests left behind, and makes the namespaces they find. */
export const emptyCluster = async (access: ServerAccess): Promise<void> => {
  const api = testApi(access);
  try {
    for (let round = 0; (await removeObjects(api)) > 0; round += 1) {
      if (round === ROUNDS) throw new Error(`${access.url}: somebody keeps making objects`);
    }
    await resetNamespaces(api);
  } finally {
    await api.close();
  }
};

const removeObjects = async (api: TestApi): Promise<number> => {
  const removeKind = async (kind: (typeof KINDS)[number]): Promise<number> => {
    const doomed = (await api.list(kind)).filter(({ metadata }) => !isKubernetesObject(metadata));
    await Promise.all(
      doomed.map(({ metadata: { namespace = '', name } }) => unlessGone(api.remove(kind, namespace, name))),
    );
    return doomed.length;
  };
  const counts = await Promise.all(KINDS.map(removeKind));
  return counts.reduce((sum, count) => sum + count, 0);
};

const resetNamespaces = async (api: TestApi): Promise<void> => {
  const present = (await api.list('Namespace')).map(({ metadata }) => metadata.name);
  for (const name of present) {
    if (isKubernetesOwn(name) || NAMESPACES.some((kept) => kept === name)) continue;
    await unlessGone(api.remove('Namespace', '', name));
    await finishNamespace(api, name);
  }
  for (const name of NAMESPACES) {
    if (!present.includes(name)) await api.create('Namespace', aNamespace(name));
  }
};

/**
 * Lets a namespace that is being deleted go, as the namespace controller does: what is in it, then itself. None of that controller
 * works in the test clusters, so that a namespace stays Terminating for as long as a test likes.
 */
export const finishNamespace = async (api: TestApi, name: string): Promise<void> => {
  for (const kind of KINDS) {
    for (const { metadata } of await api.list(kind, name))
      await unlessGone(api.remove(kind, name, metadata.name));
  }
  const body = { ...aNamespace(name), spec: { finalizers: [] } };
  await unlessGone(api.call('PUT', `/api/v1/namespaces/${name}/finalize`, body));
};

/** Awaits a request that may find its object gone already. */
export const unlessGone = async (request: Promise<unknown>): Promise<void> => {
  try {
    await request;
  } catch (error) {
    if (!(error instanceof ApiFailure && error.status === 404)) throw error;
  }
};
