// What the API server warns the writers of Services of.
import { warningsForIp } from '../validation/ip.ts';
import { isHeadless } from './service-types.ts';
import type { Service } from './service-types.ts';

const OLD_HINTS = 'service.kubernetes.io/topology-aware-hints';

export function serviceWarnings({ metadata, spec }: Service): string[] {
  const { clusterIPs = [], externalIPs = [], loadBalancerIP } = spec;
  const headless = isHeadless(spec);
  const external = spec.type === 'ExternalName';
  return [
    ...when(metadata.annotations?.[OLD_HINTS] !== undefined, HINTS_DEPRECATED),
    ...(headless ? [] : clusterIPs.flatMap((ip, index) => warningsForIp(`spec.clusterIPs[${index}]`, ip))),
    ...when(headless && loadBalancerIP !== undefined, 'spec.loadBalancerIP is ignored for headless services'),
    ...when(headless && externalIPs.length > 0, 'spec.externalIPs is ignored for headless services'),
    ...when(
      headless && spec.sessionAffinity !== 'None',
      'spec.SessionAffinity is ignored for headless services',
    ),
    ...externalIPs.flatMap((ip, index) => warningsForIp(`spec.externalIPs[${index}]`, ip)),
    ...(loadBalancerIP === undefined ? [] : warningsForIp('spec.loadBalancerIP', loadBalancerIP)),
    ...when(
      external && externalIPs.length > 0,
      'spec.externalIPs is ignored when spec.type is "ExternalName"',
    ),
    ...when(!external && spec.externalName !== undefined, NAME_IGNORED),
    ...when(spec.trafficDistribution === 'PreferClose', CLOSE_DEPRECATED),
  ];
}

const HINTS_DEPRECATED = `annotation ${OLD_HINTS} is deprecated, please use service.kubernetes.io/topology-mode instead`;
const NAME_IGNORED = 'spec.externalName is ignored when spec.type is not "ExternalName"';
const CLOSE_DEPRECATED = 'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"';

const when = (condition: boolean, warning: string): string[] => (condition ? [warning] : []);
