// How a cluster is reached, in words.

/** Of a link here or in an answer; one of the three is there. */
export interface ShownAccess {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly eks?: string | undefined;
  readonly secret?: string | undefined;
}

/** The ARN of the cluster or of the secret, or `FILE, context NAME`. */
export function accessText(access: ShownAccess | undefined): string {
  if (access === undefined) return 'none';
  const { kubeconfig, context, eks, secret } = access;
  if (kubeconfig !== undefined) {
    return `${kubeconfig}, ${context === undefined ? 'current context' : `context ${context}`}`;
  }
  return eks ?? secret ?? 'unknown';
}

/** `eu-west-1/west` of an EKS cluster, `secret eu-west-1/kubeconfig-west` of a secret: for tables. */
export function shortAccessText(access: ShownAccess | undefined): string {
  if (access?.kubeconfig !== undefined) return accessText(access);
  const [, , , region, , ...rest] = accessText(access).split(':');
  const name = rest
    .join(':')
    .replace(/^cluster\//, '')
    .replace(/^secret:/, '');
  if (region === undefined || name === '') return accessText(access);
  return access?.secret === undefined ? `${region}/${name}` : `secret ${region}/${name}`;
}
