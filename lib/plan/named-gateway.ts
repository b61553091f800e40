// The changes of a gateway mirror that holds hostnames: a headless Service with an FQDN EndpointSlice, or an ExternalName Service.
import type { DesiredService, NamedGateway } from '../model/desired.ts';
import type { ObjectKey } from '../model/keys.ts';
import type { Service } from '../model/objects.ts';
import type { Change } from '../model/plan.ts';
import type { Listing } from './listing.ts';
import { withoutEndpoints } from './mirror.ts';
import { deleteService, planService } from './service.ts';
import { planSlices } from './slices.ts';
import type { Standing } from './standing.ts';

const serviceOf = ({ labels, ports, shape, hostnames: [name = ''] }: NamedGateway): DesiredService => ({
  isHeadless: shape === 'fqdn', // no address of its own would ever answer
  ...(shape === 'externalName' ? { externalName: name } : {}),
  wantsBothFamilies: false,
  labels,
  annotations: {},
  ports: ports.map((port) => ({ ...port, targetPort: port.port })),
  remoteResourceVersion: undefined,
});

const isFitting = ({ shape }: NamedGateway, service: Service): boolean =>
  shape === 'fqdn' ? service.clusterIP === 'None' : service.type === 'ExternalName';

/** An ExternalName is made only once nothing is listed under its name, and tells which it is. */
const withName = (change: Change, { externalName }: DesiredService): Change =>
  change.action === 'create' && externalName !== undefined
    ? { ...change, needsEarlier: true, reasons: [`gatewayMirror: externalName: ${externalName}`] }
    : change;

/** The Service, made again where another shape stands. */
const planGatewayService = (
  key: ObjectKey,
  desired: NamedGateway,
  { service }: Standing,
): { readonly current: Service | undefined; readonly changes: readonly Change[] } => {
  const current = service !== undefined && isFitting(desired, service) ? service : undefined;
  const misfit = service === current ? undefined : service;
  const reason = `gatewayMirror: ${desired.shape}`;
  const wanted = serviceOf(desired);
  const change = planService(key, wanted, current);
  return {
    current,
    changes: [
      ...(misfit === undefined ? [] : [deleteService(misfit, key, reason)]),
      ...(change === undefined ? [] : [withName(change, wanted)]),
    ],
  };
};

const listingOf = ({ labels, annotations, ports, hostnames }: NamedGateway): Listing => ({
  labels,
  annotations,
  ports,
  entries: hostnames.map((ip) => ({ ip, family: 'FQDN', state: 'ready', ports })),
});

/**
 * What a former shape lists goes first; an ExternalName lists nobody.
 *
 * @param standing only what is ours
 */
export const planNamedGateway = (
  { key, link }: { readonly key: ObjectKey; readonly link: string },
  desired: NamedGateway,
  standing: Standing,
): readonly Change[] => {
  const isFqdn = desired.shape === 'fqdn';
  const former = isFqdn ? { ...standing, ownSlices: [] } : standing;
  const { current, changes } = planGatewayService(key, desired, standing);
  const context = { link, mirror: key, ownerUid: current?.meta.uid, family: 'FQDN' } as const;
  return [
    ...withoutEndpoints(key, former, `gatewayMirror: ${desired.shape}`),
    ...changes,
    ...(isFqdn ? planSlices(context, listingOf(desired), standing.ownSlices) : []),
  ];
};
