// Whether failed probes speak of the gateways or of our own network. A run whose network is down must not turn everything off.
//
//   gateways of the run                      another gateway, API or resolver answered   the failures
//   one answered                             –                                           count
//   none of two or more answered             –                                           are ignored
//   the only one did not answer              yes                                         count
//   the only one did not answer              no                                          are ignored
//
// A gateway that has been dead for long is no witness: nobody expects an answer of it. So one link that is given up does not keep
// the last living gateway of another from ever being found dead.
import type { Liveness } from '../model/liveness.ts';
import type { ProbeResults } from './liveness-schedule.ts';

/** Gateways that stop answering within this many seconds of each other fail "at once": runs of different links are apart. */
const AT_ONCE = 600;

/** What a run learned of one gateway. */
export interface GatewayVerdict {
  readonly answered: boolean; // one of its addresses did
  readonly deadSince: number | undefined; // seconds; when the last of its probed addresses died, before this run
}

/** Who else answered during the run. A silent target API is no excuse for a silent gateway: both are in the target. */
export interface Witnesses {
  readonly sourceApi: boolean;
  readonly resolver: boolean; // with any answer, a "no" included
  readonly targetApi: boolean;
}

export type NetworkJudgement =
  | { readonly kind: 'counts' }
  | { readonly kind: 'ignored'; readonly why: string };

export interface NetworkEvidence {
  /** Every gateway that was probed; see verdictOf(). */
  readonly gateways: readonly GatewayVerdict[];
  readonly witnesses: Witnesses;
  readonly now: number; // seconds since the epoch
}

const deadSince = (ips: readonly string[], liveness: Liveness): number | undefined => {
  const dead = ips.flatMap((ip) => {
    const entry = liveness[ip];
    return entry?.state === 'dead' ? [entry.since] : [];
  });
  return dead.length < ips.length ? undefined : Math.max(...dead);
};

/**
 * What a run's probes say of one gateway.
 *
 * @param liveness before the run
 * @returns undefined when they say nothing, so that the gateway is no evidence
 */
export const verdictOf = (results: ProbeResults, liveness: Liveness): GatewayVerdict | undefined => {
  const told = [...results].filter(([, tries]) => tries.some(({ kind }) => kind !== 'unknown'));
  if (told.length === 0) return undefined;
  return {
    answered: told.some(([, tries]) => tries.some(({ kind }) => kind === 'alive')),
    deadSince: deadSince(
      told.map(([ip]) => ip),
      liveness,
    ),
  };
};

const isExpected = ({ deadSince }: GatewayVerdict, now: number): boolean =>
  deadSince === undefined || now - deadSince < AT_ONCE;

/** Judges the failures of one run over all gateways that it probed. */
export const judgeNetwork = ({ gateways, witnesses, now }: NetworkEvidence): NetworkJudgement => {
  if (gateways.some(({ answered }) => answered)) return { kind: 'counts' };
  const expected = gateways.filter((gateway) => isExpected(gateway, now)).length;
  if (expected > 1)
    return { kind: 'ignored', why: `all ${expected} gateways failed at once: taken for our own network` };
  if (witnesses.sourceApi || witnesses.resolver || witnesses.targetApi) return { kind: 'counts' };
  return { kind: 'ignored', why: 'nothing else answered either: taken for our own network' };
};
