// Builds what a test cluster needs and is not there yet, into .cache/cluster/bin. Run it as `npm run cluster:build`.
import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT_BINARIES, type BinaryFolders, builtBinary, providedBinary, stampFile } from './binaries.ts';
import { TOOL_NAMES, type ToolName, buildArguments, moduleFolder, stampOf } from './tools.ts';

export interface BuildOptions extends BinaryFolders {
  /** the environment of `go`; default: this process's */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** takes one line of progress */
  readonly say: (line: string) => void;
}

/**
 * Builds every tool that is neither provided nor up to date. A binary appears under its name only when it is whole.
 * Throws when something is to be built and Go is missing, or when a build fails (Go's own output goes to stderr).
 */
export function buildMissing(options: BuildOptions): void {
  const wanted = TOOL_NAMES.filter((name) => !isAtHand(name, options));
  if (wanted.length > 0) requireGo(wanted, options);
  for (const name of wanted) build(name, options);
}

function isAtHand(name: ToolName, options: BuildOptions): boolean {
  const provided = providedBinary(name, options);
  if (provided !== undefined) options.say(`${name}: provided, ${provided}`);
  else if (builtBinary(name, options) !== undefined) options.say(`${name}: up to date`);
  else return false;
  return true;
}

function requireGo(wanted: readonly ToolName[], options: BuildOptions): void {
  const go = spawnSync('go', ['env', 'GOVERSION'], { env: goEnvironment(options), encoding: 'utf8' });
  const names = wanted.join(', ');
  if (go.status === 0)
    return options.say(`building ${names} with ${go.stdout.trim()}; at first it takes minutes`);
  const why = go.error?.message ?? go.stderr.trim();
  throw new Error(
    `Go is needed to build ${names}, and \`go\` does not run here (${why}). ` +
      'Install Go 1.26 or newer, or set KUBEBUILDER_ASSETS to a folder that holds these programs.',
  );
}

function build(name: ToolName, options: BuildOptions): void {
  const folder = options.built ?? BUILT_BINARIES;
  const binary = join(folder, name);
  const unfinished = join(folder, `.${name}.${process.pid}`);
  // Taken before the build: a go.mod that changes meanwhile makes the result outdated, not wrongly current.
  const stamp = stampOf(name);
  const start = performance.now();
  mkdirSync(folder, { recursive: true });
  try {
    runGo(name, unfinished, options);
    rmSync(stampFile(binary), { force: true });
    renameSync(unfinished, binary);
    writeFileSync(stampFile(binary), `${stamp}\n`);
  } finally {
    rmSync(unfinished, { force: true });
  }
  options.say(`${name}: built in ${((performance.now() - start) / 1000).toFixed(1)} s`);
}

function runGo(name: ToolName, output: string, options: BuildOptions): void {
  const go = spawnSync('go', buildArguments(name, output), {
    cwd: moduleFolder(name),
    env: goEnvironment(options),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (go.status !== 0)
    throw new Error(`go build of ${name} failed (${go.error?.message ?? `exit code ${go.status}`})`);
}

/** No C compiler is asked for, and no workspace or flags of the person's machine change what is built. */
function goEnvironment({ env = process.env }: BuildOptions): NodeJS.ProcessEnv {
  return { ...env, CGO_ENABLED: '0', GOWORK: 'off', GOFLAGS: '-buildvcs=false' };
}

if (import.meta.main) {
  try {
    buildMissing({ say: (line) => console.log(line) });
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
