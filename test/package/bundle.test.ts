// What `npm run build` makes of functions, on functions of its own.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { bundle } from '../../scripts/bundle/bundle.ts';
import { FUNCTION_NAMES } from '../../scripts/bundle/functions.ts';
import { aProject, runScript, type Files } from '../house/project.ts';

const library = (name: string, code: string): Files => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({ name, version: '1.0.0', main: 'index.js' }),
  [`node_modules/${name}/index.js`]: code,
});

/** CommonJS that asks for one of Node's modules, as undici does. */
const ASKING = library(
  'asking',
  "const path = require('node:path');\nexports.base = (text) => path.basename(text);",
);

const handlerOf = async (root: string, name: string): Promise<(event: string) => unknown> => {
  const module: { handler(this: void, event: string): unknown } = await import(
    pathToFileURL(join(root, `dist/${name}.mjs`)).href
  );
  return module.handler;
};

describe('a bundle', () => {
  it('holds all that the function imports, and is weighed by package', async () => {
    const root = aProject({
      ...ASKING,
      'functions/one.ts':
        "import { base } from 'asking';\nimport { loud } from '../lib/loud.ts';\nexport const handler = (event: string): string => loud(base(event));",
      'lib/loud.ts': 'export const loud = (text: string): string => text.toUpperCase();',
    });
    const [made] = await bundle(root, ['one']);
    expect(await handlerOf(root, 'one').then((handler) => handler('/a/file'))).toBe('FILE');
    expect(made?.name).toBe('one');
    expect(made?.bytes).toBe(readFileSync(join(root, 'dist/one.mjs')).length);
    expect([...(made?.packages.keys() ?? [])].sort()).toEqual(['', 'asking']);
  });

  it('makes `require` for itself only where a library asks with it', async () => {
    const root = aProject({
      ...ASKING,
      'functions/asking.ts': "import { base } from 'asking';\nexport const handler = base;",
      'functions/plain.ts': "import { basename } from 'node:path';\nexport const handler = basename;",
    });
    await bundle(root, ['asking', 'plain']);
    const text = (name: string): string => readFileSync(join(root, `dist/${name}.mjs`), 'utf8');
    expect(text('asking')).toContain('createRequire');
    expect(text('plain')).not.toContain('createRequire');
    expect(await handlerOf(root, 'plain').then((handler) => handler('/a/file'))).toBe('file');
  });

  it.each([
    ['a library asks with `require`', "import { base } from 'asking';\n"],
    ['none does', "import { basename as base } from 'node:path';\n"],
  ])('has a source map that finds the line that threw when %s', async (_case, first) => {
    const root = aProject({
      ...ASKING,
      'functions/one.ts': `${first}export const handler = (event: string): string => {\n  throw new Error(base(event));\n};\n`,
    });
    await bundle(root, ['one']);
    const handler = await handlerOf(root, 'one');
    const error = await Promise.resolve('/x/why')
      .then(handler)
      .catch((thrown: unknown) => thrown);
    const stack = error instanceof Error ? (error.stack ?? '') : '';
    const [, line = '0', column = '0'] = /one\.mjs:(\d+):(\d+)/.exec(stack) ?? [];
    const map = new SourceMap(JSON.parse(readFileSync(join(root, 'dist/one.mjs.map'), 'utf8')));
    const entry = map.findEntry(Number(line) - 1, Number(column) - 1);
    expect(entry).toMatchObject({ originalLine: 2 });
    expect('originalSource' in entry && entry.originalSource).toMatch(/functions\/one\.ts$/);
  });

  it('does not name its source map, which is not shipped', async () => {
    const root = aProject({ 'functions/one.ts': 'export const handler = (): number => 1;' });
    await bundle(root, ['one']);
    expect(readFileSync(join(root, 'dist/one.mjs'), 'utf8')).not.toContain('sourceMappingURL');
  });

  it('keeps what esbuild says of it, without what is in others only', async () => {
    const root = aProject({
      ...ASKING,
      'functions/asking.ts': "import { base } from 'asking';\nexport const handler = base;",
      'functions/plain.ts': 'export const handler = (): number => 1;',
    });
    await bundle(root, ['asking', 'plain']);
    const account = (name: string): { inputs: object; outputs: object } =>
      JSON.parse(readFileSync(join(root, `.cache/bundle/${name}.json`), 'utf8'));
    expect(Object.keys(account('asking').inputs).sort()).toEqual([
      'functions/asking.ts',
      'node_modules/asking/index.js',
    ]);
    expect(Object.keys(account('plain').inputs)).toEqual(['functions/plain.ts']);
    expect(Object.keys(account('plain').outputs)).toEqual(['dist/plain.mjs']);
  });

  it('is not made of what does not compile', async () => {
    const root = aProject({
      'functions/one.ts': "import { gone } from './gone.ts';\nexport const handler = gone;",
    });
    await expect(bundle(root, ['one'])).rejects.toThrow('Could not resolve "./gone.ts"');
    expect(existsSync(join(root, 'dist'))).toBe(false);
  });
});

describe('npm run build', () => {
  const quiet = Object.fromEntries(
    FUNCTION_NAMES.map((name) => [`functions/${name}.ts`, 'export const handler = (): number => 1;']),
  );

  it('makes one file per function and says what they weigh', () => {
    const root = aProject(quiet);
    const { code, stdout, stderr } = runScript('bundle.ts', { root });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n')[0]).toBe('function   KB  zip KB   of  heaviest, KB');
    expect(stdout).toMatch(/^reconcile {3}0 {7}0 {2}800 {2}own code 0$/m);
    expect(
      readdirSync(join(root, 'dist'))
        .filter((name) => name.endsWith('.mjs'))
        .sort(),
    ).toEqual(['reconcile.mjs', 'refresh.mjs', 'resync.mjs', 'status.mjs', 'tick.mjs']);
  });

  it('fails when a function carries a library that it has no use for', () => {
    const root = aProject({
      ...quiet,
      ...library('undici', 'exports.fetch = () => 1;'),
      'functions/tick.ts': "import { fetch } from 'undici';\nexport const handler = fetch;",
    });
    const { code, stderr } = runScript('bundle.ts', { root });
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'tick: expected no undici, got 0 KB of it\n' });
  });
});
