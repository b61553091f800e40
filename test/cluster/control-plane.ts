// Starts the control plane of a real Kubernetes cluster on loopback: etcd, kube-apiserver, and the controllers a test asks for.
import { writeFile } from 'node:fs/promises';
import { type Api, connectApi } from './api.ts';
import { type ApiServer, startApiServer } from './api-server.ts';
import { requireBinaries } from './binaries.ts';
import { startControllerManager } from './controller-manager.ts';
import { type Daemons, openDaemons } from './daemons.ts';
import { startEtcd } from './etcd.ts';
import { kubeconfigText } from './kubeconfig.ts';
import { withFreePorts } from './ports.ts';
import { ADMIN, type Credentials, type User, issueTokens } from './users.ts';

const DEFAULT_SERVICE_RANGE = '10.96.0.0/16';

export interface ControlPlaneOptions {
  /** names the cluster in kubeconfigs and messages; letters, digits and dashes */
  readonly name: string;
  /** CIDR of the ClusterIPs, /29 at the least; "IPv4 CIDR,IPv6 CIDR" for dual stack. Default 10.96.0.0/16 */
  readonly serviceRange?: string;
  /** users besides the admin; they may do what RBAC grants them, at first nearly nothing */
  readonly users?: readonly User[];
  /** controllers of kube-controller-manager by its own names; none: it is not started */
  readonly controllers?: readonly string[];
}

/** How to reach a cluster. A user that was not given at the start is an error in every method. */
export interface ClusterAccess {
  readonly name: string;
  /** https://127.0.0.1:PORT */
  readonly url: string;
  /** PEM of the authority that signed the server's certificate */
  readonly caData: string;
  /** of the user "admin", in the group system:masters */
  readonly adminToken: string;
  /** bearer token by user name, the admin's too */
  readonly tokens: Readonly<Record<string, string>>;
  /** YAML text for one user; default: the admin */
  kubeconfig(user?: string): string;
  /** Writes that text to a file that only this account may read. */
  writeKubeconfig(path: string, user?: string): Promise<void>;
  /** A client for one user; default: the admin. */
  api(user?: string): Api;
}

export interface ControlPlane extends ClusterAccess {
  readonly serviceRange: string;
  /** folder of one log file per program; gone after stop() */
  readonly logs: string;
  /** process ids of the programs */
  readonly pids: readonly number[];
  /** Kills the programs and removes their files; resolves when nothing is left. May be called again. */
  stop(): Promise<void>;
}

/**
 * Resolves when the API answers, with its system namespaces and the Service `default/kubernetes` in place. Several can be started
 * at the same time. Rejects with an error that names missing programs, or a StartError with the end of the log of the one that
 * failed; nothing is left running then. Nothing outlives this process either, however it ends.
 */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const credentials = issueTokens(options.users ?? []);
  return withFreePorts(4, async (ports) => {
    const daemons = openDaemons(`cluster-${options.name}`);
    try {
      return await start({ options, credentials, daemons, ports });
    } catch (error) {
      await daemons.close();
      throw error;
    }
  });
}

interface Start {
  readonly options: ControlPlaneOptions;
  readonly credentials: Credentials;
  readonly daemons: Daemons;
  readonly ports: readonly number[];
}

async function start({ options, credentials, daemons, ports }: Start): Promise<ControlPlane> {
  const { name, serviceRange = DEFAULT_SERVICE_RANGE, controllers = [] } = options;
  const [etcdPort = 0, peerPort = 0, port = 0, managerPort = 0] = ports;
  const paths = requireBinaries(['etcd', 'kube-apiserver']);
  const etcd = await startEtcd({ daemons, path: paths.etcd, clientPort: etcdPort, peerPort });
  const server = await startApiServer({
    daemons,
    path: paths['kube-apiserver'],
    port,
    etcdPort,
    serviceRange,
    credentials,
  });
  const access = accessTo(name, server, credentials);
  const started = [etcd, server.daemon];
  if (controllers.length > 0) {
    const path = requireBinaries(['kube-controller-manager'])['kube-controller-manager'];
    const kubeconfig = access.kubeconfig();
    started.push(await startControllerManager({ daemons, path, port: managerPort, kubeconfig, controllers }));
  }
  return {
    ...access,
    serviceRange,
    logs: daemons.logs,
    pids: started.map(({ pid }) => pid),
    stop: () => daemons.close(),
  };
}

function accessTo(name: string, { url, caData }: ApiServer, { tokens }: Credentials): ClusterAccess {
  const tokenOf = (user: string): string => {
    const token = tokens[user];
    if (token === undefined)
      throw new Error(`cluster ${name} has no user ${user}, only ${Object.keys(tokens).join(', ')}`);
    return token;
  };
  const kubeconfig = (user = ADMIN.name): string =>
    kubeconfigText({ name, url, caData, user, token: tokenOf(user) });
  return {
    name,
    url,
    caData,
    adminToken: tokenOf(ADMIN.name),
    tokens,
    kubeconfig,
    writeKubeconfig: (path, user) => writeFile(path, kubeconfig(user), { mode: 0o600 }),
    api: (user = ADMIN.name) => connectApi({ url, caData, token: tokenOf(user) }),
  };
}
