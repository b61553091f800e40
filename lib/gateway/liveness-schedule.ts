// When an address is probed within one run. A first failure is followed up at once, at the gateway's own period, so that a run a
// minute finds a dead gateway as soon as a prober that never sleeps would.
//
//   start ─ probe ─ failed ─┬─ period ──► start ─ probe ─ failed ─ … until the threshold, an answer, or the end of the time
//                           └─ a probe that took longer than the period: at its end, so that there never are two of one address
import type { AddressLiveness } from '../model/liveness.ts';
import type { ProbeResult } from '../ports.ts';
import type { ProbeSettings } from './probe.ts';

/** One probe of a run. Times are ms since the epoch. */
export interface ProbeTry {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly result: ProbeResult;
}

/** What all probes of a run found, by address and in order. */
export type ProbeResults = ReadonlyMap<string, readonly ProbeResult[]>;

export interface ProbeCourse {
  readonly known: AddressLiveness | undefined; // before the run
  readonly tries: readonly ProbeTry[]; // of this run, in order
  readonly settings: Pick<ProbeSettings, 'period' | 'timeout' | 'failureThreshold'>;
  readonly until: number; // ms since the epoch: the end of the time for probing
}

/** A probe cut short would be a failure that nobody can believe: one is begun only when its whole timeout is left. */
export const isTimeLeft = (
  at: number,
  { settings, until }: Pick<ProbeCourse, 'settings' | 'until'>,
): boolean => at + settings.timeout * 1000 <= until;

const failuresInRow = ({ known, tries }: ProbeCourse): number =>
  tries.reduce(
    (failures, { result: { kind } }) => (kind === 'failed' ? failures + 1 : kind === 'alive' ? 0 : failures),
    known?.failures ?? 0,
  );

/** When the address is probed again in this run, in ms since the epoch; undefined: not any more. */
export const followUp = (course: ProbeCourse): number | undefined => {
  const { known, tries, settings } = course;
  const last = tries.at(-1);
  if (last?.result.kind !== 'failed' || known?.state === 'dead') return undefined;
  if (failuresInRow(course) >= settings.failureThreshold) return undefined;
  const at = Math.max(last.startedAt + settings.period * 1000, last.endedAt);
  return isTimeLeft(at, course) ? at : undefined;
};
