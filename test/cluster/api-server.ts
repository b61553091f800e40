// Starts the kube-apiserver of one test cluster.
import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import type { Api } from './api.ts';
import type { Daemon, Daemons } from './daemons.ts';
import { waitForServer } from './secure-server.ts';
import { ADMIN, type Credentials } from './users.ts';

// What the API server makes by itself soon after it is ready, and what reconciles rely on.
const SYSTEM_OBJECTS = [
  '/api/v1/namespaces/kube-system',
  '/api/v1/namespaces/default',
  '/api/v1/namespaces/default/services/kubernetes',
];

export interface ApiServerOptions {
  readonly daemons: Daemons;
  /** of the program */
  readonly path: string;
  readonly port: number;
  readonly etcdPort: number;
  readonly serviceRange: string;
  readonly credentials: Credentials;
}

export interface ApiServer {
  readonly daemon: Daemon;
  readonly url: string;
  readonly caData: string;
}

/** Resolves when it is ready and has made its system namespaces and the Service of the API; rejects with a StartError. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { daemons, path, port, credentials } = options;
  const url = `https://127.0.0.1:${port}`;
  const certificates = join(daemons.folder, 'kube-apiserver');
  const flags = { ...flagsOf(options), 'cert-dir': certificates, 'service-account-issuer': url };
  const daemon = daemons.start({ name: 'kube-apiserver', path, flags });
  const certificateFile = join(certificates, 'apiserver.crt');
  const caData = await waitForServer({
    daemon,
    url,
    certificateFile,
    token: credentials.tokens[ADMIN.name] ?? '',
    isReady,
  });
  return { daemon, url, caData };
}

function flagsOf({
  daemons,
  port,
  etcdPort,
  serviceRange,
  credentials,
}: ApiServerOptions): Readonly<Record<string, string>> {
  const signingKey = daemons.writeFile('service-accounts.pem', newSigningKey());
  return {
    'etcd-servers': `http://127.0.0.1:${etcdPort}`,
    'secure-port': String(port),
    'bind-address': '127.0.0.1',
    'advertise-address': '127.0.0.1',
    'service-cluster-ip-range': serviceRange,
    'service-account-key-file': signingKey,
    'service-account-signing-key-file': signingKey,
    'authorization-mode': 'RBAC',
    'token-auth-file': daemons.writeFile('tokens.csv', credentials.file),
    // No controller makes the ServiceAccounts that this plugin waits for, and no pod uses them.
    'disable-admission-plugins': 'ServiceAccount',
    // Endpoints may not hold a loopback address, so those of default/kubernetes are left out.
    'endpoint-reconciler-type': 'none',
  };
}

async function isReady(api: Api): Promise<boolean> {
  const answers = await Promise.all(['/readyz', ...SYSTEM_OBJECTS].map((path) => api.get(path)));
  return answers.every(({ status }) => status === 200);
}

function newSigningKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'sec1', format: 'pem' }).toString();
}
