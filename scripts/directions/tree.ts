// Reads the modules of a project from its folders.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { type Module, parseModule } from './parse.ts';
import { TOP_FOLDERS } from './rules.ts';

export interface Tree {
  /** the top folders that exist */
  readonly folders: readonly string[];
  readonly modules: readonly Module[];
  /** what could not be parsed: path and reason */
  readonly unreadable: readonly { readonly path: string; readonly reason: string }[];
  /** whether the project has this file, module or not */
  readonly has: (path: string) => boolean;
}

export function readTree(root: string): Tree {
  const folders = TOP_FOLDERS.filter((folder) => existsSync(join(root, folder)));
  const modules: Module[] = [];
  const unreadable: { path: string; reason: string }[] = [];
  for (const path of folders.flatMap((folder) => modulePaths(root, folder))) {
    try {
      modules.push(parseModule(path, readFileSync(join(root, path), 'utf8')));
    } catch (error) {
      unreadable.push({ path, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return { folders, modules, unreadable, has: (path) => existsSync(join(root, path)) };
}

function modulePaths(root: string, folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|mjs)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .toSorted();
}
