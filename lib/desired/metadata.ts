// Which labels and annotations travel from an exported Service to its mirror, and what is added to them.
import type { Mode } from '../model/desired.ts';
import type { ObjectKey } from '../model/keys.ts';
import {
  HEADLESS_MIRROR,
  OPAQUE_PORTS,
  REMOTE_DISCOVERY,
  REMOTE_FQ_NAME,
  REMOTE_GATEWAY_IDENTITY,
  REMOTE_SERVICE,
  ownershipLabels,
} from '../model/labels.ts';
import type { Link } from '../model/link.ts';
import type { StringMap } from '../model/objects.ts';

/**
 * Keys that never travel: `prefix/*`, `*suffix/*`, `prefix*` or exact. They describe the object in its own cluster, or hand it to a
 * tool that would act on the copy.
 */
const NEVER_COPIED: readonly string[] = [
  // the mirror's own
  'mirror.linkerd.io/*',
  'multicluster.linkerd.io/*',
  // what steers Kubernetes' own controllers
  'kubernetes.io/service-name',
  'endpointslice.kubernetes.io/*',
  'endpoints.kubernetes.io/*',
  'service.kubernetes.io/*',
  'service.beta.kubernetes.io/*',
  'service.alpha.kubernetes.io/*',
  // ownership by another tool: a copy would be pruned or adopted
  'argocd.argoproj.io/instance',
  'argocd.argoproj.io/tracking-id',
  'argocd.argoproj.io/installation-id',
  'app.kubernetes.io/instance',
  'meta.helm.sh/*',
  '*.toolkit.fluxcd.io/*',
  'kubectl.kubernetes.io/last-applied-configuration',
  // publishes the same DNS name from both clusters
  'external-dns.alpha.kubernetes.io/*',
];

/** Keys that never travel with this one value only. */
const NEVER_COPIED_VALUES: StringMap = { 'app.kubernetes.io/managed-by': 'Helm' };

/** Whether a key matches an exclusion: exact, `prefix/*`, or with `*` in front of a domain suffix. */
const matches = (pattern: string, key: string): boolean => {
  if (!pattern.endsWith('/*')) return key === pattern;
  const domain = pattern.slice(0, -2);
  const slash = key.indexOf('/');
  if (slash < 0) return false;
  const prefix = key.slice(0, slash);
  return domain.startsWith('*') ? prefix.endsWith(domain.slice(1)) : prefix === domain;
};

const travels = (key: string, value: string, exclusions: readonly string[]): boolean =>
  NEVER_COPIED_VALUES[key] !== value &&
  !NEVER_COPIED.some((pattern) => matches(pattern, key)) &&
  !exclusions.some((pattern) => matches(pattern, key));

const copied = (map: StringMap, exclusions: readonly string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(map).filter(([key, value]) => travels(key, value, exclusions)));

/** Labels of the mirror's endpoints objects: those that travel, and the ownership pair. Ours win over copied ones. */
export const endpointLabels = (link: Link, labels: StringMap): StringMap => ({
  ...copied(labels, link.excludedLabels),
  ...ownershipLabels(link.name),
});

/** Labels of the mirror Service. */
export const serviceLabels = (
  link: Link,
  key: ObjectKey,
  exported: { labels: StringMap; mode: Mode },
): StringMap => ({
  ...endpointLabels(link, exported.labels),
  ...(exported.mode === 'remote-discovery'
    ? { [REMOTE_DISCOVERY]: link.name, [REMOTE_SERVICE]: key.name }
    : {}),
});

/** Labels of an endpoint mirror and of its endpoints objects. */
export const podLabels = (link: Link, root: string, labels: StringMap): StringMap => ({
  ...endpointLabels(link, labels),
  [HEADLESS_MIRROR]: root,
});

/** A Service, or one pod of a headless Service, in the target cluster. */
interface Named extends ObjectKey {
  readonly hostname?: string;
}

const fqName = (link: Link, { hostname, name, namespace }: Named): string =>
  `${hostname === undefined ? '' : `${hostname}.`}${name}.${namespace}.svc.${link.targetClusterDomain}`;

const opaquePorts = (annotations: StringMap): StringMap =>
  annotations[OPAQUE_PORTS] === undefined ? {} : { [OPAQUE_PORTS]: annotations[OPAQUE_PORTS] };

/**
 * Annotations of the mirror Service, the remote resource version apart. The opaque-ports annotation always follows, even when the
 * link excludes it: without it the proxies of the source cluster would guess the protocol of a port wrongly.
 */
export const serviceAnnotations = (link: Link, key: ObjectKey, annotations: StringMap): StringMap => ({
  ...copied(annotations, link.excludedAnnotations),
  ...opaquePorts(annotations),
  [REMOTE_FQ_NAME]: fqName(link, key),
});

/** Annotations of an endpoint mirror: as Linkerd's, and the opaque ports, which its clients need as much as those of the root. */
export const podAnnotations = (link: Link, pod: Named, annotations: StringMap): StringMap => ({
  ...opaquePorts(annotations),
  [REMOTE_FQ_NAME]: fqName(link, pod),
});

/** Annotations of the mirror's endpoints objects; the destination controller reads both. */
export const endpointAnnotations = (link: Link, named: Named, identity: string): StringMap => ({
  [REMOTE_FQ_NAME]: fqName(link, named),
  ...(identity === '' ? {} : { [REMOTE_GATEWAY_IDENTITY]: identity }),
});
