// The launcher as people start it: by whatever Node is at hand, with streams, exit code and signals passed through.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folderWith, KUBECONFIG } from './cli.ts';

const LAUNCHER = fileURLToPath(new URL('../../cli/bin.mjs', import.meta.url));

/** A Node of this computer that is too old for TypeScript, as `npx` may find it; undefined where there is none. */
const oldNode = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .map((folder) => join(folder, 'node'))
  .filter((path) => existsSync(path))
  .find(
    (path) =>
      Number(execFileSync(path, ['-p', 'process.versions.node.split(".")[0]'], { encoding: 'utf8' })) < 22,
  );

const NODES: readonly (readonly [string, string])[] = [
  ['this Node', process.execPath],
  ...(oldNode === undefined ? [] : [['an old Node', oldNode] as const]),
];

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function ended(child: ChildProcess): Promise<Ended> {
  const texts = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (texts.stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (texts.stderr += text));
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, ...texts }));
  });
}

describe.each(NODES)('started by %s', (_, node) => {
  it('prints to standard output and ends with 0', async () => {
    expect(await ended(spawn(node, [LAUNCHER, '--version']))).toStrictEqual({
      code: 0,
      stdout: '0.1.0\n',
      stderr: '',
    });
  });

  it('passes words, standard error and exit code on', async () => {
    const { code, stdout, stderr } = await ended(spawn(node, [LAUNCHER, 'plan', '--link', 'We st']));
    expect({ code, stdout }).toStrictEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('got "We st"');
  });

  it('takes a reader that goes away as no failure', async () => {
    const child = spawn(node, [LAUNCHER, '--help']);
    child.stdout.destroy();
    expect(await ended(child)).toMatchObject({ code: 0, stderr: '' });
  });

  describe('with a cluster that never answers', () => {
    let server: Server;
    let isAsked: Promise<void>;

    beforeAll(async () => {
      server = createServer();
      isAsked = new Promise((resolve) => {
        server.once('connection', () => resolve());
      });
      await new Promise<void>((resolve) => {
        server.listen(0, '127.0.0.1', resolve);
      });
    });
    afterAll(() => {
      server.close();
    });

    it('stops when it is told to, and says so', async () => {
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : undefined;
      const folder = await folderWith({
        'k.yaml': KUBECONFIG.replace('https://127.0.0.1:1', `http://127.0.0.1:${port}`),
      });
      const kubeconfig = join(folder, 'k.yaml');
      const words = [
        'plan',
        '--link',
        'west',
        '--source-kubeconfig',
        kubeconfig,
        '--target-kubeconfig',
        kubeconfig,
      ];
      const child = spawn(node, [LAUNCHER, ...words]);
      const end = ended(child);
      await isAsked;
      child.kill('SIGTERM');
      expect(await end).toStrictEqual({ code: 1, stdout: '', stderr: 'error: interrupted by SIGTERM\n' });
    });
  });
});

it('is executable by itself', async () => {
  expect(await ended(spawn(LAUNCHER, ['--version']))).toMatchObject({ code: 0, stdout: '0.1.0\n' });
});
