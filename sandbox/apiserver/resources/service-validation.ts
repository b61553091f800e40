// Validation of a Service.
import type { FieldError } from '../field-errors.ts';
import { duplicate, forbiddenValue, invalidValue, notSupported, required } from '../field-errors.ts';
import { validateEndpointIp, validateLegacyIp, parseAddress } from '../validation/ip.ts';
import { validateLabels } from '../validation/metadata.ts';
import {
  isDns1123Label,
  isDns1123Subdomain,
  isPortName,
  isPortNumber,
  isQualifiedName,
} from '../validation/names.ts';
import { validateClusterIpFields } from './service-address-validation.ts';
import { isExternallyAccessible, isHeadless, needsHealthCheckPort } from './service-types.ts';
import type { LoadBalancerIngress, Service, ServicePort, ServiceSpec } from './service-types.ts';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const AFFINITIES = ['ClientIP', 'None'];
const TRAFFIC_POLICIES = ['Cluster', 'Local'];
const DISTRIBUTIONS = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
/** Seconds in a day: the longest client affinity. */
const LONGEST_AFFINITY = 86_400;

export function validateServiceSpec({ spec }: Service, old: Service | undefined): FieldError[] {
  const ports = spec.ports ?? [];
  return [
    ...(ports.length === 0 && !isHeadless(spec) && spec.type !== 'ExternalName'
      ? [required('spec.ports')]
      : []),
    ...validateType(spec),
    ...validatePorts(ports),
    ...validateLabels(spec.selector ?? {}, 'spec.selector'),
    ...validateAffinity(spec),
    ...validateClusterIpFields(spec, old?.spec),
    ...validateExternalIps(spec, old?.spec),
    ...(TYPES.includes(spec.type ?? '') ? [] : [notSupported('spec.type', spec.type, TYPES)]),
    ...validateNodePorts(spec),
    ...duplicatePorts(ports),
    ...validateLoadBalancer(spec),
    ...validateTraffic(spec),
  ];
}

function validateType(spec: ServiceSpec): FieldError[] {
  if (spec.type === 'ExternalName') return validateExternalName(spec);
  if ((spec.type !== 'LoadBalancer' && spec.type !== 'NodePort') || !isHeadless(spec)) return [];
  return [invalidValue('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${spec.type} services`)];
}

function validateExternalName(spec: ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy'] as const) {
    const value = spec[key];
    if (value === undefined || value.length === 0) continue;
    errors.push(forbiddenValue(`spec.${key}`, 'may not be set for ExternalName services'));
  }
  const name = (spec.externalName ?? '').replace(/\.$/, '');
  if (name === '') return [...errors, required('spec.externalName')];
  return [
    ...errors,
    ...isDns1123Subdomain(name).map((problem) => invalidValue('spec.externalName', name, problem)),
  ];
}

function validatePorts(ports: readonly ServicePort[]): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const field = `spec.ports[${index}]`;
    const errors = validatePortName(port, { field, needed: ports.length > 1, names });
    return [...errors, ...validatePort(port, field)];
  });
}

interface PortNaming {
  readonly field: string;
  readonly needed: boolean;
  readonly names: Set<string>;
}

function validatePortName({ name = '' }: ServicePort, { field, needed, names }: PortNaming): FieldError[] {
  if (name === '') return needed ? [required(`${field}.name`)] : [];
  const errors = isDns1123Label(name).map((problem) => invalidValue(`${field}.name`, name, problem));
  if (names.has(name)) errors.push(duplicate(`${field}.name`, name));
  names.add(name);
  return errors;
}

function validatePort(port: ServicePort, field: string): FieldError[] {
  const errors = isPortNumber(port.port).map((problem) => invalidValue(`${field}.port`, port.port, problem));
  if (!PROTOCOLS.includes(port.protocol ?? '')) {
    errors.push(notSupported(`${field}.protocol`, port.protocol, PROTOCOLS));
  }
  const { targetPort, appProtocol } = port;
  const targetProblems = typeof targetPort === 'number' ? isPortNumber(targetPort) : isPortName(targetPort);
  errors.push(...targetProblems.map((problem) => invalidValue(`${field}.targetPort`, targetPort, problem)));
  if (appProtocol === undefined) return errors;
  const appProblems = isQualifiedName(appProtocol);
  return [
    ...errors,
    ...appProblems.map((problem) => invalidValue(`${field}.appProtocol`, appProtocol, problem)),
  ];
}

function validateAffinity({ sessionAffinity = '', sessionAffinityConfig }: ServiceSpec): FieldError[] {
  if (!AFFINITIES.includes(sessionAffinity)) {
    return [notSupported('spec.sessionAffinity', sessionAffinity, AFFINITIES)];
  }
  if (sessionAffinity !== 'ClientIP') return [];
  const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 0;
  if (seconds > 0 && seconds <= LONGEST_AFFINITY) return [];
  const field = 'spec.sessionAffinityConfig.clientIP.timeoutSeconds';
  return [invalidValue(field, seconds, `must be greater than 0 and less than ${LONGEST_AFFINITY}`)];
}

