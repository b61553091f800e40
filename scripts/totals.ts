// Prints the sum of the unit and end-to-end tests as one plain line; fails unless all of them ran and passed: `npm run totals`.
import { RUN_COMMANDS, RUN_KINDS, type RunResults, readResults } from './cases/results.ts';

/** What went wrong outside of any test counts as failed. */
function sum(runs: readonly RunResults[]) {
  const states = runs.flatMap(({ tests }) => tests.map(({ state }) => state));
  const errors = runs.flatMap((run) => run.errors);
  const count = (wanted: string) => states.filter((state) => state === wanted).length;
  return { passed: count('passed'), failed: count('failed') + errors.length, skipped: count('skipped') };
}

const runs = RUN_KINDS.flatMap((kind) => {
  const run = readResults(process.cwd(), kind);
  if (run === undefined) console.error(`no ${kind} results: \`${RUN_COMMANDS[kind]}\` did not end`);
  return run ?? [];
});
const { passed, failed, skipped } = sum(runs);
if (runs.length < RUN_KINDS.length || passed === 0 || failed > 0 || skipped > 0) process.exitCode = 1;
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
