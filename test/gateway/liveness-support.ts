// Builders for the tests of liveness: what probes find, what is published, and one run after the other.
import { stepLiveness, type LivenessStep } from '../../lib/gateway/liveness.ts';
import type { ProbeResults } from '../../lib/gateway/liveness-schedule.ts';
import type { AddressState, PublishedAddress } from '../../lib/model/gateway.ts';
import { NO_LIVENESS, type Liveness } from '../../lib/model/liveness.ts';
import type { ProbeResult } from '../../lib/ports.ts';
import { frozen } from './support.ts';

export const IP = '192.0.2.10';
export const OTHER = '192.0.2.11';

export const OK: ProbeResult = frozen({ kind: 'alive', status: 200, ms: 4 });
export const FAIL: ProbeResult = frozen({ kind: 'failed', why: 'connection refused' });
export const NO_PROBE: ProbeResult = frozen({ kind: 'unknown', why: 'refused by the address filter' });

export const COUNTS = frozen({ kind: 'counts' } as const);
export const IGNORED = frozen({ kind: 'ignored', why: 'our own network' } as const);

export const anAddress = (ip: string, state: AddressState = 'ready'): PublishedAddress =>
  frozen({ ip, family: ip.includes(':') ? 'IPv6' : 'IPv4', state });

export const resultsOf = (
  rows: Readonly<Record<string, ProbeResult | readonly ProbeResult[]>>,
): ProbeResults =>
  new Map(Object.entries(rows).map(([ip, found]) => [ip, 'kind' in found ? [found] : found]));

export type LivenessParts = Partial<Omit<LivenessStep, 'results'>> & {
  readonly results?: Parameters<typeof resultsOf>[0];
};

/** One run at the time 0 that probes IP, which is published alone; threshold 3. */
export const run = ({ results = {}, ...parts }: LivenessParts = {}): Liveness =>
  stepLiveness({
    state: NO_LIVENESS,
    addresses: [anAddress(IP)],
    network: COUNTS,
    settings: { off: false, port: 4191, failureThreshold: 3 },
    now: 0,
    ...parts,
    results: resultsOf(results),
  });

/** A run a minute from the time 60 on, each with one probe of IP; every state on the way. */
export const minutes = (...found: readonly ProbeResult[]): readonly Liveness[] => {
  const states: Liveness[] = [];
  for (const [index, result] of found.entries()) {
    const state = frozen(states.at(-1) ?? NO_LIVENESS);
    states.push(run({ state, results: { [IP]: result }, now: 60 * (index + 1) }));
  }
  return states;
};

export const afterMinutes = (...found: readonly ProbeResult[]): Liveness =>
  minutes(...found).at(-1) ?? NO_LIVENESS;

export const DEAD = frozen(afterMinutes(OK, FAIL, FAIL, FAIL));
