// Defaults of a Service, and the fields that a change of its type clears.
import { equal } from '../json.ts';
import {
  isExternallyAccessible,
  needsClusterIp,
  needsHealthCheckPort,
  nodePortsOf,
  usesNodePorts,
} from './service-types.ts';
import type { Service, ServiceSpec } from './service-types.ts';

/** Seconds a client sticks to an endpoint. */
const CLIENT_IP_TIMEOUT = 10_800;

export function setServiceDefaults({ spec, status }: Service): void {
  setAffinity(spec);
  spec.type ??= 'ClusterIP';
  for (const port of spec.ports ?? []) {
    port.protocol ??= 'TCP';
    if (port.targetPort === 0 || port.targetPort === '') port.targetPort = port.port;
  }
  if (isExternallyAccessible(spec)) spec.externalTrafficPolicy ??= 'Cluster';
  if (['NodePort', 'LoadBalancer', 'ClusterIP'].includes(spec.type)) spec.internalTrafficPolicy ??= 'Cluster';
  if (spec.type !== 'LoadBalancer') return;
  spec.allocateLoadBalancerNodePorts ??= true;
  for (const ingress of status.loadBalancer.ingress ?? []) {
    if (ingress.ip !== undefined) ingress.ipMode ??= 'VIP';
  }
}

function setAffinity(spec: ServiceSpec): void {
  spec.sessionAffinity ??= 'None';
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity !== 'ClientIP') return;
  if (spec.sessionAffinityConfig?.clientIP?.timeoutSeconds !== undefined) return;
  spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: CLIENT_IP_TIMEOUT } };
}

/** Clears what the new type has no use for, unless the writer changed it too (then validation says so). */
export function dropTypeDependentFields(service: Service, old: Service): void {
  const { spec } = service;
  const before = old.spec;
  if (needsClusterIp(before) && !needsClusterIp(spec)) dropAddresses(spec, before);
  if (usesNodePorts(before) && !usesNodePorts(spec)) dropNodePorts(spec, before);
  if (needsHealthCheckPort(before) && !needsHealthCheckPort(spec))
    dropSame('healthCheckNodePort', spec, before);
  if (before.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    dropSame('allocateLoadBalancerNodePorts', spec, before);
    dropSame('loadBalancerClass', spec, before);
  }
  if (isExternallyAccessible(before) && !isExternallyAccessible(spec))
    dropSame('externalTrafficPolicy', spec, before);
  if (spec.type !== 'LoadBalancer') service.status = { ...service.status, loadBalancer: {} };
}

function dropSame(key: keyof ServiceSpec, spec: ServiceSpec, before: ServiceSpec): void {
  if (equal(spec[key], before[key])) delete spec[key];
}

function dropAddresses(spec: ServiceSpec, before: ServiceSpec): void {
  if (spec.clusterIP === before.clusterIP && equal(spec.clusterIPs, before.clusterIPs)) {
    delete spec.clusterIP;
    delete spec.clusterIPs;
  }
  dropSame('ipFamilies', spec, before);
  dropSame('ipFamilyPolicy', spec, before);
}

function dropNodePorts(spec: ServiceSpec, before: ServiceSpec): void {
  const known = new Set(nodePortsOf(before));
  if (!nodePortsOf(spec).every((port) => known.has(port))) return;
  for (const port of spec.ports ?? []) delete port.nodePort;
}
