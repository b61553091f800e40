// `npm run dns:vectors -- FILE`: replays a file of answer sequences; per case pass or the first difference.
// Exit 0: all pass; 1: a case went another way; 2: the file cannot be used.
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { replayCase, settingsOf, vectorFile, type Difference, type VectorFile } from './dns-replay.ts';

class UnusableFile extends Error {}

const readJson = (path: string): unknown => {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new UnusableFile(`${path}: ${cause instanceof Error ? cause.message : 'cannot be read'}`, {
      cause,
    });
  }
};

const readVectors = (path: string): VectorFile => {
  const parsed = vectorFile.safeParse(readJson(path));
  if (parsed.success) return parsed.data;
  throw new UnusableFile(`${path}: not a file of answer sequences\n${z.prettifyError(parsed.error)}`);
};

const differenceText = ({ t, field, expected, found }: Difference): string =>
  `at t=${t}: ${field} expected ${expected}, found ${found}`;

/** @returns the number of cases that went another way */
const replay = (file: VectorFile): number => {
  const { settings, unknown } = settingsOf(file);
  for (const name of unknown) console.error(`defaults.${name} is no setting of the state machine: ignored`);
  const differences = file.cases.map((vector) => {
    const difference = replayCase(vector, settings);
    const result = difference === undefined ? 'pass' : `FAIL ${differenceText(difference)}`;
    console.log(`case ${vector.id} (${vector.title}): ${result}`);
    return difference;
  });
  return differences.filter((difference) => difference !== undefined).length;
};

const main = (paths: readonly string[]): number => {
  const [path] = paths;
  if (path === undefined || paths.length > 1)
    throw new UnusableFile('expected one argument: the file of answer sequences');
  const file = readVectors(path);
  const failed = replay(file);
  console.log(`${file.cases.length - failed} of ${file.cases.length} cases pass`);
  return failed === 0 ? 0 : 1;
};

try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UnusableFile)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
