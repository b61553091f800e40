// Makes one file of each function and everything that it imports, the AWS SDK included.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { type BuildOptions, type Metafile, type OutputFile, build } from 'esbuild';

export interface Bundle<Name extends string = string> {
  readonly name: Name;
  readonly bytes: number;
  /** As a zip of this one file, to within some 200 bytes. */
  readonly zipBytes: number;
  /** Bytes of it by the package that they come from; what is ours stands under the empty name. */
  readonly packages: ReadonlyMap<string, number>;
}

const OPTIONS = {
  outdir: 'dist',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  // Libraries that have modules besides CommonJS name them there, and those can be shaken.
  mainFields: ['module', 'main'],
  legalComments: 'none',
  sourcemap: 'external',
  sourcesContent: false,
  metafile: true,
  write: false,
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** CommonJS asks for Node's modules with `require`, which a module has to make for itself. One line: see `withRequire`. */
const REQUIRE =
  "import { createRequire as nodeCreateRequire } from 'node:module'; const require = nodeCreateRequire(import.meta.url);\n";

/**
 * Writes, for each of these functions, `dist/<name>.mjs`, its source map beside it (to read stack traces with; it is not shipped), and
 * esbuild's account of what is in it to `.cache/bundle/<name>.json`.
 *
 * @param root the project's root, absolute
 * @throws what esbuild throws; it has said why on stderr
 */
export async function bundle<Name extends string>(
  root: string,
  names: readonly Name[],
): Promise<readonly Bundle<Name>[]> {
  const entryPoints = Object.fromEntries(names.map((name) => [name, `functions/${name}.ts`]));
  const { metafile, outputFiles } = await build({ ...OPTIONS, absWorkingDir: root, entryPoints });
  const textOf = (path: string): OutputFile['text'] =>
    outputFiles.find((file) => file.path === join(root, path))?.text ?? '';
  return names.map((name) => {
    const path = `dist/${name}.mjs`;
    const account = partOf(metafile, path);
    const isShimmed = asksWithRequire(account, path);
    const code = isShimmed ? `${REQUIRE}${textOf(path)}` : textOf(path);
    const map = isShimmed ? oneLineLower(textOf(`${path}.map`)) : textOf(`${path}.map`);
    write(root, path, code);
    write(root, `${path}.map`, map);
    write(root, `.cache/bundle/${name}.json`, JSON.stringify(account));
    const bytes = Buffer.byteLength(code);
    return { name, bytes, zipBytes: deflateRawSync(code).length, packages: packagesIn(account, path) };
  });
}

function write(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** What esbuild says of one of its outputs, and of the inputs that are in it. */
function partOf({ inputs, outputs }: Metafile, path: string): Metafile {
  const output = outputs[path];
  if (output === undefined) throw new Error(`esbuild made no ${path}`);
  const used = Object.entries(inputs).filter(([input]) => Object.hasOwn(output.inputs, input));
  return { inputs: Object.fromEntries(used), outputs: { [path]: output } };
}

const asksWithRequire = ({ outputs }: Metafile, path: string): boolean =>
  outputs[path]?.imports.some(({ kind }) => kind === 'require-call') ?? false;

/** The source map of code that a line was put above: its mappings have one `;` for each line (ECMA-426). */
function oneLineLower(map: string): string {
  const parsed: unknown = JSON.parse(map);
  if (typeof parsed !== 'object' || parsed === null || !('mappings' in parsed)) return map;
  return JSON.stringify({ ...parsed, mappings: `;${String(parsed.mappings)}` });
}

function packagesIn({ outputs }: Metafile, path: string): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const [input, { bytesInOutput }] of Object.entries(outputs[path]?.inputs ?? {})) {
    const name = packageOf(input);
    if (bytesInOutput > 0) sizes.set(name, (sizes.get(name) ?? 0) + bytesInOutput);
  }
  return sizes;
}

/** The name of the package that a file belongs to, the innermost where packages are nested; empty for our own files. */
const packageOf = (path: string): string => /^.*\bnode_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? '';
