// Compares the cases with the tests that name them.
import type { Case } from './catalogue.ts';
import type { RunKind, RunResults, TestResult, TestState } from './results.ts';
import { type CaseId, casesNamedBy } from './titles.ts';

export interface NamingTest extends TestResult {
  readonly kind: RunKind;
}

export type Counts = Readonly<Record<TestState, number>>;

export interface JudgedCase extends Case {
  readonly tests: readonly NamingTest[];
  readonly counts: Readonly<Record<RunKind, Counts>>;
  /** why a case that is due is not shown to hold */
  readonly problem?: string;
}

export interface UnknownCase {
  readonly id: CaseId;
  readonly test: NamingTest;
}

export interface Judgement {
  readonly cases: readonly JudgedCase[];
  /** ids in titles that no case has */
  readonly unknown: readonly UnknownCase[];
}

export function judge(cases: readonly Case[], runs: readonly RunResults[]): Judgement {
  const tests = runs.flatMap(({ kind, tests: results }) => results.map((result) => ({ ...result, kind })));
  const naming = tests.flatMap((test) => casesNamedBy(test.titles).map((id) => ({ id, test })));
  const known = new Set(cases.map(({ id }) => id));
  return {
    cases: cases.map((one) =>
      judgeCase(
        one,
        naming.filter(({ id }) => id === one.id).map(({ test }) => test),
      ),
    ),
    unknown: naming.filter(({ id }) => !known.has(id)),
  };
}

function judgeCase(one: Case, tests: readonly NamingTest[]): JudgedCase {
  const ofKind = (wanted: RunKind) => countsOf(tests.filter(({ kind }) => kind === wanted));
  const counts = { unit: ofKind('unit'), e2e: ofKind('e2e') };
  const problem = one.due ? problemOf(tests) : undefined;
  return { ...one, tests, counts, ...(problem === undefined ? {} : { problem }) };
}

function countsOf(tests: readonly NamingTest[]): Counts {
  const count = (state: TestState) => tests.filter((test) => test.state === state).length;
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
}

function problemOf(tests: readonly NamingTest[]): string | undefined {
  const passed = tests.filter(({ state }) => state === 'passed');
  if (tests.length === 0) return 'no test names it';
  if (passed.length === 0) return 'no test of it passes';
  if (!passed.some(({ readBack }) => readBack))
    return 'no passing test of it asserts objects read back from an API server';
  return undefined;
}
