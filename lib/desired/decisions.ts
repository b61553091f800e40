// Decides every Service of the target cluster.
import type { Decision } from '../model/desired.ts';
import type { Link } from '../model/link.ts';
import type { SourceSnapshot, TargetSnapshot } from '../model/snapshot.ts';
import { desiredFor, type Facts } from './decide.ts';

const namespaceState = (source: SourceSnapshot, name: string): Facts['namespace'] => {
  const namespace = source.namespaces.get(name);
  if (namespace === undefined) return 'absent';
  return namespace.terminating ? 'terminating' : 'present';
};

/** One decision per Service of the target cluster, exported or not. */
export const decideAll = (
  link: Link,
  seen: { readonly target: TargetSnapshot; readonly source: SourceSnapshot },
  gateway: Facts['gateway'],
): readonly Decision[] => {
  const { ready, services } = seen.target;
  return [...services].map(([key, service]) =>
    desiredFor({
      link,
      service,
      ready: ready.observed ? ready.value.has(key) : undefined,
      gateway,
      namespace: namespaceState(seen.source, service.meta.namespace),
    }),
  );
};
