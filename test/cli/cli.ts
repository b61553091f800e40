// Runs the command line in this process, with a reconcile that answers what the test says, and files in a folder of its own.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { Services } from '../../cli/command.ts';
import type { Io, Output } from '../../cli/io.ts';
import { run } from '../../cli/main.ts';
import { StackError } from '../../cli/stack.ts';
import { makeWorld } from '../../cli/world.ts';
import type { Link } from '../../lib/model/link.ts';
import type { Change } from '../../lib/model/plan.ts';
import type { Report } from '../../lib/model/report.ts';
import type { Clock } from '../../lib/ports.ts';
import type { ReconcileOptions } from '../../lib/reconcile.ts';
import { testClock } from '../support/clock.ts';

export const NOW = Date.UTC(2026, 0, 1);

const NO_REQUESTS = { reads: 0, writes: 0, leases: 0, bytes: 0 };

/** A report with nothing in it. */
export const aReport = (given: Partial<Report> = {}): Report => ({
  link: 'west',
  changes: [],
  refusals: [],
  unobserved: [],
  notes: [],
  mirrors: [],
  explanations: [],
  requests: { source: NO_REQUESTS, target: NO_REQUESTS },
  ...given,
});

type ChangeSpec = Pick<Change, 'action' | 'kind' | 'name'> & { readonly reasons?: readonly string[] };

/** A change of an object in the namespace shop. */
export function aChange({ action, kind, name, reasons = [] }: ChangeSpec): Change {
  const namespace = 'shop';
  const base = { kind, namespace, name, reasons, mirror: { namespace, name }, needsEarlier: false };
  if (action === 'create') return { ...base, action, body: { metadata: { name } } };
  const found = { uid: 'u1', resourceVersion: '7' };
  return action === 'update'
    ? { ...base, ...found, action, patch: { spec: {} } }
    : { ...base, ...found, action };
}

/** One change of each kind. */
export const CHANGES: readonly Change[] = [
  aChange({ action: 'create', kind: 'Service', name: 'web-west', reasons: ['shop/web is exported'] }),
  aChange({
    action: 'update',
    kind: 'Endpoints',
    name: 'api-west',
    reasons: ['addresses: 10.0.0.1 → 10.0.0.2', 'label tier: a → b'],
  }),
  aChange({ action: 'delete', kind: 'Service', name: 'old-west' }),
];

interface Call {
  readonly link: Link;
  readonly options: ReconcileOptions;
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly calls: readonly Call[]; // of reconcile
}

export interface Circumstances {
  readonly report?: Report;
  readonly reconcile?: Services['reconcile'];
  readonly isTTY?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly openStack?: Services['openStack'];
  readonly ask?: NonNullable<Io['ask']>;
  readonly signal?: AbortSignal;
}

const noStack: Services['openStack'] = () => Promise.reject(new StackError('this test has no stack'));

/** Runs one command; the world is real, and as nothing asks it, nothing is sent. */
export async function cli(argv: readonly string[], given: Circumstances = {}): Promise<Ran> {
  const { report = aReport(), isTTY = false, env = {}, clock = testClock(NOW) } = given;
  const { openStack = noStack, ask, signal } = given;
  const calls: Call[] = [];
  const texts = { stdout: '', stderr: '' };
  const output = (name: keyof typeof texts): Output => ({
    isTTY,
    columns: undefined,
    write: (text) => {
      texts[name] += text;
    },
  });
  const services: Services = {
    makeWorld,
    openStack,
    reconcile: async (link, world, options) => {
      calls.push({ link, options });
      return given.reconcile === undefined ? report : given.reconcile(link, world, options);
    },
  };
  const io = {
    stdout: output('stdout'),
    stderr: output('stderr'),
    env,
    clock,
    ...(ask !== undefined && { ask }),
    ...(signal !== undefined && { signal }),
  };
  const code = await run(argv, io, services);
  return { code, ...texts, calls };
}

const folders: string[] = [];
afterAll(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

/** A folder with these files, removed after the tests of this file. */
export async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cli-'));
  folders.push(folder);
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));
  return folder;
}

export const KUBECONFIG = `
apiVersion: v1
kind: Config
current-context: one
clusters:
  - name: c
    cluster: { server: https://127.0.0.1:1 }
users:
  - name: u
    user: { token: secret-token }
contexts:
  - name: one
    context: { cluster: c, user: u }
  - name: two
    context: { cluster: c, user: u }
`;

/** A folder with two kubeconfigs, and the flags that name them and the link. */
export async function linkFlags(): Promise<readonly string[]> {
  const folder = await folderWith({ 'east.yaml': KUBECONFIG, 'west.yaml': KUBECONFIG });
  return [
    '--link',
    'west',
    '--source-kubeconfig',
    join(folder, 'east.yaml'),
    '--target-kubeconfig',
    join(folder, 'west.yaml'),
  ];
}
