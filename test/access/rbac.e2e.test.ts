// The rights of deploy/ on real API servers: the manifests applied as they are, users bound to them by their groups.
import { setTimeout as pause } from 'node:timers/promises';
import { type ControlPlane, startControlPlane } from '../cluster/control-plane.ts';
import { type ServerAccess, testApi, type TestApi } from '../support/api.ts';
import type { ClusterName } from '../support/lab.ts';
import { emptyCluster } from '../support/leftovers.ts';
import { boundRightsOf, type Manifest, type Right } from './manifests.ts';
import { type Grantee, type RightsBench, rightsSuite } from './rbac.suite.ts';

const PLURALS = {
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  Role: 'roles',
  RoleBinding: 'rolebindings',
} as const;

const POLL_MS = 50;
const POLLS = 200;

const accessOf = ({ url, adminToken, caData }: ControlPlane): ServerAccess => ({
  url,
  token: adminToken,
  caData,
});

const apply = (api: TestApi, manifest: Manifest): Promise<unknown> => {
  const { namespace } = manifest.metadata;
  const scope = namespace === undefined ? '' : `/namespaces/${namespace}`;
  return api.call('POST', `/apis/${manifest.apiVersion}${scope}/${PLURALS[manifest.kind]}`, manifest);
};

const isAllowed = async (api: TestApi, { namespace = '', name = '', ...wish }: Right): Promise<boolean> => {
  const resourceAttributes = { ...wish, namespace, name };
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes },
  };
  const answer = await api.call('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review);
  return answer['status'].allowed === true;
};

/** The API server's authorizer learns of manifests a moment after they are stored. */
const untilGranted = async (api: TestApi, { user, manifests }: Grantee): Promise<void> => {
  const rights = boundRightsOf(manifests);
  for (let poll = 0; poll < POLLS; poll += 1) {
    const granted = await Promise.all(rights.map((right) => isAllowed(api, right)));
    if (granted.every(Boolean)) return;
    await pause(POLL_MS);
  }
  throw new Error(`${user} was not granted what the manifests say`);
};

const startPlane = async (
  name: ClusterName,
  serviceRange: string,
  grantees: readonly Grantee[],
): Promise<ControlPlane> => {
  const users = grantees.map(({ user, group }) => ({ name: user, groups: [group] }));
  const plane = await startControlPlane({ name, serviceRange, users });
  await emptyCluster(accessOf(plane)); // makes the namespaces that a Role needs
  const api = testApi(accessOf(plane));
  for (const manifest of grantees.flatMap(({ manifests }) => manifests)) await apply(api, manifest);
  await api.close();
  for (const grantee of grantees) {
    const own = testApi({ ...accessOf(plane), token: plane.tokens[grantee.user] ?? '' });
    await untilGranted(own, grantee);
    await own.close();
  }
  return plane;
};

const real = (): RightsBench => {
  const planes = new Map<ClusterName, ControlPlane>();
  return {
    async open({ source, target }) {
      const started = await Promise.all([
        startPlane('source', '10.96.0.0/16', source),
        startPlane('target', '10.97.0.0/16', target),
      ]);
      planes.set('source', started[0]).set('target', started[1]);
      return { source: accessOf(started[0]), target: accessOf(started[1]) };
    },
    tokenOf: (cluster, user) => planes.get(cluster)?.tokens[user] ?? '',
    async empty({ source, target }) {
      await Promise.all([emptyCluster(source), emptyCluster(target)]);
    },
    async close() {
      await Promise.all([...planes.values()].map((plane) => plane.stop()));
    },
  };
};

rightsSuite('real', real());
