// A small project in a temporary folder, for the tests of our own scripts.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';

export const OUR_ROOT = resolve(import.meta.dirname, '../..');

/** Files by path, with their text. */
export type Files = Readonly<Record<string, string>>;

/** The folder with these files; it is gone when the test ends. `above` is where it is made. */
export function aProject(files: Files, above: string = tmpdir()): string {
  mkdirSync(above, { recursive: true });
  const root = mkdtempSync(join(above, 'house-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

export interface ScriptRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** One of our scripts, run in that folder; `CI` is set only where `env` says so. */
export function runScript(
  name: string,
  {
    root,
    args = [],
    env = {},
  }: { root: string; args?: readonly string[]; env?: Readonly<NodeJS.ProcessEnv> },
): ScriptRun {
  const script = join(OUR_ROOT, 'scripts', name);
  const { CI: _ci, ...ours } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    cwd: root,
    env: { ...ours, ...env },
    encoding: 'utf8',
  });
  return { code: status, stdout, stderr };
}
