// Runs the packaging for real, in a folder of its own, and reads what it made.
import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import * as z from 'zod';
import { OUR_ROOT } from '../house/project.ts';

/** What the packaging needs besides serverless.yml; everything that it writes goes into the folder itself. */
const NEEDED = ['package.json', 'node_modules', 'functions', 'lib', 'scripts'] as const;

export interface Workshop {
  readonly root: string;
  readonly remove: () => void;
}

/** A folder that looks like the project. @param edit what becomes of serverless.yml */
export function aWorkshop(edit: (text: string) => string = (text) => text): Workshop {
  const root = mkdtempSync(join(tmpdir(), 'package-'));
  for (const name of NEEDED) symlinkSync(join(OUR_ROOT, name), join(root, name));
  writeFileSync(join(root, 'serverless.yml'), edit(readFileSync(join(OUR_ROOT, 'serverless.yml'), 'utf8')));
  return { root, remove: () => rmSync(root, { recursive: true }) };
}

export interface Output {
  readonly code: number | null;
  readonly text: string; // stdout and stderr
}

/** The framework with these arguments. Without an environment that says more there is no AWS, and there are no credentials for it. */
export function serverless(
  root: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Output {
  const bin = join(OUR_ROOT, 'node_modules/.bin');
  const { status, stdout, stderr } = spawnSync(join(bin, 'serverless'), args, {
    cwd: root,
    encoding: 'utf8',
    env: {
      PATH: `${bin}:${process.env['PATH'] ?? ''}`,
      HOME: root,
      // It compiles its schema once, for seconds, and keeps that.
      SLS_SCHEMA_CACHE_BASE_DIR: join(OUR_ROOT, '.cache/serverless'),
      AWS_EC2_METADATA_DISABLED: 'true',
      // Nobody listens there: whatever wants to talk to AWS fails.
      AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
      ...environment,
    },
  });
  return { code: status, text: `${stdout}${stderr}` };
}

export const parameters = (given: Readonly<Record<string, string>>): string[] =>
  Object.entries(given).flatMap(([name, value]) => ['--param', `${name}=${value}`]);

const template = z.object({
  Resources: z.record(
    z.string(),
    z.looseObject({ Type: z.string(), Properties: z.record(z.string(), z.unknown()) }),
  ),
  Outputs: z.record(z.string(), z.looseObject({ Value: z.unknown() })),
});
type Template = z.output<typeof template>;

export type Resource = Template['Resources'][string];

export interface Packaged {
  readonly text: string;
  readonly resources: Template['Resources'];
  readonly outputs: Template['Outputs'];
  /** Zips by the name of their function. */
  readonly zips: ReadonlyMap<string, Zip>;
}

export interface Zip {
  readonly bytes: number;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** What `serverless package` makes with these parameters. */
export function packaged(root: string, given: Readonly<Record<string, string>> = {}): Packaged {
  const { code, text } = serverless(root, ['package', '--stage', 'test', ...parameters(given)]);
  if (code !== 0) throw new Error(`serverless package ended with ${code}:\n${text}`);
  const folder = join(root, '.serverless');
  const compiled = readFileSync(join(folder, 'cloudformation-template-update-stack.json'), 'utf8');
  const { Resources: resources, Outputs: outputs } = template.parse(JSON.parse(compiled));
  const names = readdirSync(folder).filter((name) => name.endsWith('.zip'));
  return {
    text,
    resources,
    outputs,
    zips: new Map(names.map((name) => [name.replace(/\.zip$/, ''), readZip(join(folder, name))])),
  };
}

function readZip(path: string): Zip {
  const bytes = readFileSync(path);
  return { bytes: bytes.length, files: new Map(Object.entries(unzipSync(bytes))) };
}

/** Unpacks a zip as Lambda does; the folder. */
export function unpack({ files }: Zip, folder: string): string {
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}
