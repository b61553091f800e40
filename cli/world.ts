// Builds the world of a reconcile from flags: clusters by kubeconfig, a resolver, and a memory in a file or in this process.
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import { dnsResolver } from '../lib/dns/resolver.ts';
import { InputError, StateError } from '../lib/errors.ts';
import { kubeCluster, type KubeCluster } from '../lib/kube/cluster.ts';
import { connectionFromKubeconfig } from '../lib/kube/kubeconfig.ts';
import type { Clock, GatewayStore, Resolver } from '../lib/ports.ts';
import type { World } from '../lib/reconcile.ts';
import { fileStore } from '../lib/store/file.ts';
import { memoryStore } from '../lib/store/memory.ts';
import { systemErrorText } from '../lib/wording.ts';
import type { KubeconfigAccess } from './link-input.ts';

/** Absent parts are mistakes that were told before; the others are still checked. */
export interface WorldSettings {
  readonly source: KubeconfigAccess | undefined;
  readonly target: KubeconfigAccess | undefined;
  readonly dns: readonly string[]; // empty: the servers of this computer
  readonly stateFile: string | undefined;
  readonly link: string | undefined; // whose state must be readable
}

/** A world that is whole, or what is wrong with it. `close` frees its sockets. */
export interface OpenedWorld {
  readonly world?: World;
  readonly mistakes: readonly string[];
  readonly close: () => Promise<void>;
}

/** Opens everything that one reconcile touches, without a request to any cluster. Never throws for wrong settings. */
export async function makeWorld(settings: WorldSettings, clock: Clock): Promise<OpenedWorld> {
  const [source, target, resolver, store] = await Promise.all([
    orMistakes(() => connect('source', settings.source, clock)),
    orMistakes(() => connect('target', settings.target, clock)),
    orMistakes(async () => openResolver(settings.dns, clock)),
    orMistakes(() => openStore(settings.stateFile, settings.link)),
  ]);
  const clusters = [source.value, target.value].filter((cluster) => cluster !== undefined);
  const mistakes = [source, target, resolver, store].flatMap((part) => part.mistakes);
  const close = async (): Promise<void> => {
    await Promise.all(clusters.map((cluster) => cluster.close()));
  };
  if (!source.value || !target.value || !resolver.value || !store.value) return { mistakes, close };
  const world = {
    source: source.value,
    target: target.value,
    resolver: resolver.value,
    store: store.value,
    clock,
    random: Math.random,
    runId: `cli-${hostname()}-${randomUUID()}`,
  };
  return { world, mistakes, close };
}

interface Part<T> {
  readonly value?: T | undefined;
  readonly mistakes: readonly string[];
}

async function orMistakes<T>(open: () => Promise<T>): Promise<Part<T>> {
  try {
    return { value: await open(), mistakes: [] };
  } catch (error) {
    if (error instanceof InputError) return { mistakes: error.mistakes };
    throw error;
  }
}

async function connect(
  name: 'source' | 'target',
  access: KubeconfigAccess | undefined,
  clock: Clock,
): Promise<KubeCluster | undefined> {
  if (access === undefined) return undefined;
  const { kubeconfig: path, context } = access;
  const source = { path, name, trust: 'file', ...(context !== undefined && { context }) } as const;
  return kubeCluster(await connectionFromKubeconfig(source), { clock });
}

function openResolver(servers: readonly string[], clock: Clock): Resolver {
  try {
    return dnsResolver({ servers: servers.length > 0 ? servers : undefined, clock });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(error.mistakes.map((mistake) => mistake.replace(/^dns(\[\d+\])?/, '--dns')));
  }
}

async function openStore(path: string | undefined, link: string | undefined): Promise<GatewayStore> {
  if (path === undefined) return memoryStore();
  const store = fileStore(path);
  try {
    await stat(dirname(resolve(path)));
    if (link !== undefined) await store.load(link);
    return store;
  } catch (error) {
    const problem =
      error instanceof StateError ? error.message : `cannot use ${path}: ${systemErrorText(error)}`;
    throw new InputError([`--state: ${problem}`]);
  }
}
