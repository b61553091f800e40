// Which objects of the source cluster are this link's. Everything else is never written and never deleted.
import {
  CLUSTER_NAME,
  HEADLESS_MIRROR,
  MIRRORED_SERVICE,
  MIRRORING_CONTROLLER,
  SLICE_MANAGER,
} from '../model/labels.ts';
import type { EndpointSlice, Meta, Service } from '../model/objects.ts';

/** Whether an object carries the pair of labels that Linkerd's controller and this product put on every mirror. */
const hasOwnershipLabels = (meta: Meta, link: string): boolean =>
  meta.labels[MIRRORED_SERVICE] === 'true' && meta.labels[CLUSTER_NAME] === link;

/**
 * Why a Service at a mirror's name is not ours; undefined when it is. One with a selector, or of a type that no mirror has, is not
 * ours whatever its labels say: Kubernetes' own controllers would write the endpoints beside us.
 */
export const foreignService = (service: Service, link: string): string | undefined => {
  for (const [key, expected] of [
    [MIRRORED_SERVICE, 'true'],
    [CLUSTER_NAME, link],
  ] as const) {
    const found = service.meta.labels[key];
    if (found !== expected)
      return `label ${key}: expected "${expected}", got ${found === undefined ? 'none' : `"${found}"`}`;
  }
  if (service.type === 'ExternalName') return 'spec.type: expected ClusterIP, got ExternalName';
  return service.hasSelector ? 'spec.selector: expected none, got one' : undefined;
};

export const isOwnedService = (service: Service, link: string): boolean =>
  foreignService(service, link) === undefined;

/** Endpoints of a mirror. Those of the gateway's probe Service lack the first label and are no mirror's. */
export const isOwnedEndpoints = (meta: Meta, link: string): boolean => hasOwnershipLabels(meta, link);

/** A slice that we wrote. The mirroring controller copies every label of Endpoints to its slices: those are not ours. */
export const isOwnedSlice = (slice: EndpointSlice, link: string): boolean =>
  slice.managedBy === SLICE_MANAGER && hasOwnershipLabels(slice.meta, link);

/** A slice that the mirroring controller made of our Endpoints. */
export const isCopiedSlice = (slice: EndpointSlice, link: string): boolean =>
  slice.managedBy === MIRRORING_CONTROLLER && hasOwnershipLabels(slice.meta, link);

/** The mirror Service's name that an owned object stems from: an endpoint mirror names its root in a label. */
export const rootName = (meta: Meta, ownName: string): string => meta.labels[HEADLESS_MIRROR] ?? ownName;
