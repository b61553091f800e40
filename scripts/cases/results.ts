// The result file of a test run: what the reporter writes, and `npm run cases` and `npm run totals` read.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

/** The two test runs, with the command that makes the result file of each. */
export const RUN_COMMANDS = { unit: 'npm test', e2e: 'npm run test:e2e' } as const;
export type RunKind = keyof typeof RUN_COMMANDS;
export const RUN_KINDS = ['unit', 'e2e'] as const satisfies readonly RunKind[];

const testSchema = z.object({
  /** titles of the describes around it, then its own */
  titles: z.array(z.string()).readonly(),
  /** relative to the project */
  file: z.string(),
  state: z.enum(['passed', 'failed', 'skipped']),
  /** it asserts objects read back from an API server, embedded or real */
  readBack: z.boolean(),
});
export type TestResult = Readonly<z.infer<typeof testSchema>>;
export type TestState = TestResult['state'];

/** Something that went wrong outside of any test: a file that does not load, a hook, an error nobody caught. */
const errorSchema = z.object({
  file: z.string(), // empty when it belongs to no file
  message: z.string(),
});
export type RunError = Readonly<z.infer<typeof errorSchema>>;

const runSchema = z.object({
  kind: z.enum(RUN_KINDS),
  finishedAt: z.iso.datetime(),
  tests: z.array(testSchema).readonly(),
  errors: z.array(errorSchema).readonly(),
});
export type RunResults = Readonly<z.infer<typeof runSchema>>;

export function resultsFile(root: string, kind: RunKind): string {
  return join(root, '.cache', 'cases', `${kind}.json`);
}

/**
 * The last whole run of this kind; undefined when there was none.
 * @throws Error when the file is not what the reporter writes
 */
export function readResults(root: string, kind: RunKind): RunResults | undefined {
  const file = resultsFile(root, kind);
  if (!existsSync(file)) return undefined;
  try {
    return runSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new Error(`${file} is no result file; \`${RUN_COMMANDS[kind]}\` makes it anew`, { cause });
  }
}
