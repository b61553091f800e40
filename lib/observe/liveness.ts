// Looks whether the gateway's addresses answer, and what that takes away from what is published.
import { stepLiveness, livenessMoved, withLiveness } from '../gateway/liveness.ts';
import { type GatewayVerdict, judgeNetwork, verdictOf } from '../gateway/liveness-network.ts';
import type { ProbeSettings } from '../gateway/probe.ts';
import type { PublishedAddress } from '../model/gateway.ts';
import { type Liveness, NO_LIVENESS } from '../model/liveness.ts';
import type { Clock, Prober } from '../ports.ts';
import { probeAll } from '../probing.ts';

/** Longest that probing may hold up one run: three failures at the usual period with the longest timeout. */
const BUDGET_MS = 20_000;

export interface Probing {
  readonly prober: Prober;
  /** What other links' gateways answer right now; asked only when this one is silent. */
  readonly others: () => Promise<readonly GatewayVerdict[]>;
}

export interface LivenessLook {
  readonly addresses: readonly PublishedAddress[];
  readonly liveness: Liveness; // to remember
  readonly notes: readonly string[];
}

export interface LivenessInput {
  readonly link: string;
  readonly addresses: readonly PublishedAddress[]; // as DNS leaves them
  readonly remembered: Liveness | undefined;
  readonly settings: ProbeSettings;
  readonly mayDial: (ip: string) => boolean;
  readonly resolverAnswered: boolean;
  readonly clock: Clock;
  readonly probing: Probing | undefined; // absent: nobody probes here, what is remembered holds
}

/** Probes, judges and steps. Without a prober what is remembered goes on: a laptop must not declare a gateway dead. */
export const lookAtLiveness = async (input: LivenessInput): Promise<LivenessLook> => {
  const { link, addresses, settings, mayDial, clock, probing } = input;
  const before = input.remembered ?? NO_LIVENESS;
  if (probing === undefined)
    return { addresses: withLiveness(addresses, before), liveness: before, notes: [] };
  const gateways = [{ link, addresses, liveness: before, settings, mayDial }];
  const { prober } = probing;
  const results = (await probeAll({ prober, clock, gateways, budgetMs: BUDGET_MS })).get(link) ?? new Map();
  const verdict = verdictOf(results, before);
  const isSilent = verdict !== undefined && !verdict.answered;
  const now = Math.floor(clock.now() / 1000);
  const network = judgeNetwork({
    gateways: [...(verdict === undefined ? [] : [verdict]), ...(isSilent ? await probing.others() : [])],
    witnesses: { sourceApi: true, targetApi: true, resolver: input.resolverAnswered }, // both APIs were read before
    now,
  });
  const after = stepLiveness({ state: before, addresses, results, network, settings, now });
  const liveness = livenessMoved(before, after) ? after : before;
  return {
    addresses: withLiveness(addresses, liveness),
    liveness,
    notes: [
      ...settings.notes,
      ...(network.kind === 'ignored' ? [`liveness of the gateway: ${network.why}`] : []),
    ],
  };
};
