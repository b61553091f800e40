// Starts a real CoreDNS on loopback.
import { Resolver } from 'node:dns/promises';
import { requireBinaries } from './binaries.ts';
import { type Daemons, openDaemons, waitUntilReady } from './daemons.ts';
import { withFreePorts } from './ports.ts';

const START_DEADLINE = 30_000; // ms
const QUERY_TIMEOUT = 1_000; // ms
const NOT_ANSWERED = new Set(['ECONNREFUSED', 'ETIMEOUT', 'ECANCELLED']);

export interface CoreDnsOptions {
  /** server blocks without ports, each with `bind 127.0.0.1`: see corefile.ts */
  readonly corefile: string;
  /** text by name, written beside the Corefile before the start */
  readonly files?: Readonly<Record<string, string>>;
  /** default: a free one */
  readonly port?: number;
}

export interface CoreDns {
  /** 127.0.0.1:PORT, UDP and TCP */
  readonly address: string;
  readonly pid: number;
  /** Replaces files, each whole or not at all; CoreDNS follows as its Corefile says. */
  replace(files: Readonly<Record<string, string>>): void;
  /** Kills it and removes its files; resolves when nothing is left. May be called again. */
  stop(): Promise<void>;
}

/** Resolves when it answers queries (with whatever code). Rejects when the program is missing, or with a StartError. */
export async function startCoreDns({ port, ...options }: CoreDnsOptions): Promise<CoreDns> {
  if (port !== undefined) return startOn(port, options);
  return withFreePorts(1, ([free = 0]) => startOn(free, options));
}

async function startOn(
  port: number,
  { corefile, files = {} }: Omit<CoreDnsOptions, 'port'>,
): Promise<CoreDns> {
  const daemons = openDaemons('coredns');
  try {
    replaceFiles(daemons, files);
    const flags = { conf: daemons.writeFile('Corefile', corefile), 'dns.port': String(port) };
    const daemon = daemons.start({ name: 'coredns', path: requireBinaries(['coredns']).coredns, flags });
    const address = `127.0.0.1:${port}`;
    await waitUntilReady(daemon, () => answers(address), START_DEADLINE);
    return {
      address,
      pid: daemon.pid,
      replace: (changed) => replaceFiles(daemons, changed),
      stop: () => daemons.close(),
    };
  } catch (error) {
    await daemons.close();
    throw error;
  }
}

function replaceFiles(daemons: Daemons, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) daemons.writeFile(name, text);
}

async function answers(address: string): Promise<boolean> {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT, tries: 1 });
  resolver.setServers([address]);
  try {
    await resolver.resolve4('ready.invalid');
    return true;
  } catch (error) {
    // An error code of DNS itself is an answer.
    return !(error instanceof Error && 'code' in error && NOT_ANSWERED.has(String(error.code)));
  }
}
