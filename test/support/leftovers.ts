// Which objects a test left behind, as opposed to Kubernetes' own.

/** Kubernetes' own objects (the Service `default/kubernetes` and what belongs to it) live in these namespaces; tests use others. */
export const isLeftover = (namespace: string): boolean =>
  namespace !== 'default' && !namespace.startsWith('kube-');
