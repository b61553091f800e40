// `npm start` as people run it: the story to its end, its failures, its flags, its ports, and what it leaves behind.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../lib/clock.ts';
import { parseFlags } from '../../sandbox/flags.ts';
import { packageFunctions } from '../../sandbox/package.ts';
import { PARTS } from '../../sandbox/ports.ts';
import { run } from '../../sandbox/run.ts';
import { plainView } from '../../sandbox/view/view.ts';
import { OUR_ROOT } from '../house/project.ts';

const MINUTE = 60_000;
const NO_SIGNAL = new AbortController().signal;

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'sandbox-start-'));
  await packageFunctions({ project: OUR_ROOT, cache: join(OUR_ROOT, '.cache/package'), signal: NO_SIGNAL });
}, 3 * MINUTE);
const leftovers: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of leftovers) end();
  await rm(root, { recursive: true });
});

interface Started {
  readonly child: ChildProcess;
  readonly folder: string; // of kubeconfigs, variables and logs
  readonly temporary: string; // folder for temporary files
  readonly said: () => string;
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
}

/** The program in a process of its own, with folders of its own; killed after the tests if it still runs. */
async function started(name: string, words: readonly string[]): Promise<Started> {
  const [folder, temporary] = [join(root, name), join(root, `${name}-temporary`)];
  await mkdir(temporary);
  const program = join(OUR_ROOT, 'sandbox/start.ts');
  const env = { PATH: dirname(process.execPath), TMPDIR: temporary };
  const child = spawn(process.execPath, [program, '--folder', folder, ...words], { env, cwd: OUR_ROOT });
  leftovers.push(() => child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<Awaited<Started['ended']>>((resolve) => {
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
  return { child, folder, temporary, said: () => stdout, ended };
}

interface Ran {
  readonly code: number;
  readonly text: string;
}

/** A run in this process. @param onText is told everything that was said so far */
async function ran(
  name: string,
  words: readonly string[],
  given: {
    readonly patience?: number;
    readonly signal?: AbortSignal;
    readonly onText?: (text: string) => void;
  } = {},
): Promise<Ran> {
  const { onText, signal = NO_SIGNAL, ...rest } = given;
  let text = '';
  const write = (part: string): void => {
    text += part;
    onText?.(text);
  };
  const flags = parseFlags(['--folder', join(root, name), ...words]);
  const view = plainView({ isTTY: false, write });
  const code = await run({ flags, project: OUR_ROOT, view, clock: systemClock, signal, ...rest });
  return { code, text };
}

/** The processes that a process has started and that still run. */
const childrenOf = async (pid: number | undefined): Promise<readonly number[]> => {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text
    .split(' ')
    .filter((word) => word !== '')
    .map(Number);
};

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const RESULT = /^[✓✗].*$/gm;

describe.concurrent('npm start', () => {
  it(
    'tells its story to the end, with every mirror as expected, and leaves only logs',
    async () => {
      const { ended, folder, temporary } = await started('once', ['--once']);
      const { code, stdout, stderr } = await ended;
      expect({ code, stderr }).toStrictEqual({ code: 0, stderr: '' });
      expect(stdout).not.toContain('✗');
      expect(stdout.match(/^\d+\. .*$/gm)).toStrictEqual([
        '1. Mirrors appear',
        '2. The StatefulSet grows to three pods',
        '3. The load balancer moves a node',
        '4. The StatefulSet shrinks to one pod',
        '5. The load balancer is replaced: make …',
        '6. … before break',
        '7. Look-ups fail',
        '8. A Service is scaled to zero',
        '9. A Service becomes headless',
        '10. A Service is not exported any more',
      ]);
      const tables = stdout.match(/^ {3}[✓ ] .*$/gm) ?? [];
      expect(tables.length).toBeGreaterThan(70);
      expect(tables.filter((line) => line.length > 100)).toStrictEqual([]);
      expect(stdout.match(RESULT)).toStrictEqual([
        expect.stringMatching(/^✓ 10 steps in \d+ s: every expected mirror was there\.$/),
      ]);
      expect(await readdir(folder)).toStrictEqual(['logs']);
      expect(await readdir(temporary)).toStrictEqual([]);
    },
    3 * MINUTE,
  );

  const ALL = 'shop/web-west, shop/api-west, shop/search-west, shop/db-west, shop/db-0-west, shop/db-1-west';
  const breaks: readonly (readonly [part: string, trouble: RegExp, says: RegExp])[] = [
    [
      'dns',
      new RegExp(`^✗ (stale: shop/web-west, shop/api-west, shop/db-0-west, shop/db-1-west|missing: ${ALL})$`),
      /GatewayUnresolved|no run has ended yet/,
    ],
    ['target', new RegExp(`^✗ missing: ${ALL}$`), /ECONNREFUSED|no run has ended yet/],
    ['queue', new RegExp(`^✗ missing: ${ALL}$`), /no run has ended yet/],
  ];
  it.each(breaks)(
    '--break %s: ends with 1 and names the mirrors',
    async (part, trouble, says) => {
      const { code, text } = await ran(`break-${part}`, ['--once', '--break', part], { patience: 8_000 });
      expect(code).toBe(1);
      expect(text.match(RESULT)).toStrictEqual([expect.stringMatching(trouble)]);
      expect(text).toMatch(says);
    },
    2 * MINUTE,
  );

  it(
    '--serve: can be looked into, and ends with Ctrl-C without a process or a file left',
    async () => {
      const { child, folder, temporary, said, ended } = await started('serve', ['--serve']);
      await expect.poll(said, { timeout: MINUTE }).toContain('shop/web-west');
      for (const file of ['east.kubeconfig', 'west.kubeconfig', 'env']) {
        expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
      }
      expect(await readdir(temporary)).toHaveLength(1);
      const pids = await childrenOf(child.pid);
      expect(pids.length).toBeGreaterThanOrEqual(2); // tick and reconcile are warm
      expect(await operated(folder, ['links', '-o', 'json'])).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('"west"'),
      });
      expect(await operated(folder, ['status', '-o', 'json'])).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('203.0.113.10'),
      });
      expect(await operated(folder, ['resync', '--link', 'west', '--wait'])).toMatchObject({
        code: 0,
        stdout: 'nothing to do\n',
      });
      child.kill('SIGINT');
      const { code, stdout, stderr } = await ended;
      expect({ code, stderr }).toStrictEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/\nEnded; nothing is left running\.\n$/);
      expect(pids.filter(isRunning)).toStrictEqual([]);
      expect(await readdir(folder)).toStrictEqual(['logs']);
      expect(await readdir(temporary)).toStrictEqual([]);
    },
    3 * MINUTE,
  );

  it.each([
    [['--once'], 130],
    [[], 0],
  ] as const)(
    '%j interrupted in the middle of the story: ends with %d',
    async (words, expected) => {
      const interrupt = new AbortController();
      const onText = (text: string): void => {
        if (text.includes('1. ')) interrupt.abort(new Error('interrupted'));
      };
      const { code, text } = await ran(`interrupted-${expected}`, words, {
        signal: interrupt.signal,
        onText,
      });
      expect(code).toBe(expected);
      expect(text).toMatch(/\nEnded; nothing is left running\.\n$/);
    },
    MINUTE,
  );

  it(
    'names the port that is taken, and frees the others',
    async () => {
      const index = PARTS.indexOf('status function URL');
      const { base, server } = await takenPort(index);
      leftovers.push(() => server.close());
      await expect(ran('taken', ['--once', '--port-base', String(base)])).rejects.toThrow(
        `port ${base + index} is taken, and the status function URL was to have it: end what uses it, or choose another --port-base`,
      );
      for (let port = base; port < base + index; port += 1) (await listen(port)).close();
    },
    MINUTE,
  );

  it('wrong flags: all of them at once, and nothing is started', async () => {
    const { ended } = await started('wrong', ['--onec', '--break', 'source']);
    expect(await ended).toStrictEqual({
      code: 2,
      stdout: '',
      stderr:
        'error: unknown flag --onec\nerror: --break: expected one of dns, target, queue, got source\nsee npm start -- --help\n',
    });
  });

  it('--help names every flag', async () => {
    const { code, stdout } = await (await started('help', ['--help'])).ended;
    expect(code).toBe(0);
    expect(stdout.match(/--[a-z-]+(?= )/g)).toStrictEqual([
      '--once',
      '--serve',
      '--break',
      '--real',
      '--every',
      '--port-base',
      '--folder',
      '--help',
    ]);
  });
});

/** The command line, in a shell that knows nothing but the sandbox's variables. */
function operated(
  folder: string,
  words: readonly string[],
): Promise<{ readonly code: number | null; readonly stdout: string }> {
  const script = '. "$0" && exec node cli/bin.mjs "$@"';
  const child = spawn('/bin/sh', ['-c', script, join(folder, 'env'), ...words], {
    cwd: OUR_ROOT,
    env: { PATH: dirname(process.execPath) },
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, stdout }));
  });
}

const listen = (port: number): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject).listen(port, '127.0.0.1', () => resolve(server));
  });

/** A base of ports of which the one at this index is taken. */
async function takenPort(index: number): Promise<{ readonly base: number; readonly server: Server }> {
  for (let base = 21_000; ; base += 100) {
    try {
      return { base, server: await listen(base + index) };
    } catch {
      // somebody has it: the next hundred
    }
  }
}
