// The plan that a random world leads to, by the product's own deciding and planning.
import * as fc from 'fast-check';
import { decideAll } from '../../lib/desired/decisions.ts';
import type { GatewayView } from '../../lib/model/gateway.ts';
import type { Plan } from '../../lib/model/plan.ts';
import { planFor } from '../../lib/plan/plan.ts';
import { linkOf } from '../support/lab.ts';
import { gatewayView, published } from '../support/model-builders.ts';
import { mostly } from './pools.ts';
import { frozen, shuffledList, type Snapshots } from './snapshots.ts';
import type { World } from './worlds.ts';

/** What is known of the gateway: any addresses in any state; before its Service was first seen, no port. */
export const view = fc.subarray(['198.51.100.10', '198.51.100.11', '2001:db8::1']).chain((ips) =>
  fc
    .record({
      states: fc.tuple(
        ...ips.map(() => fc.constantFrom('ready' as const, 'draining' as const, 'down' as const)),
      ),
      hasPort: mostly(true, false),
    })
    .map(({ states, hasPort }): GatewayView => {
      const addresses = ips.map((ip, index) => published(ip, states[index] ?? 'ready'));
      return hasPort ? gatewayView({ addresses }) : gatewayView({ addresses, port: undefined });
    }),
);

const START = Date.UTC(2026, 0, 1);

interface Given {
  readonly snapshots: Snapshots;
  readonly view: GatewayView | 'none' | 'unobserved';
  readonly order?: readonly number[];
  readonly unobserved?: Plan['unobserved'];
}

export const planOf = (world: World, { snapshots, view, order, unobserved = [] }: Given): Plan => {
  const link = frozen(linkOf(world.link));
  const decisions = decideAll(link, snapshots, link.gateway === 'none' ? 'none' : view);
  return planFor({
    link,
    decisions: frozen(order === undefined ? decisions : shuffledList(decisions, order)),
    source: snapshots.source,
    gateway: undefined, // it has tests of its own
    unobserved,
    refusals: [],
    forceDeletes: false,
    now: START,
    covers: () => true,
  });
};
