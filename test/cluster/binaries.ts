// Finds the programs of a test cluster: KUBEBUILDER_ASSETS first, then the folder that `npm run cluster:build` fills.
import { accessSync, constants, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type ToolName, stampOf } from './tools.ts';

export const BUILT_BINARIES = resolve(import.meta.dirname, '../../.cache/cluster/bin');

export interface BinaryFolders {
  /** a folder of ready-made programs, as setup-envtest leaves it; default: the variable KUBEBUILDER_ASSETS */
  readonly assets?: string | undefined;
  /** the folder with programs built from this checkout */
  readonly built?: string;
}

type Paths = Readonly<Partial<Record<string, string>>>;

export type Binaries<Name extends ToolName> =
  | { readonly found: true; readonly paths: Readonly<Record<Name, string>> }
  | { readonly found: false; readonly missing: readonly Name[] };

/** The paths of all the named programs, or the names of those that are neither provided nor built from today's go.mod. */
export function locateBinaries<Name extends ToolName>(
  names: readonly Name[],
  folders: BinaryFolders = {},
): Binaries<Name> {
  const paths: Paths = Object.fromEntries(names.map((name) => [name, locate(name, folders)]));
  if (holdsAll(paths, names)) return { found: true, paths };
  return { found: false, missing: names.filter((name) => paths[name] === undefined) };
}

/** Like locateBinaries, but what is missing is an error: a test that needs a real cluster fails and is never skipped. */
export function requireBinaries<Name extends ToolName>(
  names: readonly Name[],
  folders: BinaryFolders = {},
): Readonly<Record<Name, string>> {
  const binaries = locateBinaries(names, folders);
  if (binaries.found) return binaries.paths;
  throw new Error(
    `${binaries.missing.join(', ')}: missing, or built from another version. ` +
      'Run `npm run cluster:build` (it needs Go), or set KUBEBUILDER_ASSETS to a folder that holds these programs.',
  );
}

/** The provided program in KUBEBUILDER_ASSETS, if that folder has it. */
export function providedBinary(name: ToolName, folders: BinaryFolders = {}): string | undefined {
  const assets = 'assets' in folders ? folders.assets : process.env['KUBEBUILDER_ASSETS'];
  if (!assets) return undefined;
  const path = join(resolve(assets), name);
  return isExecutable(path) ? path : undefined;
}

/** The built program, if it stems from the go.mod and go.sum of this checkout. */
export function builtBinary(name: ToolName, folders: BinaryFolders = {}): string | undefined {
  const path = join(folders.built ?? BUILT_BINARIES, name);
  return isExecutable(path) && readStamp(path) === stampOf(name) ? path : undefined;
}

export function stampFile(binary: string): string {
  return `${binary}.stamp`;
}

function locate(name: ToolName, folders: BinaryFolders): string | undefined {
  return providedBinary(name, folders) ?? builtBinary(name, folders);
}

function holdsAll<Name extends ToolName>(
  paths: Paths,
  names: readonly Name[],
): paths is Paths & Record<Name, string> {
  return names.every((name) => paths[name] !== undefined);
}

function readStamp(binary: string): string | undefined {
  try {
    return readFileSync(stampFile(binary), 'utf8').trim();
  } catch {
    return undefined;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
