// Are the result files there, and younger than the code they speak about?
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { RUN_COMMANDS, RUN_KINDS, type RunResults, readResults } from './results.ts';

/** Folders whose files decide what the tests find. */
const SOURCE_FOLDERS = ['functions', 'lib', 'cli', 'sandbox', 'test'];
const SOURCE_FILE = /\.(ts|mjs|json|ya?ml)$/;

export interface Evidence {
  readonly runs: readonly RunResults[];
  /** why the runs say less than they should: one is missing or outdated */
  readonly warnings: readonly string[];
}

/** @throws Error when a result file cannot be understood */
export function readEvidence(root: string): Evidence {
  const changedAt = newestSource(root);
  const runs: RunResults[] = [];
  const warnings: string[] = [];
  for (const kind of RUN_KINDS) {
    const run = readResults(root, kind);
    if (run !== undefined) runs.push(run);
    if (run === undefined) warnings.push(`no ${kind} results: \`${RUN_COMMANDS[kind]}\` makes them`);
    else if (Date.parse(run.finishedAt) < changedAt.time)
      warnings.push(`the ${kind} results are older than ${changedAt.file}: run \`${RUN_COMMANDS[kind]}\``);
  }
  return { runs, warnings };
}

interface Change {
  readonly file: string;
  readonly time: number; // ms since the epoch
}

function newestSource(root: string): Change {
  let newest: Change = { file: '', time: 0 };
  for (const folder of SOURCE_FOLDERS) {
    for (const file of sourceFiles(root, folder)) {
      const time = statSync(join(root, file)).mtimeMs;
      if (time > newest.time) newest = { file, time };
    }
  }
  return newest;
}

function sourceFiles(root: string, folder: string): readonly string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => SOURCE_FILE.test(name))
    .map((name) => join(folder, name));
}
