// Starts the etcd of one test cluster.
import { join } from 'node:path';
import { type Daemon, type Daemons, waitUntilReady } from './daemons.ts';
import { START_DEADLINE } from './secure-server.ts';

const HEALTH_TIMEOUT = 2_000; // ms

export interface EtcdOptions {
  readonly daemons: Daemons;
  /** of the program */
  readonly path: string;
  readonly clientPort: number;
  readonly peerPort: number;
}

/** Resolves when it answers on `http://127.0.0.1:<clientPort>`; rejects with a StartError. */
export async function startEtcd({ daemons, path, clientPort, peerPort }: EtcdOptions): Promise<Daemon> {
  const clients = `http://127.0.0.1:${clientPort}`;
  const peers = `http://127.0.0.1:${peerPort}`;
  const flags = {
    'data-dir': join(daemons.folder, 'etcd'),
    'listen-client-urls': clients,
    'advertise-client-urls': clients,
    'listen-peer-urls': peers,
    'initial-advertise-peer-urls': peers,
    'initial-cluster': `default=${peers}`,
    'unsafe-no-fsync': 'true', // the data live for one test run
    'log-level': 'warn',
  };
  const etcd = daemons.start({ name: 'etcd', path, flags });
  await waitUntilReady(etcd, () => isHealthy(clients), START_DEADLINE);
  return etcd;
}

async function isHealthy(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(HEALTH_TIMEOUT) });
  return answer.ok;
}
