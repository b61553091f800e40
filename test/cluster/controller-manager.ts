// Starts the kube-controller-manager of one test cluster, with the controllers a test asks for.
import { join } from 'node:path';
import type { Daemon, Daemons } from './daemons.ts';
import { waitForServer } from './secure-server.ts';

export interface ControllerManagerOptions {
  readonly daemons: Daemons;
  /** of the program */
  readonly path: string;
  readonly port: number;
  /** YAML text of an admin */
  readonly kubeconfig: string;
  /** its own names, for example "endpointslice-mirroring-controller" */
  readonly controllers: readonly string[];
}

/** Resolves when it is healthy; its controllers work within seconds then. Rejects with a StartError, for a wrong name too. */
export async function startControllerManager(options: ControllerManagerOptions): Promise<Daemon> {
  const { daemons, path, port, kubeconfig, controllers } = options;
  const certificates = join(daemons.folder, 'kube-controller-manager');
  const flags = {
    kubeconfig: daemons.writeFile('controllers.kubeconfig', kubeconfig),
    controllers: controllers.join(','),
    'leader-elect': 'false',
    'bind-address': '127.0.0.1',
    'secure-port': String(port),
    'cert-dir': certificates,
  };
  const daemon = daemons.start({ name: 'kube-controller-manager', path, flags });
  await waitForServer({
    daemon,
    url: `https://127.0.0.1:${port}`,
    certificateFile: join(certificates, 'kube-controller-manager.crt'),
    token: '',
    isReady: async (api) => (await api.get('/healthz')).status === 200,
  });
  return daemon;
}
