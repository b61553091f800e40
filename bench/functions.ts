// What a cold start of each function begins with: importing its bundle, beside importing a handler that does nothing.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundle } from '../scripts/bundle/bundle.ts';
import { FUNCTION_NAMES } from '../scripts/bundle/functions.ts';
import { type Figure, median, timed } from './measure.ts';

const ROOT = new URL('..', import.meta.url).pathname;

/** What the functions read before they do anything. */
const ENVIRONMENT = {
  AWS_REGION: 'eu-central-1',
  STATE_TABLE: 'state',
  WORK_QUEUE_URL: 'http://127.0.0.1:9/work',
  TIMER_QUEUE_URL: 'http://127.0.0.1:9/timers',
};

const ZIP_LIMIT_KB = 1536;

const importIn = (file: string): Promise<unknown> =>
  promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', `await import(${JSON.stringify(file)});`],
    {
      env: ENVIRONMENT,
    },
  );

export const functionFigures = async (rounds: number): Promise<readonly Figure[]> => {
  const bundles = await bundle(ROOT, FUNCTION_NAMES);
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  const empty = join(folder, 'empty.mjs');
  await writeFile(empty, 'export const handler = async () => {};\n');
  try {
    const figures: Figure[] = [];
    for (const { name, zipBytes } of bundles) {
      const [ours, bare]: [number[], number[]] = [[], []];
      for (let round = 0; round < rounds; round += 1) {
        bare.push(await timed(() => importIn(empty)));
        ours.push(await timed(() => importIn(join(ROOT, 'dist', `${name}.mjs`))));
      }
      const kilobytes = zipBytes / 1024;
      figures.push(
        {
          name: `start of Node with ${name}, beside an empty handler`,
          value: median(ours) * 1000,
          unit: 'ms',
          ratio: median(ours) / median(bare),
          ok: true,
          kind: 'time',
        },
        {
          name: `zip of ${name}`,
          value: kilobytes,
          unit: 'KB',
          target: `<= ${ZIP_LIMIT_KB} KB`,
          ok: kilobytes <= ZIP_LIMIT_KB,
          kind: 'count',
        },
      );
    }
    return figures;
  } finally {
    await rm(folder, { recursive: true });
  }
};
