// Decides every Service of the target cluster.
import type { Decision } from '../model/desired.ts';
import { keyText, mirrorName } from '../model/keys.ts';
import type { Link } from '../model/link.ts';
import type { Service } from '../model/objects.ts';
import type { SourceSnapshot, TargetSnapshot } from '../model/snapshot.ts';
import { desiredFor } from './decide.ts';
import type { Facts } from './facts.ts';
import { readPods } from './pods.ts';

const namespaceState = (source: SourceSnapshot, name: string): Facts['namespace'] => {
  const namespace = source.namespaces.get(name);
  if (namespace === undefined) return 'absent';
  return namespace.terminating ? 'terminating' : 'present';
};

const standingShape = (link: Link, source: SourceSnapshot, { meta }: Service): Facts['standing'] => {
  const { namespace, name } = meta;
  const mirror = source.services.get(keyText({ namespace, name: mirrorName(name, link.name) }));
  if (mirror === undefined) return 'absent';
  return mirror.clusterIP === 'None' ? 'headless' : 'address';
};

/** One decision per Service of the target cluster, exported or not. */
export const decideAll = (
  link: Link,
  seen: { readonly target: TargetSnapshot; readonly source: SourceSnapshot },
  gateway: Facts['gateway'],
): readonly Decision[] => {
  const { ready, services, headless } = seen.target;
  return [...services].map(([key, service]) =>
    desiredFor({
      link,
      service,
      ready: ready.observed ? ready.value.has(key) : undefined,
      pods: readPods(headless.get(key) ?? []),
      gateway,
      namespace: namespaceState(seen.source, service.meta.namespace),
      standing: standingShape(link, seen.source, service),
    }),
  );
};
