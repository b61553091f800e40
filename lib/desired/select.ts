// Which Services a link selects, and in which mode.
import type { Mode } from '../model/desired.ts';
import { CLUSTER_NAME, MIRRORED_SERVICE } from '../model/labels.ts';
import type { LabelSelector, Link } from '../model/link.ts';
import type { Service, StringMap } from '../model/objects.ts';

type Requirement = LabelSelector['matchExpressions'][number];

const meets = (row: Requirement, labels: StringMap): boolean => {
  const value = Object.hasOwn(labels, row.key) ? labels[row.key] : undefined;
  switch (row.operator) {
    case 'In':
      return value !== undefined && row.values.includes(value);
    case 'NotIn':
      return value === undefined || !row.values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
  }
};

/**
 * Whether labels match a selector. An empty selector selects nothing (Linkerd's rule since linkerd2#11344); Kubernetes itself
 * would select everything.
 */
export const selects = (selector: LabelSelector, labels: StringMap): boolean => {
  const exact = Object.entries(selector.matchLabels);
  if (exact.length === 0 && selector.matchExpressions.length === 0) return false;
  return (
    exact.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value) &&
    selector.matchExpressions.every((row) => meets(row, labels))
  );
};

/** A mirror (of any link, or a federated Service) is never exported again, whatever its labels match: no mirrors of mirrors. */
export const isMirror = (service: Service): boolean =>
  Object.hasOwn(service.meta.labels, MIRRORED_SERVICE) || Object.hasOwn(service.meta.labels, CLUSTER_NAME);

/** The mode a Service is exported in; remote discovery wins where both selectors match, as in Linkerd. */
export const exportMode = (link: Link, service: Service): Mode | undefined => {
  if (isMirror(service)) return undefined;
  if (selects(link.remoteDiscoverySelector, service.meta.labels)) return 'remote-discovery';
  return selects(link.selector, service.meta.labels) ? 'gateway' : undefined;
};

export const isFederatedMember = (link: Link, service: Service): boolean =>
  !isMirror(service) && selects(link.federatedServiceSelector, service.meta.labels);
