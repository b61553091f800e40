// The changes of a gateway mirror that holds hostnames: a headless Service with an FQDN EndpointSlice, or an ExternalName Service.
import type { NamedGateway } from '../model/desired.ts';
import type { ObjectKey } from '../model/keys.ts';
import type { Manifest, Service, ServicePort } from '../model/objects.ts';
import type { Change } from '../model/plan.ts';
import type { Listing } from './listing.ts';
import { diffMetadata, withoutEmpty } from './metadata.ts';
import { withoutEndpoints } from './mirror.ts';
import { deleteService, planService, portsChange } from './service.ts';
import { planSlices } from './slices.ts';
import type { Standing } from './standing.ts';

const servicePorts = ({ ports }: NamedGateway): readonly ServicePort[] =>
  ports.map((port) => ({ ...port, targetPort: port.port }));

const externalService = (key: ObjectKey, desired: NamedGateway): Change => ({
  action: 'create',
  kind: 'Service',
  ...key,
  mirror: key,
  needsEarlier: true,
  reasons: [`gatewayMirror: externalName: ${desired.hostnames[0]}`],
  body: {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { ...key, labels: desired.labels },
    spec: { type: 'ExternalName', externalName: desired.hostnames[0], ports: servicePorts(desired) },
  },
});

const updatedExternal = (key: ObjectKey, desired: NamedGateway, current: Service): readonly Change[] => {
  const { meta, externalName = '' } = current;
  const metadata = diffMetadata(meta, { labels: desired.labels, annotations: {} });
  const [name = ''] = desired.hostnames;
  const ports = portsChange(servicePorts(desired), current.ports);
  const nameReasons = externalName === name ? [] : [`externalName: ${externalName} → ${name}`];
  const reasons = [...metadata.reasons, ...nameReasons, ...ports];
  if (reasons.length === 0) return [];
  const spec: Manifest = {
    ...(nameReasons.length > 0 ? { externalName: name } : {}),
    ...(ports.length > 0 ? { ports: servicePorts(desired) } : {}),
  };
  return [
    {
      action: 'update',
      kind: 'Service',
      ...key,
      mirror: key,
      needsEarlier: false,
      reasons,
      uid: meta.uid,
      resourceVersion: meta.resourceVersion,
      patch: withoutEmpty({ metadata: metadata.patch, spec }),
    },
  ];
};

/** The Service itself lists nobody: what a former shape left goes. */
const planExternalName = (key: ObjectKey, desired: NamedGateway, standing: Standing): readonly Change[] => {
  const { service } = standing;
  const lists = withoutEndpoints(key, standing, 'gatewayMirror: externalName');
  if (service?.type === 'ExternalName') return [...lists, ...updatedExternal(key, desired, service)];
  const deleted = service === undefined ? [] : [deleteService(service, key, 'gatewayMirror: externalName')];
  return [...lists, ...deleted, externalService(key, desired)];
};

const listingOf = ({ labels, annotations, ports, hostnames }: NamedGateway): Listing => ({
  labels,
  annotations,
  ports,
  entries: hostnames.map((ip) => ({ ip, family: 'FQDN', state: 'ready', ports })),
});

/** Headless: no address of its own would ever answer. */
const planFqdn = (
  { key, link }: { readonly key: ObjectKey; readonly link: string },
  desired: NamedGateway,
  standing: Standing,
): readonly Change[] => {
  const isFitting = standing.service?.clusterIP === 'None';
  const current = isFitting ? standing.service : undefined;
  const misfit =
    isFitting || standing.service === undefined
      ? []
      : [deleteService(standing.service, key, 'gatewayMirror: fqdn')];
  const service = planService(
    key,
    {
      isHeadless: true,
      wantsBothFamilies: false,
      labels: desired.labels,
      annotations: {},
      ports: servicePorts(desired),
      remoteResourceVersion: undefined,
    },
    current,
  );
  const context = { link, mirror: key, ownerUid: current?.meta.uid, family: 'FQDN' } as const;
  const { endpoints } = standing;
  return [
    ...withoutEndpoints(key, { ownSlices: [], endpoints }, 'gatewayMirror: fqdn'),
    ...misfit,
    ...(service === undefined ? [] : [service]),
    ...planSlices(context, listingOf(desired), standing.ownSlices),
  ];
};

/** @param standing only what is ours */
export const planNamedGateway = (
  at: { readonly key: ObjectKey; readonly link: string },
  desired: NamedGateway,
  standing: Standing,
): readonly Change[] =>
  desired.shape === 'fqdn' ? planFqdn(at, desired, standing) : planExternalName(at.key, desired, standing);
