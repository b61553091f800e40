// Measures the promises: `npm run bench -- [--json FILE] [--rounds N] [--ci] [--only PART,…]`, most parts on real API servers. Count
// targets fail a run with --ci; times depend on the machine and are reported as ratios to a bare client in the same run.
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { addressFigures } from './address.ts';
import { coldFigures } from './cold.ts';
import { dnsFigures } from './dns/figures.ts';
import { type Ground, startGround } from './ground.ts';
import { functionFigures } from './functions.ts';
import { type Figure, table } from './measure.ts';
import { memoryFigures } from './memory.ts';
import { statefulSetFigures } from './statefulset.ts';
import { unchangedFigures } from './unchanged.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    ci: { type: 'boolean', default: false },
    only: { type: 'string', default: 'functions,dns,unchanged,address,memory,cold,statefulset' },
  },
});
const rounds = Number(values.rounds);
const say = (text: string): void => void process.stderr.write(`${text}\n`);

const SIZE = 1000; // Services of all parts but the last two, which have their own sizes

type Part = () => Promise<readonly Figure[]>;

/** A part that needs two API servers gets new ones. */
const onGround =
  (measure: (ground: Ground) => Promise<readonly Figure[]>): Part =>
  async () => {
    const ground = await startGround();
    try {
      return await measure(ground);
    } finally {
      await ground.stop();
    }
  };

const PARTS: Readonly<Record<string, Part>> = {
  functions: () => functionFigures(rounds),
  dns: dnsFigures,
  unchanged: onGround((ground) => unchangedFigures(ground, SIZE, rounds)),
  address: onGround((ground) => addressFigures(ground, SIZE, rounds)),
  memory: onGround((ground) => memoryFigures(ground, SIZE)),
  cold: onGround((ground) => coldFigures(ground, rounds)),
  statefulset: onGround((ground) => statefulSetFigures(ground, rounds)),
};

const figures: Figure[] = [];
for (const name of values.only.split(',')) {
  const part = PARTS[name];
  if (part === undefined) throw new Error(`--only: expected ${Object.keys(PARTS).join(', ')}, got ${name}`);
  say(`${name} (${rounds} rounds)`);
  figures.push(...(await part()));
}
process.stdout.write(`${table(figures)}\n`);
if (values.json !== undefined) {
  const rows = figures.map(({ kind: _kind, ...row }) => row);
  await writeFile(values.json, `${JSON.stringify(rows, undefined, 2)}\n`);
}
const missed = figures.filter(({ ok, kind }) => !ok && (kind === 'count' || !values.ci));
if (missed.length > 0) {
  say(`missed: ${missed.map(({ name }) => name).join('; ')}`);
  process.exitCode = 1;
}
