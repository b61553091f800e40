// The kubeconfig for an embedded API server.

export interface KubeconfigOptions {
  readonly name: string;
  readonly url: string;
  /** PEM of the authority, for https. */
  readonly ca: string | undefined;
  readonly token: string | undefined;
}

/** JSON, which is YAML too. Over plain http kubectl sends no token: a server with tokens needs https for it. */
export function kubeconfigText({ name, url, ca, token }: KubeconfigOptions): string {
  const authority =
    ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  const document = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: url, ...authority } }],
    users: [{ name: `${name}-admin`, user: token === undefined ? {} : { token } }],
    contexts: [{ name, context: { cluster: name, user: `${name}-admin` } }],
    'current-context': name,
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}
