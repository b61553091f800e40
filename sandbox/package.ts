// Packages the functions as a deployment would, and unpacks their zips. A package of the same sources is used again.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { unzipSync } from 'fflate';
import { REGION, STAGE } from './account.ts';
import { NOWHERE } from './inside.ts';

export interface Package {
  readonly folder: string; // of the zips
  readonly template: string; // JSON
}

export interface PackageOptions {
  readonly project: string; // folder
  /** Packages are kept in it, one folder for each state of the sources. */
  readonly cache: string;
  readonly signal: AbortSignal;
}

/** What the packaging needs to find in the folder that it works in; what it makes stays out of the project's own `dist`. */
const NEEDED = ['functions', 'lib', 'scripts', 'package.json', 'node_modules'] as const;
const CONFIGURATION = 'serverless.yml'; // the framework wants a file of its own

/** What the package is made from. */
const SOURCES = [
  'functions',
  'lib',
  'scripts',
  'serverless.yml',
  'package.json',
  'package-lock.json',
] as const;

const TEMPLATE = 'cloudformation-template-update-stack.json';

/** @throws Error with what the packaging said, or that it was interrupted */
export async function packageFunctions({ project, cache, signal }: PackageOptions): Promise<Package> {
  const folder = join(cache, await hashOf(project));
  const made = await templateIn(folder);
  if (made !== undefined) return { folder, template: made };
  await mkdir(cache, { recursive: true });
  await removeOld(cache);
  const workshop = await mkdtemp(join(cache, 'new-'));
  try {
    for (const name of NEEDED) await symlink(join(project, name), join(workshop, name));
    await copyFile(join(project, CONFIGURATION), join(workshop, CONFIGURATION));
    await serverlessPackage(workshop, signal);
    await rename(join(workshop, '.serverless'), folder).catch(unlessMade);
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
  return { folder, template: (await templateIn(folder)) ?? '' };
}

/** Somebody else was faster with the same sources. */
function unlessMade(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
}

const DAY_MS = 86_400_000;

/** Another sandbox may be about to unpack a package that is not old. */
async function removeOld(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    const { mtimeMs } = await stat(join(cache, name));
    if (Date.now() - mtimeMs > DAY_MS) await rm(join(cache, name), { recursive: true, force: true });
  }
}

async function templateIn(folder: string): Promise<string | undefined> {
  try {
    return await readFile(join(folder, TEMPLATE), 'utf8');
  } catch {
    return undefined;
  }
}

/** Of everything that the package is made from. */
async function hashOf(project: string): Promise<string> {
  const hash = createHash('sha256').update(STAGE);
  for (const source of SOURCES) {
    for (const file of await filesIn(join(project, source))) {
      hash.update(`${relative(project, file)}\0`).update(await readFile(file));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

/** A file by itself, or all files in a folder, in order. */
async function filesIn(path: string): Promise<readonly string[]> {
  if ((await stat(path)).isFile()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted();
}

/** `dnsServers` is set, so that the template shows which functions ask DNS. */
const WORDS = ['package', '--stage', STAGE, '--param', 'dnsServers=127.0.0.1'];

/** What it prints is told only when it fails. Nothing of the environment is handed on: it could lead to an AWS account. */
async function serverlessPackage(workshop: string, signal: AbortSignal): Promise<void> {
  const program = join(workshop, 'node_modules/serverless/bin/serverless.js');
  const child = spawn(process.execPath, [program, ...WORDS], {
    cwd: workshop,
    env: {
      HOME: workshop,
      SLS_SCHEMA_CACHE_BASE_DIR: dirname(workshop), // it compiles its schema once, for seconds, and keeps that
      AWS_REGION: REGION,
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_ENDPOINT_URL: NOWHERE,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text));
  }
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`the functions cannot be packaged (exit code ${code}):\n${printed}`);
}

export interface Unpacked {
  /** The folder of one zip. */
  folderOf(archive: string): string;
  remove(): Promise<void>;
}

/** Unpacks zips into a temporary folder, each into one of its own. */
export async function unpack({ folder }: Package, archives: readonly string[]): Promise<Unpacked> {
  const root = await mkdtemp(join(tmpdir(), 'eks-service-mirror-'));
  const remove = (): Promise<void> => rm(root, { recursive: true, force: true });
  const folderOf = (archive: string): string => join(root, archive.replace(/\.zip$/, ''));
  try {
    for (const archive of archives) await unpackOne(join(folder, archive), folderOf(archive));
    return { folderOf, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function unpackOne(archive: string, folder: string): Promise<void> {
  for (const [name, content] of Object.entries(unzipSync(await readFile(archive)))) {
    if (name.endsWith('/')) continue;
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
}
