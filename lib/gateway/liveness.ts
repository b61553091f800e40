// Liveness of a gateway's addresses: what probes found in, the new state out, and what it takes away from the published addresses.
//
//   unknown ──── alive ────► alive ──── failures in a row reach the threshold ────► dead
//      │                       ▲                                                    │ ▲
//      │                       └─────────────────────── alive ──────────────────────┘ │
//      └──────────── failures in a row reach the threshold ───────────────────────────┘
//
// A probe that says nothing (kind "unknown"), or failures that our own network explains, move nothing and reset nothing.
import type { PublishedAddress } from '../model/gateway.ts';
import { NO_LIVENESS, type AddressLiveness, type Liveness } from '../model/liveness.ts';
import type { ProbeResult } from '../ports.ts';
import type { NetworkJudgement } from './liveness-network.ts';
import type { ProbeResults } from './liveness-schedule.ts';
import { omit } from './omit.ts';
import type { ProbeSettings } from './probe.ts';
import { sameJson } from './same-json.ts';

export interface LivenessStep {
  readonly state: Liveness; // NO_LIVENESS when nothing is stored
  /** What DNS leaves to publish now, last resort included; other addresses are forgotten. */
  readonly addresses: readonly PublishedAddress[];
  readonly results: ProbeResults; // an address that was not probed has none
  readonly network: NetworkJudgement;
  readonly settings: Pick<ProbeSettings, 'off' | 'port' | 'failureThreshold'>;
  readonly now: number; // seconds since the epoch
}

const foundAlive = (before: AddressLiveness | undefined, now: number): AddressLiveness => ({
  state: 'alive',
  failures: 0,
  since: before?.state === 'alive' ? before.since : now,
  lastProbeAt: now,
});

/** The count ends at the threshold: more of them say nothing new and would only cost writes. */
const foundFailing = (
  before: AddressLiveness | undefined,
  why: string,
  { settings: { failureThreshold }, now }: LivenessStep,
): AddressLiveness => {
  const failures = Math.min((before?.failures ?? 0) + 1, failureThreshold);
  const state = failures >= failureThreshold ? 'dead' : (before?.state ?? 'unknown');
  const since = before?.state === state ? before.since : now;
  return { state, failures, since, lastProbeAt: now, lastWhy: why };
};

const stepAddress = (
  before: AddressLiveness | undefined,
  result: ProbeResult,
  step: LivenessStep,
): AddressLiveness | undefined => {
  switch (result.kind) {
    case 'alive':
      return foundAlive(before, step.now);
    case 'failed':
      return foundFailing(before, result.why, step);
    case 'unknown':
      return before;
  }
};

/**
 * The liveness of a gateway after one run of probes; judge the network over all gateways of the run before. What is not to be
 * probed any more is forgotten: nobody could find a dead address alive again.
 */
export const stepLiveness = (step: LivenessStep): Liveness => {
  const { state, addresses, results, network, settings } = step;
  if (settings.off || settings.port === undefined) return NO_LIVENESS;
  const rows = addresses.flatMap(({ ip }) => {
    const heard = network.kind === 'ignored' ? [] : (results.get(ip) ?? []);
    const after = heard.reduce<AddressLiveness | undefined>(
      (before, result) => stepAddress(before, result, step),
      state[ip],
    );
    return after === undefined ? [] : [[ip, after] as const];
  });
  return Object.fromEntries(rows);
};

const withoutTimes = (liveness: Liveness): unknown =>
  Object.fromEntries(Object.entries(liveness).map(([ip, entry]) => [ip, omit(entry, 'lastProbeAt')]));

/** Whether there is anything to save: a state that only was probed again is not worth a write. */
export const livenessMoved = (before: Liveness, after: Liveness): boolean =>
  !sameJson(withoutTimes(before), withoutTimes(after));

/**
 * Publishes dead addresses as down, that is not ready. Only what DNS left ready is touched (its last resort included), so liveness
 * never adds an address, and never brings back a draining one because the others are dead.
 */
export const withLiveness = (
  addresses: readonly PublishedAddress[],
  liveness: Liveness,
): readonly PublishedAddress[] =>
  addresses.map((address) =>
    address.state === 'ready' && liveness[address.ip]?.state === 'dead'
      ? { ...address, state: 'down' }
      : address,
  );
