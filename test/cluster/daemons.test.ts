// Programs started for a test end with it, whatever happens to the test's own process.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Daemons, StartError, openDaemons, waitUntilReady } from './daemons.ts';
import { isRunning } from './is-running.ts';

const opened: Daemons[] = [];

afterEach(async () => {
  for (const daemons of opened.splice(0)) await daemons.close();
});

function open(): Daemons {
  const daemons = openDaemons('daemons-test');
  opened.push(daemons);
  return daemons;
}

function startScript(daemons: Daemons, script: string) {
  const path = daemons.writeFile('program', `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o700);
  return daemons.start({ name: 'program', path, flags: {} });
}

/** Starts a program that has started another one; resolves with the other's process id. */
async function startParent(daemons: Daemons): Promise<readonly number[]> {
  const parent = startScript(daemons, 'sleep 300 & echo $! > child.pid; wait');
  const child = await vi.waitUntil(() => readPid(join(daemons.folder, 'child.pid')), { timeout: 10_000 });
  return [parent.pid, child];
}

function readPid(file: string): number {
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
}

describe('close', () => {
  it('ends the programs, what they started, and the folder', async () => {
    const daemons = open();
    const pids = await startParent(daemons);
    expect(pids.map(isRunning)).toEqual([true, true]);
    await daemons.close();
    expect(pids.map(isRunning)).toEqual([false, false]);
    expect(existsSync(daemons.folder)).toBe(false);
  });

  it('may be called twice, and nothing starts afterwards', async () => {
    const daemons = open();
    await daemons.close();
    await daemons.close();
    expect(() => daemons.start({ name: 'late', path: '/bin/sh', flags: {} })).toThrow(
      'late cannot start: its set of programs is closed',
    );
  });
});

describe('when the process that started programs ends without closing them', () => {
  const endings = [
    { how: 'killed with SIGKILL', last: 'setInterval(() => {}, 1000)', signal: 'SIGKILL' },
    { how: 'killed with SIGTERM', last: 'setInterval(() => {}, 1000)', signal: 'SIGTERM' },
    { how: 'interrupted from the keyboard', last: 'setInterval(() => {}, 1000)', signal: 'SIGINT' },
    { how: 'leaving by process.exit', last: 'process.exit(1)', signal: undefined },
    { how: 'having nothing left to do', last: '', signal: undefined },
  ] as const;

  it.each(endings)('$how: nothing is left behind', async ({ last, signal }) => {
    const owner = spawn(process.execPath, ['--input-type=module', '--eval', ownerScript(last)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise((resolve) => void owner.once('exit', resolve));
    let output = '';
    owner.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [, pid, folder = ''] = await vi.waitUntil(() => /^(\d+) (.+)\n/.exec(output), { timeout: 20_000 });
    if (signal !== undefined) owner.kill(signal);
    await ended;
    await vi.waitUntil(() => !isRunning(Number(pid)) && !existsSync(folder), { timeout: 10_000 });
    expect(output).toBe(`${pid} ${folder}\n`);
  });

  function ownerScript(last: string): string {
    return `
      import { chmodSync } from 'node:fs';
      import { openDaemons } from ${JSON.stringify(join(import.meta.dirname, 'daemons.ts'))};
      const daemons = openDaemons('daemons-test');
      const path = daemons.writeFile('program', '#!/bin/sh\\nexec sleep 300\\n');
      chmodSync(path, 0o700);
      const { pid } = daemons.start({ name: 'program', path, flags: {} });
      console.log(pid + ' ' + daemons.folder);
      ${last}`;
  }
});

describe('start', () => {
  it('hands over flags and keeps the output in the log', async () => {
    const daemons = open();
    const path = daemons.writeFile('program', '#!/bin/sh\necho "$@"\n');
    chmodSync(path, 0o700);
    const program = daemons.start({ name: 'echo', path, flags: { one: 'a b', two: '' } });
    await vi.waitUntil(() => program.ended() !== undefined, { timeout: 10_000 });
    expect(program.ended()).toBe('exit code 0');
    expect(program.log).toBe(join(daemons.logs, 'echo.log'));
    expect(readFileSync(program.log, 'utf8')).toBe('--one=a b --two=\n');
  });

  it('names a program that cannot be executed', () => {
    expect(() => open().start({ name: 'ghost', path: '/nowhere/ghost', flags: {} })).toThrow(
      'ghost does not start: cannot execute /nowhere/ghost',
    );
  });
});

describe('waitUntilReady', () => {
  it('resolves when the program is ready, having looked again after "no" and after an error', async () => {
    const program = startScript(open(), 'exec sleep 300');
    const isReady = vi
      .fn<() => Promise<boolean>>()
      .mockRejectedValueOnce(new Error('connection refused'))
      .mockResolvedValueOnce(false)
      .mockResolvedValueOnce(true);
    await waitUntilReady(program, isReady, 10_000);
    expect(isReady).toHaveBeenCalledTimes(3);
  });

  it('rejects with the end of the log when the program ends first', async () => {
    const program = startScript(open(), 'seq 1 100; echo "flag is wrong" >&2; exit 3');
    const error: unknown = await waitUntilReady(program, async () => false, 10_000).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(StartError);
    expect(String(error)).toMatch(/^StartError: program ended before it was ready \(exit code 3\)\./);
    expect(String(error)).toMatch(/\n99\n100\nflag is wrong$/);
    expect(String(error)).not.toContain('\n80\n');
  });

  it('rejects when the program has ended although something answers in its place', async () => {
    const program = startScript(open(), 'echo "address already in use"; exit 1');
    await vi.waitUntil(() => program.ended() !== undefined, { timeout: 10_000 });
    await expect(waitUntilReady(program, async () => true, 10_000)).rejects.toMatchObject({
      logTail: 'address already in use',
    });
  });

  it('rejects with the last error as its cause when the time is over', async () => {
    const program = startScript(open(), 'echo starting; exec sleep 300');
    const isReady = () => Promise.reject(new Error('connection refused'));
    await expect(waitUntilReady(program, isReady, 100)).rejects.toMatchObject({
      message: 'program was not ready after 0.1 s. The end of its log:\nstarting',
      cause: { message: 'connection refused' },
    });
  });
});
