// How a cluster is reached, for each kind of access: what its connection is made of, and how that is found out anew.
import type { EksCluster } from '../eks/cluster.ts';
import { ClusterError, InputError } from '../errors.ts';
import { type KubeConnection, bearer } from '../kube/connection.ts';
import { connectionFromKubeconfig } from '../kube/kubeconfig.ts';
import type { StoredKubeconfig } from '../secrets/kubeconfig.ts';

export type ClusterName = KubeConnection['name'];

/** Why it is found out anew: a 401, no answer, or because somebody asked for it. */
export type Cause = 'refused' | 'unreachable' | 'asked';

export interface Reach {
  /** The connection as it is now, the same object while nothing changed; asked before every request. Throws ClusterError. */
  connection(): Promise<KubeConnection>;
  /** Finds out anew. Throws ClusterError; what was known is used on then. */
  renew(cause: Cause): Promise<void>;
}

/** By IAM: a 401 asks for new credentials, a server that cannot be reached for the cluster's description. */
export function eksReach(name: ClusterName, { place, token }: EksCluster): Reach {
  const present = latest<KubeConnection>();
  return {
    async connection() {
      const { server, caData } = await place.get();
      const text = await token.get();
      const credentials = bearer(() => Promise.resolve(text));
      return present(JSON.stringify([server, caData, text]), () => ({ name, server, caData, credentials }));
    },
    async renew(cause) {
      if (cause !== 'refused') await place.renew();
      if (cause !== 'unreachable') await token.renew();
    },
  };
}

/** By a kubeconfig in a secret: whatever went wrong, its text may have been replaced. */
export function secretReach(name: ClusterName, { text }: StoredKubeconfig): Reach {
  const present = latest<Promise<KubeConnection>>();
  return {
    async connection() {
      const stored = await text.get();
      return present(stored, () => fromKubeconfig(name, { trust: 'stored', text: stored }));
    },
    async renew() {
      await text.renew();
    },
  };
}

/** By a file that the operator named; what its programs and token files say is followed by the connection itself. */
export function fileReach(name: ClusterName, path: string, context: string | undefined): Reach {
  const source = { trust: 'file', path, ...(context !== undefined && { context }) } as const;
  let read: Promise<KubeConnection> | undefined;
  return {
    connection: () => (read ??= fromKubeconfig(name, source)),
    renew: () => Promise.resolve(),
  };
}

/** By nothing: every request says why. */
export const noReach = (why: ClusterError): Reach => ({
  connection: () => Promise.reject(why),
  renew: () => Promise.resolve(),
});

/** What makes an access unusable before anything is asked. */
export const unusable = (name: ClusterName, message: string): ClusterError =>
  new ClusterError(message, { kind: 'denied', request: `${name}: access` });

/** The same object for as long as it is made of the same. */
function latest<T>(): (madeOf: string, make: () => T) => T {
  let kept: { readonly madeOf: string; readonly value: T } | undefined;
  return (madeOf, make) => {
    if (kept?.madeOf !== madeOf) kept = { madeOf, value: make() };
    return kept.value;
  };
}

type Source =
  | { readonly trust: 'stored'; readonly text: string }
  | { readonly trust: 'file'; readonly path: string; readonly context?: string };

async function fromKubeconfig(name: ClusterName, source: Source): Promise<KubeConnection> {
  try {
    return await connectionFromKubeconfig({ name, ...source });
  } catch (error) {
    if (error instanceof InputError) throw unusable(name, error.mistakes.join('; '));
    // A parser's own message quotes what it read.
    throw unusable(name, `${name} kubeconfig: expected YAML, got something that cannot be read`);
  }
}
