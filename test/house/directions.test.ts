// Every import rule catches a violation, in small trees of modules.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkTree, type Findings } from '../../scripts/directions/check.ts';
import { readTree } from '../../scripts/directions/tree.ts';

type Files = Readonly<Record<string, string>>;

/** A small project that keeps the rules, and has what the rows below import. */
const SOUND: Files = {
  'functions/tick.ts': `import '../lib/reconcile.ts';\nconsole.log(process.env.STAGE);`,
  'cli/main.ts': `import { Command } from 'commander';\nimport '../lib/reconcile.ts';\nimport '../lib/kube/cluster.ts';`,
  'cli/bin.mjs': `const { main } = await import('./main.ts');`,
  'sandbox/main.ts': `import '../lib/reconcile.ts';\nconst { PORT } = process.env;`,
  'sandbox/apiserver/server.ts': `import { createServer } from 'node:http';`,
  'lib/reconcile.ts': `import './observe/observe.ts';\nimport './desired/decide.ts';\nimport './plan/plan.ts';\nimport './apply/apply.ts';`,
  'lib/observe/observe.ts': `import type { Cluster } from '../ports.ts';\nimport { state } from '../gateway/state.ts';`,
  'lib/desired/decide.ts': `import { key } from '../model/keys.ts';\nimport { isIP } from 'node:net';`,
  'lib/plan/plan.ts': `import { key } from '../model/keys.ts';\nimport { createHash } from 'node:crypto';`,
  'lib/gateway/state.ts': `import type { Answer } from '../ports.ts';`,
  'lib/apply/apply.ts': `import { ClusterError } from '../errors.ts';`,
  'lib/model/keys.ts': `import * as z from 'zod';\nexport const key = 1;`,
  'lib/kube/cluster.ts': `import { Agent } from 'undici';\nimport { gen } from '@kubernetes/client-node/dist/gen/index.js';`,
  'lib/dns/resolver.ts': `import { decode } from 'dns-packet';`,
  'lib/store/file.ts': `import { readFile } from 'node:fs/promises';`,
  'lib/ports.ts': `import type { key } from './model/keys.ts';\nexport interface Cluster {}`,
  'lib/errors.ts': `export class ClusterError extends Error {}`,
  'test/some.test.ts': `import { it } from 'vitest';\nimport '../cli/main.ts';\nvoid import(process.env.X);`,
};

