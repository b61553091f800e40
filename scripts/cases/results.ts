// The result file of a test run: what the reporter writes, and `npm run cases` and `npm run totals` read.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The two test runs, with the command that makes the result file of each. */
export const RUN_COMMANDS = { unit: 'npm test', e2e: 'npm run test:e2e' } as const;
export type RunKind = keyof typeof RUN_COMMANDS;
export const RUN_KINDS = ['unit', 'e2e'] as const satisfies readonly RunKind[];

export type TestState = 'passed' | 'failed' | 'skipped';

export interface TestResult {
  /** titles of the describes around it, then its own */
  readonly titles: readonly string[];
  /** relative to the project */
  readonly file: string;
  readonly state: TestState;
  /** it asserts objects read back from an API server, embedded or real */
  readonly readBack: boolean;
}

/** Something that went wrong outside of any test: a file that does not load, a hook, an error nobody caught. */
export interface RunError {
  readonly file: string; // empty when it belongs to no file
  readonly message: string;
}

export interface RunResults {
  readonly kind: RunKind;
  readonly finishedAt: string; // ISO 8601
  readonly tests: readonly TestResult[];
  readonly errors: readonly RunError[];
}

export const RESULTS_FOLDER = '.cache/cases';

export function resultsFile(root: string, kind: RunKind): string {
  return join(root, RESULTS_FOLDER, `${kind}.json`);
}

/** The last whole run of this kind; undefined when there was none. */
export function readResults(root: string, kind: RunKind): RunResults | undefined {
  try {
    return JSON.parse(readFileSync(resultsFile(root, kind), 'utf8')) as RunResults;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`${resultsFile(root, kind)} cannot be read; ${RUN_COMMANDS[kind]} makes it anew`, {
      cause: error,
    });
  }
}