const validateExternalIps = ({ externalIPs = [] }: ServiceSpec, old: ServiceSpec | undefined): FieldError[] =>
  externalIPs.flatMap((ip, index) => {
    const field = `spec.externalIPs[${index}]`;
    const errors = old?.externalIPs?.includes(ip) ? [] : validateLegacyIp(field, ip);
    return errors.length > 0 ? errors : validateEndpointIp(field, ip);
  });

function validateNodePorts({ type, ports = [] }: ServiceSpec): FieldError[] {
  const seen = new Set<string>();
  return ports.flatMap(({ nodePort, protocol }, index) => {
    if (nodePort === undefined) return [];
    const field = `spec.ports[${index}].nodePort`;
    const errors: FieldError[] = [];
    if (type === 'ClusterIP')
      errors.push(forbiddenValue(field, "may not be used when `type` is 'ClusterIP'"));
    if (seen.has(`${protocol}/${nodePort}`)) errors.push(duplicate(field, nodePort));
    seen.add(`${protocol}/${nodePort}`);
    return errors;
  });
}

function duplicatePorts(ports: readonly ServicePort[]): FieldError[] {
  const seen = new Set<string>();
  return ports.flatMap(({ port, protocol }, index) => {
    const key = `${protocol}/${port}`;
    const known = seen.has(key);
    seen.add(key);
    if (!known) return [];
    // The real message prints its internal struct, zero fields and all.
    const shown = { Name: '', Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
    return [duplicate(`spec.ports[${index}]`, shown)];
  });
}

function validateLoadBalancer(spec: ServiceSpec): FieldError[] {
  if (spec.type === 'LoadBalancer') {
    return isQualifiedName(spec.loadBalancerClass ?? 'a').map((problem) =>
      invalidValue('spec.loadBalancerClass', spec.loadBalancerClass, problem),
    );
  }
  const only = "may only be used when `type` is 'LoadBalancer'";
  return [
    ...(spec.loadBalancerSourceRanges === undefined
      ? []
      : [forbiddenValue('spec.LoadBalancerSourceRanges', only)]),
    ...(spec.allocateLoadBalancerNodePorts === undefined
      ? []
      : [forbiddenValue('spec.allocateLoadBalancerNodePorts', only)]),
    ...(spec.loadBalancerClass === undefined ? [] : [forbiddenValue('spec.loadBalancerClass', only)]),
  ];
}

function validateTraffic(spec: ServiceSpec): FieldError[] {
  return [
    ...validateExternalTraffic(spec),
    ...validateHealthCheck(spec),
    ...oneOf('spec.internalTrafficPolicy', spec.internalTrafficPolicy, TRAFFIC_POLICIES),
    ...oneOf('spec.trafficDistribution', spec.trafficDistribution, DISTRIBUTIONS),
  ];
}

const oneOf = (field: string, value: string | undefined, allowed: readonly string[]): FieldError[] =>
  value === undefined || allowed.includes(value) ? [] : [notSupported(field, value, allowed)];

function validateExternalTraffic(spec: ServiceSpec): FieldError[] {
  const field = 'spec.externalTrafficPolicy';
  if (isExternallyAccessible(spec)) return oneOf(field, spec.externalTrafficPolicy, TRAFFIC_POLICIES);
  if (spec.externalTrafficPolicy === undefined) return [];
  return [
    invalidValue(field, spec.externalTrafficPolicy, 'may only be set for externally-accessible services'),
  ];
}

function validateHealthCheck(spec: ServiceSpec): FieldError[] {
  const { healthCheckNodePort } = spec;
  if (healthCheckNodePort === undefined || needsHealthCheckPort(spec)) return [];
  const problem = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  return [invalidValue('spec.healthCheckNodePort', healthCheckNodePort, problem)];
}

export function validateServiceStatus(service: Service, old: Service): FieldError[] {
  const ingress = service.status.loadBalancer.ingress ?? [];
  const field = 'status.loadBalancer.ingress';
  if (service.spec.type !== 'LoadBalancer' && ingress.length > 0) {
    return [forbiddenValue(field, "may only be used when `spec.type` is 'LoadBalancer'")];
  }
  const known = (old.status.loadBalancer.ingress ?? []).map(({ ip }) => ip);
  return ingress.flatMap((item, index) => validateIngress(item, `${field}[${index}]`, known));
}

function validateIngress(
  { ip, ipMode, hostname }: LoadBalancerIngress,
  field: string,
  known: readonly (string | undefined)[],
): FieldError[] {
  const errors = ip === undefined || known.includes(ip) ? [] : validateLegacyIp(`${field}.ip`, ip);
  if (ip === undefined && ipMode !== undefined) {
    errors.push(forbiddenValue(`${field}.ipMode`, 'may not be specified when `ip` is not set'));
  } else if (ip !== undefined && ipMode === undefined) {
    errors.push(required(`${field}.ipMode`, 'must be specified when `ip` is set'));
  } else errors.push(...oneOf(`${field}.ipMode`, ipMode, ['Proxy', 'VIP']));
  if (hostname === undefined) return errors;
  errors.push(
    ...isDns1123Subdomain(hostname).map((problem) => invalidValue(`${field}.hostname`, hostname, problem)),
  );
  if (parseAddress(hostname) === undefined) return errors;
  return [...errors, invalidValue(`${field}.hostname`, hostname, 'must be a DNS name, not an IP address')];
}