function check(files: Files): Findings {
  const root = mkdtempSync(join(tmpdir(), 'directions-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(root, dirname(path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    return checkTree(readTree(root));
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** The sound project with these files changed or added; each violation as one line. */
function violationsOf(changed: Files): readonly string[] {
  return check({ ...SOUND, ...changed }).violations.map(({ path, line, message }) =>
    line === undefined ? `${path} ${message}` : `${path}:${line} ${message}`,
  );
}

it('a project that keeps the rules has no violation, and all of it was looked at', () => {
  expect(check(SOUND)).toEqual({ modules: 18, imports: 28, violations: [] });
});

describe('a check that saw nothing fails', () => {
  it('without any folder', () => {
    expect(check({}).violations).toEqual([{ path: '.', message: 'no folder with modules was found' }]);
  });

  it('with a folder that holds no module', () => {
    expect(violationsOf({ 'bench/results.json': '{}' })).toEqual(['bench no module was seen in this folder']);
  });

  it('with a module that it cannot parse', () => {
    expect(violationsOf({ 'lib/errors.ts': 'import { from;' })).toEqual([
      expect.stringMatching(/^lib\/errors\.ts cannot be parsed: lib\/errors\.ts: /),
    ]);
  });
});

describe('the direction of an import', () => {
  const rows: readonly (readonly [path: string, text: string, violation: string])[] = [
    [
      'functions/f.ts',
      `import '../lib/plan/plan.ts';`,
      'functions must not import lib/plan (lib/plan/plan.ts)',
    ],
    [
      'cli/f.ts',
      `import '../lib/desired/decide.ts';`,
      'cli must not import lib/desired (lib/desired/decide.ts)',
    ],
    ['cli/f.ts', `import '../functions/tick.ts';`, 'cli must not import functions (functions/tick.ts)'],
    [
      'sandbox/f.ts',
      `import '../lib/apply/apply.ts';`,
      'sandbox must not import lib/apply (lib/apply/apply.ts)',
    ],
    [
      'lib/observe/f.ts',
      `import '../plan/plan.ts';`,
      'lib/observe must not import lib/plan (lib/plan/plan.ts)',
    ],
    [
      'lib/observe/f.ts',
      `import '../kube/cluster.ts';`,
      'lib/observe must not import lib/kube (lib/kube/cluster.ts)',
    ],
    [
      'lib/observe/f.ts',
      `import '../reconcile.ts';`,
      'lib/observe must not import lib/reconcile.ts (lib/reconcile.ts)',
    ],
    [
      'lib/apply/f.ts',
      `import '../gateway/state.ts';`,
      'lib/apply must not import lib/gateway (lib/gateway/state.ts)',
    ],
    [
      'lib/desired/f.ts',
      `import '../plan/plan.ts';`,
      'lib/desired must not import lib/plan (lib/plan/plan.ts)',
    ],
    [
      'lib/plan/f.ts',
      `import '../desired/decide.ts';`,
      'lib/plan must not import lib/desired (lib/desired/decide.ts)',
    ],
    [
      'lib/plan/f.ts',
      `import type { E } from '../errors.ts';`,
      'lib/plan must not import lib/errors.ts (lib/errors.ts)',
    ],
    [
      'lib/plan/f.ts',
      `import { Cluster } from '../ports.ts';`,
      'lib/plan may import only types from lib/ports.ts',
    ],
    [
      'lib/gateway/f.ts',
      `import { type A, b } from '../ports.ts';`,
      'lib/gateway may import only types from lib/ports.ts',
    ],
    ['lib/gateway/f.ts', `import { readFile } from 'node:fs';`, 'lib/gateway must not import node:fs'],
    [
      'lib/desired/f.ts',
      `import { setTimeout } from 'node:timers/promises';`,
      'lib/desired must not import node:timers/promises',
    ],
    [
      'lib/model/f.ts',
      `import type { E } from '../errors.ts';`,
      'lib/model must not import lib/errors.ts (lib/errors.ts)',
    ],
    [
      'lib/dns/f.ts',
      `import '../kube/cluster.ts';`,
      'lib/dns must not import lib/kube (lib/kube/cluster.ts)',
    ],
    [
      'lib/store/f.ts',
      `import type { A } from '../dns/resolver.ts';`,
      'lib/store must not import lib/dns (lib/dns/resolver.ts)',
    ],
    [
      'lib/kube/f.ts',
      `import '../reconcile.ts';`,
      'lib/kube must not import lib/reconcile.ts (lib/reconcile.ts)',
    ],
    ['lib/kube/f.ts', `import '../../cli/main.ts';`, 'lib/kube must not import cli (cli/main.ts)'],
    [
      'lib/kube/f.ts',
      `import '../../sandbox/main.ts';`,
      'lib/kube must not import sandbox (sandbox/main.ts)',
    ],
    [
      'lib/kube/f.ts',
      `import '../../test/some.test.ts';`,
      'lib/kube must not import test (test/some.test.ts)',
    ],
    [
      'lib/kube/f.ts',
      `import '../../functions/tick.ts';`,
      'lib/kube must not import functions (functions/tick.ts)',
    ],
    ['scripts/f.ts', `import '../test/some.test.ts';`, 'scripts must not import test (test/some.test.ts)'],
    ['lib/kube/f.ts', `import '../errors.js';`, 'imports lib/errors.js, which does not exist'],
    ['lib/stray.ts', `export {};`, 'belongs to no unit of the table in scripts/directions/rules.ts'],
  ];

  it.each(rows)('%s: %s', (path, text, violation) => {
    expect(violationsOf({ [path]: text })).toEqual([expect.stringMatching(/^[\w/.]+(:1)? /)]);
    expect(violationsOf({ [path]: text })[0]).toMatch(new RegExp(`^${path}(:1)? `));
    expect(violationsOf({ [path]: text })[0]).toContain(violation);
  });

  const forms: readonly (readonly [form: string, text: string])[] = [
    ['for its effect', `import '../plan/plan.ts';`],
    ['of names', `import { plan } from '../plan/plan.ts';`],
    ['of types', `import type { Plan } from '../plan/plan.ts';`],
    ['passed on', `export { plan } from '../plan/plan.ts';`],
    ['passed on as a whole', `export * from '../plan/plan.ts';`],
    ['passed on as types', `export type { Plan } from '../plan/plan.ts';`],
    ['at run time', `await import('../plan/plan.ts');`],
    ['in a type', `export type Plan = import('../plan/plan.ts').Plan;`],
  ];

  it.each(forms)('holds for an import %s', (_form, text) => {
    expect(violationsOf({ 'lib/desired/f.ts': `\n${text}` })).toEqual([
      'lib/desired/f.ts:2 lib/desired must not import lib/plan (lib/plan/plan.ts)',
    ]);
  });

  it('does not see imports in comments and texts', () => {
    const text = `// import '../plan/plan.ts';\nexport const text = "import '../plan/plan.ts';";`;
    expect(violationsOf({ 'lib/desired/f.ts': text })).toEqual([]);
  });

  it('cannot be told of a computed import', () => {
    expect(violationsOf({ 'lib/kube/f.ts': 'const name = "x";\nawait import(`./${name}.ts`);' })).toEqual([
      'lib/kube/f.ts:2 imports something computed at run time',
    ]);
  });
});

describe('a library', () => {
  const rows: readonly (readonly [path: string, library: string, homes: string])[] = [
    [
      'lib/store/f.ts',
      '@kubernetes/client-node/dist/gen/index.js',
      '@kubernetes/client-node, which only lib/kube may',
    ],
    ['cli/f.ts', 'undici', 'undici, which only lib/kube, bench, test may'],
    ['lib/kube/f.ts', 'dns-packet', 'dns-packet, which only lib/dns, sandbox/dns, test may'],
    ['sandbox/apiserver/f.ts', 'dns-packet', 'dns-packet, which only lib/dns, sandbox/dns, test may'],
    ['lib/kube/f.ts', 'commander', 'commander, which only cli may'],
    ['lib/store/f.ts', 'yaml', 'yaml, which only cli, lib/kube, scripts, test may'],
    ['lib/plan/f.ts', 'zod', 'zod, which only lib/model, '],
    ['lib/kube/f.ts', 'left-pad', 'left-pad, a library without a home in scripts/directions/rules.ts'],
  ];

  it.each(rows)('%s may not import %s', (path, library, homes) => {
    expect(violationsOf({ [path]: `import '${library}';` })).toEqual([
      expect.stringContaining(`${path}:1 imports ${homes}`),
    ]);
  });
});

describe('the environment', () => {
  const readers: readonly string[] = [
    `export const a = process.env.A;`,
    `export const a = process['env'].A;`,
    `export const a = globalThis.process.env['A'];`,
    `export const { env } = process;`,
    `export const f = ({ env } = process) => env;`,
    `import { env } from 'node:process';`,
  ];

  it.each(readers)('must not be read in lib: %s', (text) => {
    expect(violationsOf({ 'lib/kube/f.ts': text })).toEqual([
      'lib/kube/f.ts:1 reads the environment of the process',
    ]);
  });

  it('may be read by the command line of the sandbox, and not below it', () => {
    const text = 'export const a = process.env.A;';
    expect(violationsOf({ 'sandbox/f.ts': text, 'cli/commands/f.ts': text })).toEqual([]);
    expect(violationsOf({ 'sandbox/apiserver/f.ts': text })).toEqual([
      'sandbox/apiserver/f.ts:1 reads the environment of the process',
    ]);
  });
});

describe('cycles', () => {
  it('of two modules are found', () => {
    expect(violationsOf({ 'lib/dns/a.ts': `import './b.ts';`, 'lib/dns/b.ts': `import './a.ts';` })).toEqual([
      'lib/dns/a.ts imports itself: lib/dns/a.ts → lib/dns/b.ts → lib/dns/a.ts',
    ]);
  });

  it('of types are found, through modules beside them', () => {
    expect(
      violationsOf({
        'test/a.ts': `import './side.ts';\nimport './b.ts';`,
        'test/b.ts': `import './side.ts';\nimport type { C } from './c.ts';`,
        'test/c.ts': `export * from './a.ts';`,
        'test/side.ts': `export {};`,
      }),
    ).toEqual(['test/a.ts imports itself: test/a.ts → test/b.ts → test/c.ts → test/a.ts']);
  });

  it('are not two ways to one module', () => {
    expect(
      violationsOf({
        'test/a.ts': `import './b.ts';\nimport './c.ts';`,
        'test/b.ts': `import './c.ts';`,
        'test/c.ts': `export {};`,
      }),
    ).toEqual([]);
  });
});
