// Availability zones of gateway addresses, for the hints of EndpointSlices.
import type { PublishedAddress } from '../model/gateway.ts';
import type { Access, Link } from '../model/link.ts';
import { omit } from './omit.ts';

/** `region account` of an EKS cluster; undefined for a cluster of which that is not known. */
const placeOf = (access: Access | undefined): string | undefined => {
  if (access === undefined || !('eks' in access)) return undefined;
  const [, , , region, account] = access.eks.split(':');
  return `${region} ${account}`;
};

const accountOf = (roleArn: string | undefined): string | undefined => roleArn?.split(':')[4];

/**
 * Whether a zone has the same name for the nodes of the source cluster as for who was asked. AWS gives every account its own order of
 * zone names, so that `us-east-1a` of two accounts need not be one zone: https://docs.aws.amazon.com/ram/latest/userguide/working-with-az-ids.html
 */
const shareZoneNames = ({ source, target, gateway }: Link): boolean => {
  const place = placeOf(source);
  if (place === undefined || place !== placeOf(target) || gateway === 'none') return false;
  const asked = accountOf(gateway.loadBalancer?.roleArn);
  return asked === undefined || place.endsWith(` ${asked}`);
};

/** The addresses with their zones where those mean something in the source cluster, else without. */
export const withCommonZones = (
  link: Link,
  addresses: readonly PublishedAddress[],
): readonly PublishedAddress[] =>
  shareZoneNames(link) ? addresses : addresses.map((address) => omit(address, 'zone'));
