// The change that makes a mirror Service what it should be.
import type { DesiredService } from '../model/desired.ts';
import type { ObjectKey } from '../model/keys.ts';
import { REMOTE_RESOURCE_VERSION } from '../model/labels.ts';
import type { Manifest, Service, ServicePort, StringMap } from '../model/objects.ts';
import type { Change } from '../model/plan.ts';
import { diffMetadata, withoutEmpty } from './metadata.ts';

/** One port as text, node ports left out: they are the source cluster's own business. */
const portText = (port: ServicePort): string =>
  `${port.name ?? ''} ${port.protocol} ${port.port}→${port.targetPort}${port.appProtocol === undefined ? '' : ` ${port.appProtocol}`}`;

const portsText = (ports: readonly ServicePort[]): string => ports.map(portText).join(', ');

/** How ports differ, for people; empty where they do not. */
const portsChange = (desired: readonly ServicePort[], current: readonly ServicePort[]): readonly string[] => {
  const [before, after] = [portsText(current), portsText(desired)];
  return before === after ? [] : [`ports: ${before} → ${after}`];
};

const remoteVersion = ({ remoteResourceVersion }: DesiredService): StringMap =>
  remoteResourceVersion === undefined ? {} : { [REMOTE_RESOURCE_VERSION]: remoteResourceVersion };

/** What a Service with an address asks besides it; one of no selector and no address has both families by itself. */
const familySpec = ({ wantsBothFamilies, isHeadless }: DesiredService): Manifest =>
  wantsBothFamilies && !isHeadless ? { ipFamilyPolicy: 'PreferDualStack' } : {};

/** The change of policy that a standing Service needs. One that somebody else set is theirs, unless both families are wanted. */
export const policyChange = (
  desired: DesiredService,
  current: Service,
): 'PreferDualStack' | 'SingleStack' | undefined => {
  const { ipFamilyPolicy: policy, isPolicyOurs } = current;
  if (desired.isHeadless) return undefined;
  if (desired.wantsBothFamilies) return policy === 'SingleStack' ? 'PreferDualStack' : undefined;
  return isPolicyOurs && policy === 'PreferDualStack' ? 'SingleStack' : undefined;
};

const externalSpec = ({ externalName }: DesiredService): Manifest =>
  externalName === undefined ? {} : { type: 'ExternalName', externalName };

/** How the hostname of an ExternalName Service differs, for people; empty where it does not, or none is wanted. */
const nameChange = ({ externalName }: DesiredService, current: Service): readonly string[] =>
  externalName === undefined || externalName === current.externalName
    ? []
    : [`externalName: ${current.externalName ?? ''} → ${externalName}`];

const createService = (mirror: ObjectKey, desired: DesiredService): Change => ({
  action: 'create',
  kind: 'Service',
  ...mirror,
  mirror,
  needsEarlier: false,
  reasons: ['exported'],
  body: {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      ...mirror,
      labels: desired.labels,
      annotations: { ...desired.annotations, ...remoteVersion(desired) },
    },
    spec: {
      ...(desired.isHeadless ? { clusterIP: 'None' } : {}),
      ...externalSpec(desired),
      ...familySpec(desired),
      ports: desired.ports,
    },
  },
});

/**
 * Create, update or nothing. A remote resource version that moved alone is no reason to write, but travels with any other change.
 */
export const planService = (
  mirror: ObjectKey,
  desired: DesiredService,
  current: Service | undefined,
): Change | undefined => {
  if (current === undefined) return createService(mirror, desired);
  const { meta } = current;
  const metadata = diffMetadata(meta, desired, [REMOTE_RESOURCE_VERSION]);
  const nameReasons = nameChange(desired, current);
  const portReasons = portsChange(desired.ports, current.ports);
  const policy = policyChange(desired, current);
  const policyReasons = policy === undefined ? [] : [`ipFamilyPolicy: ${current.ipFamilyPolicy} → ${policy}`];
  const reasons = [...metadata.reasons, ...nameReasons, ...portReasons, ...policyReasons];
  if (reasons.length === 0) return undefined;
  const annotations = { ...metadata.patch.annotations, ...remoteVersion(desired) };
  return {
    action: 'update',
    kind: 'Service',
    ...mirror,
    mirror,
    needsEarlier: false,
    reasons,
    uid: meta.uid,
    resourceVersion: meta.resourceVersion,
    patch: withoutEmpty({
      metadata: { ...metadata.patch, ...(Object.keys(annotations).length > 0 ? { annotations } : {}) },
      spec: {
        ...(nameReasons.length > 0 ? { externalName: desired.externalName } : {}),
        ...(portReasons.length > 0 ? { ports: desired.ports } : {}),
        ...(policy === undefined ? {} : { ipFamilyPolicy: policy }),
      },
    }),
  };
};

const policyIn = (change: Change): unknown =>
  change.kind === 'Service' && change.action === 'update'
    ? Object(change.patch['spec'])['ipFamilyPolicy']
    : undefined;

/** Whether a change makes the API server give a Service addresses that are not known yet. */
export const givesAddresses = (change: Change): boolean =>
  (change.kind === 'Service' && change.action === 'create') || policyIn(change) === 'PreferDualStack';

/** Whether a change takes one of a Service's addresses away. */
export const takesAddress = (change: Change): boolean => policyIn(change) === 'SingleStack';

export const deleteService = ({ meta }: Service, mirror: ObjectKey, reason: string): Change => ({
  action: 'delete',
  kind: 'Service',
  namespace: meta.namespace,
  name: meta.name,
  mirror,
  needsEarlier: true,
  reasons: [reason],
  uid: meta.uid,
  resourceVersion: meta.resourceVersion,
});
