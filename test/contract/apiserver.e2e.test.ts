// The contract of Kubernetes API servers, on a real kube-apiserver with the controllers that the embedded one plays.
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { startApiServer } from '../cluster/api-server.ts';
import type { ApiServer } from '../cluster/api-server.ts';
import { requireBinaries } from '../cluster/binaries.ts';
import { startControllerManager } from '../cluster/controller-manager.ts';
import { openDaemons } from '../cluster/daemons.ts';
import type { Daemons } from '../cluster/daemons.ts';
import { startEtcd } from '../cluster/etcd.ts';
import { kubeconfigText } from '../cluster/kubeconfig.ts';
import { withFreePorts } from '../cluster/ports.ts';
import { issueTokens } from '../cluster/users.ts';
import { apiServerContract } from './apiserver.contract.ts';
import type { ServerUnderTest, StartOptions } from './apiserver-client.ts';

const CONTROLLERS = ['namespace-controller', 'endpointslice-mirroring-controller'];
const POLL_INTERVAL = 100; // ms
const POLLS = 300;

// As test/cluster/control-plane.ts starts them; here etcd has to be within reach, to compact it.
apiServerContract('kube-apiserver', (options) =>
  withFreePorts(4, async (ports) => {
    const daemons = openDaemons('contract');
    try {
      return await start(daemons, options, ports);
    } catch (error) {
      await daemons.close();
      throw error;
    }
  }),
);

async function start(
  daemons: Daemons,
  { serviceRange = '10.96.0.0/16', garbageCollector = false }: StartOptions,
  ports: readonly number[],
): Promise<ServerUnderTest> {
  const [etcdPort = 0, peerPort = 0, port = 0, managerPort = 0] = ports;
  const paths = requireBinaries(['etcd', 'kube-apiserver', 'kube-controller-manager']);
  const credentials = issueTokens([]);
  await startEtcd({ daemons, path: paths.etcd, clientPort: etcdPort, peerPort });
  const options = { daemons, path: paths['kube-apiserver'], port, etcdPort, serviceRange, credentials };
  const server = await startApiServer(options);
  const token = credentials.tokens.admin ?? '';
  await serveLinks(server, token);
  await startControllerManager({
    daemons,
    path: paths['kube-controller-manager'],
    port: managerPort,
    kubeconfig: kubeconfigText({ ...server, name: 'contract', user: 'admin', token }),
    controllers: garbageCollector ? [...CONTROLLERS, 'garbage-collector-controller'] : CONTROLLERS,
  });
  return {
    url: server.url,
    ca: server.caData,
    token,
    capabilities: { compact: () => compact(`http://127.0.0.1:${etcdPort}`) },
    close: () => daemons.close(),
  };
}

/** Forgets everything before the newest revision, which a read of a key that is not there tells. */
async function compact(etcd: string): Promise<void> {
  const post = async (path: string, body: object): Promise<{ header: { revision: string } }> => {
    const answer = await fetch(`${etcd}${path}`, { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`etcd ${path}: ${await answer.text()}`);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the header of every answer of etcd's gateway
    return (await answer.json()) as { header: { revision: string } };
  };
  const { header } = await post('/v3/kv/range', { key: Buffer.from('none').toString('base64') });
  await post('/v3/kv/compaction', { revision: header.revision, physical: true });
}

/** A Link as the embedded server has it: spec and status keep whatever they are given. */
const ANYTHING = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const LINK_CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'links.multicluster.linkerd.io' },
  spec: {
    group: 'multicluster.linkerd.io',
    scope: 'Namespaced',
    names: { plural: 'links', singular: 'link', kind: 'Link' },
    versions: ['v1alpha1', 'v1alpha2', 'v1alpha3'].map((name) => ({
      name,
      served: true,
      storage: name === 'v1alpha3',
      subresources: { status: {} },
      schema: { openAPIV3Schema: { type: 'object', properties: { spec: ANYTHING, status: ANYTHING } } },
    })),
  },
};

async function serveLinks({ url, caData }: ApiServer, token: string): Promise<void> {
  const dispatcher = new Agent({ connect: { ca: caData } });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const created = await fetch(`${url}/apis/apiextensions.k8s.io/v1/customresourcedefinitions`, {
    method: 'POST',
    headers,
    body: JSON.stringify(LINK_CRD),
    dispatcher,
  });
  if (!created.ok) throw new Error(`the Link CRD: ${await created.text()}`);
  for (let poll = 1; poll <= POLLS; poll += 1) {
    const answer = await fetch(`${url}/apis/multicluster.linkerd.io/v1alpha3/links`, { headers, dispatcher });
    await answer.text();
    if (answer.ok) return dispatcher.close();
    await sleep(POLL_INTERVAL);
  }
  throw new Error('the API server does not serve Links');
}
