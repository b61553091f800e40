// The part of a link that speaks of the gateway, for a link that has one.
import type { ObjectKey } from '../model/keys.ts';
import type { Link } from '../model/link.ts';

export type GatewayReference = Exclude<Link['gateway'], 'none'>;

/** @throws TypeError for a link without a gateway: asking about it is a mistake of the caller. */
export const gatewayOf = (link: Link): GatewayReference => {
  if (link.gateway === 'none') throw new TypeError(`link ${link.name} has no gateway`);
  return link.gateway;
};

/** Whether the link says where its gateway is, instead of the gateway's status. */
export const isPinned = ({ gateway }: Link): boolean => gateway !== 'none' && gateway.addresses !== undefined;

/** Namespace and name of the gateway Service in the target cluster. */
export const gatewayKey = ({ namespace, name }: GatewayReference): ObjectKey => ({ namespace, name });
