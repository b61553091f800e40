// v1 Service.
import type { Family, Ingress, Protocol, Service, ServicePort } from '../../model/objects.ts';
import { type Raw, listOf, optional } from './json.ts';
import { managesSpec, type RawObject, readMeta } from './meta.ts';

interface RawService extends RawObject {
  readonly spec?: Raw<{
    readonly type: Service['type'];
    readonly clusterIP: string;
    readonly clusterIPs: readonly string[];
    readonly ipFamilies: readonly Family[];
    readonly ipFamilyPolicy: Service['ipFamilyPolicy'];
    readonly publishNotReadyAddresses: boolean;
    readonly externalName: string;
    readonly selector: Readonly<Record<string, string>>;
    readonly ports: readonly RawPort[];
  }> | null;
  readonly status?: Raw<{
    readonly loadBalancer: Raw<{ readonly ingress: readonly Raw<Required<Ingress>>[] }>;
  }> | null;
}

type RawPort = Raw<{
  readonly name: string;
  readonly protocol: Protocol;
  readonly port: number;
  readonly targetPort: number | string;
  readonly appProtocol: string;
  readonly nodePort: number;
}>;

export function readService(raw: RawService): Service {
  const spec = raw.spec ?? {};
  const clusterIP = spec.clusterIP ?? '';
  return {
    meta: readMeta(raw),
    type: spec.type ?? 'ClusterIP',
    clusterIP,
    clusterIPs: spec.clusterIPs ?? (clusterIP === '' ? [] : [clusterIP]),
    ipFamilies: listOf(spec.ipFamilies),
    ipFamilyPolicy: spec.ipFamilyPolicy ?? '',
    isPolicyOurs: managesSpec(raw, 'ipFamilyPolicy'),
    publishNotReadyAddresses: spec.publishNotReadyAddresses ?? false,
    ...optional('externalName', spec.externalName),
    hasSelector: Object.keys(spec.selector ?? {}).length > 0,
    ports: listOf(spec.ports).map(readPort),
    ingress: listOf(raw.status?.loadBalancer?.ingress).map(readIngress),
  };
}

function readPort(raw: RawPort): ServicePort {
  const port = raw.port ?? 0;
  return {
    ...optional('name', raw.name),
    protocol: raw.protocol ?? 'TCP',
    port,
    targetPort: raw.targetPort ?? port,
    ...optional('appProtocol', raw.appProtocol),
    ...optional('nodePort', raw.nodePort === 0 ? undefined : raw.nodePort),
  };
}

const readIngress = ({ ip, hostname }: Raw<Required<Ingress>>): Ingress => ({
  ...optional('ip', ip),
  ...optional('hostname', hostname),
});
