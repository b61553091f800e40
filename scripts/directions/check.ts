// Compares the modules of a project with the rules.
import { posix } from 'node:path';
import { type Graph, cyclesOf } from './cycles.ts';
import type { Import, Module } from './parse.ts';
import { LIBRARIES, UNITS, type Unit, mayReadEnvironment } from './rules.ts';
import type { Tree } from './tree.ts';

export interface Violation {
  readonly path: string;
  readonly line?: number;
  readonly message: string;
}

export interface Findings {
  readonly modules: number;
  readonly imports: number;
  readonly violations: readonly Violation[];
}

export function checkTree(tree: Tree): Findings {
  const graph: Graph = new Map(tree.modules.map((module) => [module.path, importedPaths(module)]));
  return {
    modules: tree.modules.length,
    imports: tree.modules.reduce((sum, { imports }) => sum + imports.length, 0),
    violations: [
      ...emptyFolders(tree),
      ...tree.unreadable.map(({ path, reason }) => ({ path, message: `cannot be parsed: ${reason}` })),
      ...tree.modules.flatMap((module) => checkModule(module, tree)),
      ...cyclesOf(graph).map((cycle) => ({
        path: cycle[0] ?? '',
        message: `imports itself: ${cycle.join(' → ')}`,
      })),
    ],
  };
}

/** A check that saw nothing has not checked anything. */
function emptyFolders({ folders, modules }: Tree): readonly Violation[] {
  if (folders.length === 0) return [{ path: '.', message: 'no folder with modules was found' }];
  return folders
    .filter((folder) => !modules.some(({ path }) => path.startsWith(`${folder}/`)))
    .map((folder) => ({ path: folder, message: 'no module was seen in this folder' }));
}

function checkModule(module: Module, tree: Tree): readonly Violation[] {
  const { path } = module;
  const unit = unitOf(path);
  if (unit === undefined)
    return [{ path, message: 'belongs to no unit of the table in scripts/directions/rules.ts' }];
  const imports = module.imports.flatMap((one) => {
    const message = importMistake({ path, unit, one, tree });
    return message === undefined ? [] : [{ path, line: one.line, message }];
  });
  const environment = mayReadEnvironment(path) ? [] : module.environment;
  const reads = environment.map((line) => ({ path, line, message: 'reads the environment of the process' }));
  return [...imports, ...reads];
}

interface ImportAt {
  readonly path: string;
  readonly unit: string;
  readonly one: Import;
  readonly tree: Tree;
}

function importMistake(at: ImportAt): string | undefined {
  const { specifier } = at.one;
  if (specifier === undefined)
    return at.unit === 'test' ? undefined : 'imports something computed at run time';
  if (specifier.startsWith('.')) return moduleMistake(at, posix.join(posix.dirname(at.path), specifier));
  if (isNodeModule(specifier)) return nodeMistake(at, specifier);
  return libraryMistake(at.path, libraryOf(specifier));
}

function moduleMistake({ unit, one, tree }: ImportAt, target: string): string | undefined {
  if (!tree.has(target)) return `imports ${target}, which does not exist`;
  const other = unitOf(target);
  if (other === undefined) return `imports ${target}, which belongs to no unit`;
  if (other === unit) return undefined;
  const { may, types = [] } = ruleOf(unit);
  if (isListed(other, may)) return undefined;
  if (!isListed(other, types)) return `${unit} must not import ${other} (${target})`;
  return one.typeOnly ? undefined : `${unit} may import only types from ${other}`;
}

function nodeMistake({ path, unit }: ImportAt, specifier: string): string | undefined {
  const { node } = ruleOf(unit);
  if (node !== undefined && !node.includes(specifier)) return `${unit} must not import ${specifier}`;
  if (specifier === 'node:process' && !mayReadEnvironment(path))
    return 'reads the environment of the process';
  return undefined;
}

function libraryMistake(path: string, library: string): string | undefined {
  const homes = LIBRARIES[library];
  if (homes === undefined)
    return `imports ${library}, a library without a home in scripts/directions/rules.ts`;
  if (homes.some((home) => isWithin(path, home))) return undefined;
  return `imports ${library}, which only ${homes.join(', ')} may`;
}

/** The unit with the longest path that holds this module. */
function unitOf(path: string): string | undefined {
  return Object.keys(UNITS)
    .filter((unit) => isWithin(path, unit))
    .toSorted((a, b) => b.length - a.length)[0];
}

function ruleOf(unit: string): Unit {
  return UNITS[unit] ?? { may: [] };
}

function isListed(unit: string, list: readonly string[]): boolean {
  return list.some((listed) => isWithin(unit, listed));
}

function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

function isNodeModule(specifier: string): boolean {
  return specifier.startsWith('node:');
}

/** `@scope/name/deep/path` belongs to `@scope/name`. */
function libraryOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

function importedPaths({ path, imports }: Module): readonly string[] {
  return imports.flatMap(({ specifier }) =>
    specifier?.startsWith('.') ? [posix.join(posix.dirname(path), specifier)] : [],
  );
}
