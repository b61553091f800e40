// Installs ministack, an emulator of AWS, and cfn-lint into .cache once: a Python environment with what requirements.txt names.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
const CACHE = resolve(import.meta.dirname, '../../../.cache/aws-tools');

/**
 * The Python that has them. Throws when they have to be installed and Python is missing, or its package index cannot be reached: a
 * test that needs them fails and is never skipped.
 */
export function pythonWithTools(): string {
  const stamp = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 16);
  const folder = join(CACHE, stamp);
  if (!existsSync(folder)) install(folder);
  return join(folder, 'bin/python3');
}

/** Under its own name only when it is whole. */
function install(folder: string): void {
  mkdirSync(CACHE, { recursive: true });
  const unfinished = mkdtempSync(join(CACHE, 'new-'));
  try {
    run('python3', '-m', 'venv', unfinished);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps'];
    run(join(unfinished, 'bin/python3'), ...pip, '--requirement', REQUIREMENTS);
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw error;
  }
}

function run(program: string, ...args: readonly string[]): void {
  const { status, error, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status === 0) return;
  const why = error?.message ?? stderr.trim();
  throw new Error(
    `ministack and cfn-lint need Python 3.11 or newer with venv and pip: ${program} ${args.join(' ')} failed: ${why}`,
  );
}
