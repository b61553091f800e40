// Writes a kubeconfig for one user of one test cluster.
import { stringify } from 'yaml';

export interface KubeconfigFacts {
  /** names the cluster and the context */
  readonly name: string;
  readonly url: string;
  /** PEM */
  readonly caData: string;
  readonly user: string;
  readonly token: string;
}

/** YAML text with everything inline, so that it can be stored and copied anywhere. */
export function kubeconfigText({ name, url, caData, user, token }: KubeconfigFacts): string {
  const certificateAuthority = Buffer.from(caData).toString('base64');
  return stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name, cluster: { server: url, 'certificate-authority-data': certificateAuthority } }],
      users: [{ name: user, user: { token } }],
      contexts: [{ name, context: { cluster: name, user } }],
      'current-context': name,
    },
    { lineWidth: 0 },
  );
}
