// What of a run goes into the journal: every change of a mirror, and every change of the gateway's published addresses.
import { type AddressChange, changeReasons } from '../gateway/change-words.ts';
import { keyText } from '../model/keys.ts';
import type { JournalEntry } from '../model/journal.ts';
import type { Outcome } from '../model/plan.ts';
import type { RunWorld } from './world.ts';

/** Entries of one run; more are summed up in one line, so that 3,000 mirrors at once do not cost 3,000 writes. */
const MOST_ENTRIES = 100;

interface Run {
  readonly link: string;
  readonly runId: string;
  readonly at: number; // ms since the epoch
}

const entryOf = (run: Run, { change, result, message }: Outcome): JournalEntry => ({
  ...run,
  what: `${change.action} ${change.kind} ${keyText(change)}`,
  reasons: change.reasons,
  result,
  ...(message === undefined ? {} : { message }),
});

/** What could not be done comes first: it is what somebody will look for. */
const byInterest = (a: Outcome, b: Outcome): number =>
  Number(a.result === 'applied') - Number(b.result === 'applied');

const journalOf = (run: Run, outcomes: readonly Outcome[]): readonly JournalEntry[] => {
  const told = outcomes.toSorted(byInterest).slice(0, MOST_ENTRIES);
  const left = outcomes.length - told.length;
  const rest: readonly JournalEntry[] =
    left === 0 ? [] : [{ ...run, what: `${left} more changes`, reasons: [], result: 'applied' }];
  return [...told.map((outcome) => entryOf(run, outcome)), ...rest];
};

/** Writes what became of a run's changes; a run without changes leaves no line. */
export const journalOutcomes = async (
  { journal, clock }: Pick<RunWorld, 'journal' | 'clock'>,
  run: Omit<Run, 'at'>,
  outcomes: readonly Outcome[],
): Promise<void> => {
  const entries = journalOf({ ...run, at: clock.now() }, outcomes);
  if (entries.length > 0) await journal.append(entries);
};

/**
 * Writes the line of a saved change of what a link publishes; none when it publishes the same as before.
 *
 * @param run absent runId: the change has a run of its own
 */
export const journalAddresses = async (
  { journal, clock, runId }: Pick<RunWorld, 'journal' | 'clock' | 'runId'>,
  run: { readonly link: string; readonly runId?: string },
  change: AddressChange,
): Promise<void> => {
  const reasons = changeReasons(change);
  if (reasons === undefined) return;
  const at = clock.now();
  const what = 'gateway addresses';
  await journal.append([
    { link: run.link, at, runId: run.runId ?? runId(), what, reasons, result: 'applied' },
  ]);
};
