// Who else answers when one link's gateway is silent: gateways of other links, probed right then. If they are silent too, it is our
// own network.
import { filterAddresses } from '../gateway/filter.ts';
import { type GatewayVerdict, verdictOf } from '../gateway/liveness-network.ts';
import { knownAddresses, mergeAddresses } from '../gateway/publish.ts';
import type { GatewayState } from '../model/gateway.ts';
import type { Link } from '../model/link.ts';
import { NO_LIVENESS } from '../model/liveness.ts';
import type { Probing } from '../observe/liveness.ts';
import type { Prober } from '../ports.ts';
import { type ProbedGateway, probeAll } from '../probing.ts';
import type { RunWorld } from './world.ts';

/** Other links that are asked, and addresses of each: enough to know, few enough to be quick. */
const MOST_LINKS = 5;
const MOST_ADDRESSES = 2;
const BUDGET_MS = 6_000;

/** What is known of another link's gateway, as something to probe once; undefined where it is not probed at all. */
const gatewayOf = (link: Link, state: GatewayState | undefined): ProbedGateway | undefined => {
  if (state?.probe === undefined) return undefined;
  const rules = {
    allowedCIDRs: link.allowedCIDRs,
    serviceRanges: state.guarded?.serviceRanges ?? [],
    serviceAddresses: new Set<string>(),
    apiServers: new Set(state.guarded?.apiServers ?? []),
  };
  const accepted = new Set(filterAddresses(knownAddresses(state), rules).accepted);
  return {
    link: link.name,
    addresses: mergeAddresses(state, accepted)
      .filter((address) => address.state === 'ready')
      .slice(0, MOST_ADDRESSES),
    liveness: state.liveness ?? NO_LIVENESS,
    settings: { ...state.probe, off: false, period: 1, failureThreshold: 1, notes: [] }, // no follow-up
    mayDial: (ip) => accepted.has(ip),
  };
};

const others = async (world: RunWorld, prober: Prober, own: string): Promise<readonly GatewayVerdict[]> => {
  const { links } = await world.links.list();
  const asked = links
    .filter(({ link, ending }) => link.name !== own && !ending && !link.paused)
    .slice(0, MOST_LINKS);
  const states = await Promise.all(asked.map(({ link }) => world.gateways.load(link.name)));
  const gateways = asked.flatMap(({ link }, index) => gatewayOf(link, states[index]?.value) ?? []);
  const results = await probeAll({ prober, clock: world.clock, gateways, budgetMs: BUDGET_MS });
  return gateways.flatMap(({ link, liveness }) => verdictOf(results.get(link) ?? new Map(), liveness) ?? []);
};

/** What a reconcile of one stored link needs to probe its gateway; nothing where nobody probes. */
export const probingOf = (world: RunWorld, link: string): { readonly probing?: Probing } => {
  const { prober } = world;
  return prober === undefined ? {} : { probing: { prober, others: () => others(world, prober, link) } };
};
