// The changes of the gateway mirror, and of the Endpoints of a probe Service that Linkerd's chart made.
import type { DesiredEndpoints, DesiredGateway, NamedGateway, PlainMirror } from '../model/desired.ts';
import { type ObjectKey, keyText } from '../model/keys.ts';
import {
  CLUSTER_NAME,
  GATEWAY_MIRROR,
  gatewayMirrorName,
  MIRRORED_SERVICE,
  probeServiceNames,
  SLICE_MANAGER,
} from '../model/labels.ts';
import type { Link } from '../model/link.ts';
import type { EndpointSlice, Meta, Service } from '../model/objects.ts';
import type { Change, Refusal } from '../model/plan.ts';
import type { SourceSnapshot } from '../model/snapshot.ts';
import { deleteEndpoints, planEndpoints } from './endpoints.ts';
import { gatewayListing } from './listing.ts';
import { gatewayPart, planOwned, type Subject, withoutEndpoints } from './mirror.ts';
import { planNamedGateway } from './named-gateway.ts';
import { deleteService } from './service.ts';
import type { Standing } from './standing.ts';

export interface GatewayPlan {
  readonly changes: readonly Change[];
  readonly refusals: readonly Refusal[];
  readonly notes?: readonly string[];
}

const NOTHING: GatewayPlan = { changes: [], refusals: [] };

/** Ours: with the link's cluster-name and the label that only this product writes. */
const isOwn = (meta: Meta, link: string): boolean =>
  meta.labels[CLUSTER_NAME] === link && meta.labels[GATEWAY_MIRROR] === 'true';

const standingAt = (source: SourceSnapshot, link: string, key: ObjectKey): Standing => {
  const isHere = ({ meta, serviceName }: EndpointSlice): boolean =>
    meta.namespace === key.namespace && serviceName === key.name && isOwn(meta, link);
  const slices = [...source.slices.values()].filter(isHere);
  return {
    service: source.services.get(keyText(key)),
    endpoints: source.endpoints.get(keyText(key)),
    ownSlices: slices.filter(({ managedBy }) => managedBy === SLICE_MANAGER),
    copiedSlices: slices.filter(({ managedBy }) => managedBy !== SLICE_MANAGER),
  };
};

const foreign = (key: ObjectKey, link: string): GatewayPlan => ({
  changes: [],
  refusals: [
    {
      ...key,
      reason: 'NotOwned',
      message: `Service ${keyText(key)}: expected the labels ${CLUSTER_NAME}: ${link} and ${GATEWAY_MIRROR}: true, so it is not this link's gateway mirror`,
    },
  ],
});

const removed = (standing: Standing, key: ObjectKey, reason: string): readonly Change[] => [
  ...withoutEndpoints(key, standing, reason),
  ...(standing.service === undefined ? [] : [deleteService(standing.service, key, reason)]),
];

/** What of the standing objects is ours; a foreign Service takes everything under its name with it. */
const ownPart = (standing: Standing, link: string): Standing => {
  const own = <T extends { readonly meta: Meta }>(object: T | undefined): T | undefined =>
    object !== undefined && isOwn(object.meta, link) ? object : undefined;
  return { ...standing, service: own(standing.service), endpoints: own(standing.endpoints) };
};

/** An ExternalName holds a hostname and no addresses: it is made again. */
const planAddresses = (
  subject: Subject,
  { service, endpoints }: PlainMirror,
  own: Standing,
): readonly Change[] => {
  const former = own.service?.type === 'ExternalName' ? own.service : undefined;
  const standing = former === undefined ? own : { ...own, service: undefined };
  const part = gatewayPart(subject, service, endpoints, standing);
  return [
    ...(former === undefined ? [] : [deleteService(former, subject.mirror, 'gatewayMirror: addresses')]),
    ...planOwned(subject, part, standing).changes,
  ];
};

const planMirror = (
  link: Link,
  source: SourceSnapshot,
  desired: PlainMirror | NamedGateway | 'none',
): GatewayPlan => {
  const key = { namespace: link.namespace, name: gatewayMirrorName(link.name) };
  const standing = standingAt(source, link.name, key);
  const own = ownPart(standing, link.name);
  const isTaken = standing.service !== own.service || standing.endpoints !== own.endpoints;
  if (desired === 'none') {
    return { changes: removed(own, key, 'the link wants no gateway mirror'), refusals: [] };
  }
  if (isTaken) return foreign(key, link.name);
  if (!source.namespaces.has(link.namespace)) return NOTHING;
  if ('shape' in desired)
    return { changes: planNamedGateway({ key, link: link.name }, desired, own), refusals: [] };
  return {
    changes: planAddresses({ link, key, mirror: key, source, mayDelete: true }, desired, own),
    refusals: [],
  };
};

/** A probe Service of this link, as Linkerd's chart labels it. */
const isProbeService = (service: Service | undefined, link: string): service is Service =>
  service !== undefined &&
  service.meta.labels[CLUSTER_NAME] === link &&
  service.meta.labels[MIRRORED_SERVICE] === undefined &&
  !service.hasSelector;

/** Endpoints only, as Linkerd's own tools read them; the Service stays the chart's, its port too. */
const planProbe = (
  link: Link,
  source: SourceSnapshot,
  desired: DesiredEndpoints,
  key: ObjectKey,
): readonly Change[] => {
  const service = source.services.get(keyText(key));
  if (!isProbeService(service, link.name)) return [];
  const change = planEndpoints(
    key,
    gatewayListing(desired, service.ipFamilies),
    source.endpoints.get(keyText(key)),
  );
  return change === undefined ? [] : [change];
};

/** @param desired undefined: not enough is known of the gateway, so all of it stays as it is */
export const planGateway = (
  link: Link,
  source: SourceSnapshot,
  desired: DesiredGateway | undefined,
  covers: (key: ObjectKey) => boolean,
): GatewayPlan => {
  if (desired === undefined) return NOTHING;
  const { namespace } = link;
  const { mirror, probe, refusals, notes } = desired;
  const isAsked = covers({ namespace, name: gatewayMirrorName(link.name) });
  const written = isAsked && mirror !== 'unobserved' ? planMirror(link, source, mirror) : NOTHING;
  const planned = isAsked ? { ...written, refusals: [...refusals, ...written.refusals], notes } : written;
  if (probe === 'unobserved') return planned;
  const probes = probeServiceNames(link.name)
    .map((name) => ({ namespace, name }))
    .filter(covers)
    .flatMap((key) => planProbe(link, source, probe, key));
  return { ...planned, changes: [...planned.changes, ...probes] };
};

/** Everything of the gateway that goes with the link. The chart's probe Service stays, its Endpoints were ours to write. */
export const removeGateway = (link: Link, source: SourceSnapshot): readonly Change[] => {
  const probes = probeServiceNames(link.name).flatMap((name) => {
    const endpoints = source.endpoints.get(keyText({ namespace: link.namespace, name }));
    const isOurs = endpoints !== undefined && endpoints.meta.labels[MIRRORED_SERVICE] === undefined;
    return isOurs ? [deleteEndpoints(endpoints, { namespace: link.namespace, name }, 'the link ends')] : [];
  });
  return [...planMirror(link, source, 'none').changes, ...probes];
};
