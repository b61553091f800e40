// Builders of test results.
import type { RunKind, RunResults, TestResult } from '../../scripts/cases/results.ts';

/** A passed test with these titles that read nothing back. */
export function aResult(titles: string | readonly string[], changes: Partial<TestResult> = {}): TestResult {
  return {
    titles: typeof titles === 'string' ? [titles] : titles,
    file: 'test/some.test.ts',
    state: 'passed',
    readBack: false,
    ...changes,
  };
}

export function aRun(
  kind: RunKind,
  tests: readonly TestResult[],
  changes: Partial<RunResults> = {},
): RunResults {
  return { kind, finishedAt: '2100-01-01T00:00:00.000Z', tests, errors: [], ...changes };
}

/** Result files as the reporter writes them. */
export function resultFiles(...runs: readonly RunResults[]): Readonly<Record<string, string>> {
  return Object.fromEntries(runs.map((run) => [`.cache/cases/${run.kind}.json`, JSON.stringify(run)]));
}
