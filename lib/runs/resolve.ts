// One name asked for the links that use it: DNS, and AWS beside it where a link wants that and the deployment may.
import { StateError } from '../errors.ts';
import { PENDING, withLoadBalancer } from '../gateway/load-balancer.ts';
import type { LoadBalancerAccess } from '../model/link.ts';
import type { Family } from '../model/objects.ts';
import type { Answer, LinkStore } from '../ports.ts';
import type { RunWorld } from './world.ts';

export interface Resolved {
  readonly answer: Answer;
  /** Why AWS was asked for the load balancer and did not tell. */
  readonly untold?: string;
}

export interface NamePlace {
  readonly hostname: string;
  readonly family: Family;
}

type ResolveWorld = Pick<RunWorld, 'resolver' | 'loadBalancers' | 'links'>;

/** What a stored link says; a document that cannot be used says nothing here, and its own runs say why. */
const accessOf = async (links: LinkStore, name: string): Promise<LoadBalancerAccess | undefined> => {
  try {
    const gateway = (await links.get(name))?.link.gateway ?? 'none';
    return gateway === 'none' ? undefined : gateway.loadBalancer;
  } catch (error) {
    if (error instanceof StateError) return undefined;
    throw error;
  }
};

/** The first one's: a name has one answer, whoever uses it. */
const firstAccess = async (
  links: LinkStore,
  names: readonly string[],
): Promise<LoadBalancerAccess | undefined> => {
  for (const name of names) {
    const access = await accessOf(links, name);
    if (access !== undefined) return access;
  }
  return undefined;
};

/** Never throws for what DNS or AWS do. Without the right to ask AWS it reads no link. @param users links that use the name */
export const resolveFor = async (
  { resolver, loadBalancers, links }: ResolveWorld,
  { hostname, family }: NamePlace,
  users: readonly string[],
): Promise<Resolved> => {
  const access = loadBalancers && (await firstAccess(links, users));
  const view = access && (await loadBalancers.addresses(hostname, access));
  if (view?.kind === 'pending') return { answer: PENDING };
  const answer = await resolver.resolve(hostname, family);
  if (view === undefined) return { answer };
  return {
    answer: withLoadBalancer(answer, view, family),
    ...(view.kind === 'unknown' && { untold: view.why }),
  };
};
