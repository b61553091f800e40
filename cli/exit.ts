// Exit codes: what a script learns from a run.
import type { Result } from '../lib/model/plan.ts';

export const EXIT = {
  done: 0,
  failed: 1, // something failed or was refused; wins over `changes`
  wrongInput: 2, // nothing was touched
  changes: 3, // `plan --exit-code` found changes
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** As much of a report as exit codes are about. */
interface Judged {
  readonly unobserved: readonly unknown[];
  readonly refusals: readonly unknown[];
  readonly changes: readonly unknown[];
  readonly outcomes?: readonly { readonly result: Result }[];
}

/** Whether anything failed, was refused or was left undone. */
const hasFailed = ({ unobserved, refusals, outcomes = [] }: Judged): boolean =>
  unobserved.length > 0 || refusals.length > 0 || outcomes.some(({ result }) => result !== 'applied');

/** @param tellsChanges whether planned changes have an exit code of their own */
export function exitCodeOf(report: Judged, tellsChanges: boolean): ExitCode {
  if (hasFailed(report)) return EXIT.failed;
  return tellsChanges && report.changes.length > 0 ? EXIT.changes : EXIT.done;
}
