// What DNS and AWS itself say of one name, as one answer.
//
//   AWS says                DNS says addresses            nothing                  unknown
//   complete                both together, complete       AWS's, complete          unknown
//   pending                 unknown; DNS is better not asked, as it would remember that there is no such name
//   unknown                 may be a part                 nothing                  unknown
//
// AWS does not say in which zones the load balancer works: an address that only it names is left to the probes.
import type { Family } from '../model/objects.ts';
import type { Answer, LoadBalancerView } from '../ports.ts';
import { formatAddress, parseAddress } from './address.ts';
import { SETTINGS } from './settings.ts';

/** The answer for a load balancer that is not ready to be looked up. */
export const PENDING: Answer = { kind: 'unknown', why: 'AWS is still making the load balancer' };

/** Whoever asks AWS as well does so because DNS tells only a part; so without AWS its answer is one. */
export const withLoadBalancer = (answer: Answer, view: LoadBalancerView, family: Family): Answer => {
  if (view.kind === 'pending') return PENDING;
  if (answer.kind === 'unknown') return answer;
  if (view.kind === 'unknown') return answer.kind === 'addresses' ? { ...answer, partial: true } : answer;
  const canonical = (text: string): readonly string[] => {
    const address = parseAddress(text);
    return address?.family === family ? [formatAddress(address)] : [];
  };
  const own = view.addresses.flatMap(canonical);
  const zones = Object.entries(view.zones).flatMap(([text, zone]) =>
    canonical(text).map((ip) => [ip, zone] as const),
  );
  if (own.length === 0) return answer;
  const [heard, ttl] =
    answer.kind === 'addresses'
      ? [answer.addresses, answer.ttl]
      : [[], answer.negativeTtl ?? SETTINGS.negDefault];
  return {
    kind: 'addresses',
    addresses: [...new Set([...heard, ...own])],
    ttl,
    partial: false,
    complete: true,
    ...(zones.length > 0 ? { zones: Object.fromEntries(zones) } : {}),
  };
};
