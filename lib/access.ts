// Opens the two clusters of a link, whichever way each is accessed. Here, and nowhere else, the adapters of access meet.
import { type AccessCache, accessCache } from './access/cache.ts';
import { type Reach, eksReach, fileReach, noReach, secretReach, unusable } from './access/reach.ts';
import { renewingCluster } from './access/renewing-cluster.ts';
import { type AwsSettings, type EksClients, eksClients } from './eks/clients.ts';
import { eksCluster } from './eks/cluster.ts';
import { InputError } from './errors.ts';
import type { Access, Link } from './model/link.ts';
import type { Clock, Cluster } from './ports.ts';
import { type SecretsClients, secretsClients, storedKubeconfig } from './secrets/kubeconfig.ts';

export { type AccessCache, accessCache } from './access/cache.ts';
export { loadBalancerWitness } from './access/load-balancers.ts';

export type AwsClients = EksClients & SecretsClients;

/** Clients of AWS by its usual configuration; nothing is asked before they are used. */
export const awsClients = (settings: AwsSettings = {}): AwsClients => ({
  ...eksClients(settings),
  ...secretsClients(),
});

export interface OpenedClusters {
  readonly source: Cluster;
  readonly target: Cluster;
  /** Ends the use of both. Their connections stay open in the cache. */
  close(): Promise<void>;
}

export interface AccessOptions {
  readonly link: Pick<Link, 'name' | 'source' | 'target'>;
  readonly clients: AwsClients;
  readonly clock: Clock;
  /** What a process keeps between runs. Absent: nothing, and close() ends every connection. */
  readonly cache?: AccessCache;
  /** Whether a kubeconfig may be a file: only when the operator named it on this computer. Default false. */
  readonly allowFiles?: boolean;
  /** Looks up anew what is remembered of the two. Default false. */
  readonly fresh?: boolean;
}

/**
 * The clusters of a link. Nothing is asked before the first request, and nothing is thrown before it either: what is wrong with an
 * access is a ClusterError of its requests, so that a reconcile reports it as unobserved and other links go on.
 */
export async function openClusters(options: AccessOptions): Promise<OpenedClusters> {
  const { link, cache = accessCache(), clock, fresh = false } = options;
  const open = (name: 'source' | 'target') =>
    renewingCluster({ name, reach: reachOf(name, link[name], { ...options, cache }), cache, clock, fresh });
  const [source, target] = [open('source'), open('target')];
  return {
    source,
    target,
    async close() {
      await Promise.all([source.close(), target.close()]);
      if (options.cache === undefined) await cache.close();
    },
  };
}

type Settings = AccessOptions & { readonly cache: AccessCache };

function reachOf(name: 'source' | 'target', access: Access | undefined, settings: Settings): Reach {
  const { link, clients, clock, cache, allowFiles = false } = settings;
  if (access === undefined)
    return noReach(unusable(name, `link ${link.name} does not say how its ${name} cluster is accessed`));
  const key = JSON.stringify(access);
  try {
    if ('eks' in access)
      return eksReach(
        name,
        cache.eks(key, () => eksCluster(access, clients, clock)),
      );
    if ('secret' in access)
      return secretReach(
        name,
        cache.secret(key, () => storedKubeconfig(access.secret, clients, clock)),
      );
  } catch (error) {
    if (error instanceof InputError) return noReach(unusable(name, error.message));
    throw error;
  }
  if (allowFiles) return fileReach(name, access.kubeconfig, access.context);
  return noReach(
    unusable(
      name,
      `link ${link.name}: its ${name} is a kubeconfig file, which only the command line reads; expected eks or secret`,
    ),
  );
}
