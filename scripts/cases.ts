// Lists every behaviour case with the tests that name it, and fails when one that is due is not shown to hold: `npm run cases`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseCatalogue } from './cases/catalogue.ts';
import { type Evidence, readEvidence } from './cases/evidence.ts';
import { type Judgement, judge } from './cases/judge.ts';
import { casesText, problemLines } from './cases/print.ts';
import { RUN_COMMANDS } from './cases/results.ts';

const FAILED = 1; // a due case is not shown to hold, or in CI the results are incomplete or outdated
const WRONG_INPUT = 2; // no results at all, or something that cannot be read

try {
  process.exitCode = run(process.cwd());
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = WRONG_INPUT;
}

function run(root: string): number {
  const { json } = parseArgs({ options: { json: { type: 'boolean', default: false } } }).values;
  const cases = parseCatalogue(readFileSync(join(root, 'docs', 'cases.md'), 'utf8'));
  const evidence = readEvidence(root);
  if (evidence.runs.length === 0)
    throw new Error(`no results yet: run ${Object.values(RUN_COMMANDS).join(' and ')} first`);
  const judgement = judge(cases, evidence.runs);
  if (json) console.log(JSON.stringify({ ...judgement, warnings: evidence.warnings }, undefined, 2));
  else console.log(casesText(judgement));
  return conclude(judgement, evidence);
}

function conclude(judgement: Judgement, { warnings }: Evidence): number {
  const problems = problemLines(judgement);
  const due = judgement.cases.filter((one) => one.due);
  const unproven = due.filter(({ problem }) => problem !== undefined);
  for (const problem of problems) console.error(`✗ ${problem}`);
  for (const warning of warnings) console.error(`WARNING: ${warning}`);
  console.error(`${due.length} cases are due, ${due.length - unproven.length} of them are shown to hold`);
  const isStrict = process.env['CI'] === 'true';
  return problems.length > 0 || (isStrict && warnings.length > 0) ? FAILED : 0;
}
