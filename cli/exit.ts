// Exit codes: what a script learns from a run.
import type { Report } from '../lib/model/report.ts';

export const EXIT = {
  done: 0,
  failed: 1, // something failed or was refused; wins over `changes`
  wrongInput: 2, // nothing was touched
  changes: 3, // `plan --exit-code` found changes
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Whether anything failed, was refused or was left undone. */
const hasFailed = ({ unobserved, refusals, outcomes = [] }: Report): boolean =>
  unobserved.length > 0 || refusals.length > 0 || outcomes.some(({ result }) => result !== 'applied');

/** @param tellsChanges whether planned changes have an exit code of their own */
export function exitCodeOf(report: Report, tellsChanges: boolean): ExitCode {
  if (hasFailed(report)) return EXIT.failed;
  return tellsChanges && report.changes.length > 0 ? EXIT.changes : EXIT.done;
}
