// Condenses a report into what is remembered of a run: complete counts, and as many refusals as fit a fixed size.
import { sameJson } from '../gateway/same-json.ts';
import type { Refusal } from '../model/plan.ts';
import type { MirrorStatus, Report } from '../model/report.ts';
import type { RunSummary } from '../model/summary.ts';

/** Refusals kept with their text. The counts are complete whatever the number (5,000 bad Services must not bloat a link's item). */
const MOST_REFUSALS = 50;
const LONGEST_MESSAGE = 300;

/** Only what is stored of a refusal: what is read back has to say the same, or every run would be news. */
const shortened = ({ namespace, name, reason, message }: Refusal): Refusal => ({
  namespace,
  name,
  reason,
  message: message.length <= LONGEST_MESSAGE ? message : `${message.slice(0, LONGEST_MESSAGE - 1)}…`,
});

/** Names of mirrors that still are not as they should be: one of their changes was not applied. */
const unfinished = ({ outcomes = [] }: Report): ReadonlySet<string> =>
  new Set(
    outcomes
      .filter(({ result }) => result !== 'applied')
      .map(({ change }) => `${change.mirror.namespace}/${change.mirror.name}`),
  );

const stateAfter = (status: MirrorStatus, open: ReadonlySet<string>): MirrorStatus['state'] => {
  const isChanged = status.state === 'to create' || status.state === 'to update';
  return isChanged && !open.has(`${status.mirror.namespace}/${status.mirror.name}`)
    ? 'in sync'
    : status.state;
};

/** @param now ms since the epoch */
export const summaryOf = (report: Report, runId: string, now: number): RunSummary => {
  const open = unfinished(report);
  const mirrors = { 'in sync': 0, 'to create': 0, 'to update': 0, waiting: 0, refused: 0 };
  for (const status of report.mirrors) mirrors[stateAfter(status, open)] += 1;
  return {
    at: now,
    runId,
    mirrors,
    failed: (report.outcomes ?? []).filter(({ result }) => result !== 'applied').length,
    refusals: report.refusals.slice(0, MOST_REFUSALS).map(shortened),
    moreRefusals: Math.max(0, report.refusals.length - MOST_REFUSALS),
    unobserved: report.unobserved,
    notes: report.notes,
  };
};

/** Whether two runs said the same; when and by whom apart. */
export const saysTheSame = (a: RunSummary, b: RunSummary): boolean => {
  const words = ({ at: _at, runId: _runId, ...rest }: RunSummary): unknown => rest;
  return sameJson(words(a), words(b));
};
