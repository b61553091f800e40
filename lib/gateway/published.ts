// What a link publishes by what is remembered of its gateway, without asking anybody, and since when it does.
import { EMPTY_GATEWAY_STATE, type GatewayState, type PublishedAddress } from '../model/gateway.ts';
import { NO_LIVENESS } from '../model/liveness.ts';
import { type AddressRules, filterAddresses } from './filter.ts';
import { withLiveness } from './liveness.ts';
import { knownAddresses, mergeAddresses, withLastResort } from './publish.ts';

/** The rules of the address filter at the link's last reconcile. */
export const rememberedRules = ({ guarded }: GatewayState): AddressRules => ({
  allowedCIDRs: guarded?.allowedCIDRs ?? [],
  serviceRanges: guarded?.serviceRanges ?? [],
  serviceAddresses: new Set(),
  apiServers: new Set(guarded?.apiServers ?? []),
});

/** What a state publishes before liveness has its say. */
export const resolvedBy = (state: GatewayState): readonly PublishedAddress[] => {
  const { accepted } = filterAddresses(knownAddresses(state), rememberedRules(state));
  return withLastResort(mergeAddresses(state, new Set(accepted)));
};

/** What a state publishes: dead addresses are down. */
export const publishedBy = (state: GatewayState): readonly PublishedAddress[] =>
  withLiveness(resolvedBy(state), state.liveness ?? NO_LIVENESS);

type States = ReadonlyMap<string, PublishedAddress['state']>;

const statesOf = (addresses: readonly PublishedAddress[]): States =>
  new Map(addresses.map(({ ip, state }) => [ip, state]));

/** Whether the same addresses are published in the same states. */
export const isPublishedAlike = (
  before: readonly PublishedAddress[],
  after: readonly PublishedAddress[],
): boolean => {
  const states = statesOf(before);
  return before.length === after.length && after.every(({ ip, state }) => states.get(ip) === state);
};

/**
 * The state after a step, with the moment noted when the step changed what is published; else as it is, so that nothing has to be
 * saved for it.
 *
 * @param before the state that the step began with; undefined: nothing was remembered
 * @param now seconds since the epoch
 */
export const stamped = (before: GatewayState | undefined, after: GatewayState, now: number): GatewayState => {
  const former = publishedBy(before ?? EMPTY_GATEWAY_STATE);
  const present = publishedBy(after);
  if (isPublishedAlike(former, present)) return after;
  const states = statesOf(former);
  const since = present.flatMap(({ ip, state }) => {
    const at = states.get(ip) === state ? before?.published?.since[ip] : now;
    return at === undefined ? [] : [[ip, at] as const];
  });
  return { ...after, published: { changedAt: now, since: Object.fromEntries(since) } };
};
