// A Service as the server handles it, and the questions that several of its rules ask.
import { trusted } from '../json.ts';
import type { KubeObject } from '../types.ts';

export interface ServicePort {
  name?: string;
  protocol?: string;
  appProtocol?: string;
  port: number;
  targetPort: number | string;
  nodePort?: number;
}

export interface ServiceSpec {
  type?: string;
  ports?: ServicePort[];
  selector?: Record<string, string>;
  clusterIP?: string;
  clusterIPs?: string[];
  externalIPs?: string[];
  externalName?: string;
  externalTrafficPolicy?: string;
  healthCheckNodePort?: number;
  internalTrafficPolicy?: string;
  ipFamilies?: string[];
  ipFamilyPolicy?: string;
  allocateLoadBalancerNodePorts?: boolean;
  loadBalancerClass?: string;
  loadBalancerIP?: string;
  loadBalancerSourceRanges?: string[];
  sessionAffinity?: string;
  sessionAffinityConfig?: { clientIP?: { timeoutSeconds?: number } };
  trafficDistribution?: string;
}

export interface LoadBalancerIngress {
  ip?: string;
  hostname?: string;
  ipMode?: string;
}

export interface Service extends KubeObject {
  spec: ServiceSpec;
  status: { loadBalancer: { ingress?: LoadBalancerIngress[] } };
}

/** The decoder has made sure of the shape. */
export const asService = (object: KubeObject): Service => trusted(object);

export const isHeadless = ({ clusterIPs = [] }: ServiceSpec): boolean =>
  clusterIPs.length === 1 && clusterIPs[0] === 'None';

export const needsClusterIp = ({ type }: ServiceSpec): boolean => type !== 'ExternalName';

export const isExternallyAccessible = ({ type, externalIPs = [] }: ServiceSpec): boolean =>
  type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && externalIPs.length > 0);

export const needsHealthCheckPort = ({ type, externalTrafficPolicy }: ServiceSpec): boolean =>
  type === 'LoadBalancer' && externalTrafficPolicy === 'Local';

export const usesNodePorts = ({ type }: ServiceSpec): boolean =>
  type === 'NodePort' || type === 'LoadBalancer';

export const nodePortsOf = ({ ports = [] }: ServiceSpec): number[] =>
  ports.flatMap(({ nodePort }) => (nodePort === undefined ? [] : [nodePort]));
