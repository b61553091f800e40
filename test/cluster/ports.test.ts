// Choosing ports when somebody else is faster.
import { createServer } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { StartError, openDaemons } from './daemons.ts';
import { withFreePorts } from './ports.ts';

/** The error of a program that ended with these words in its log. */
async function startErrorWith(logText: string): Promise<StartError> {
  const daemons = openDaemons('ports-test');
  const log = daemons.writeFile('program.log', logText);
  const error = new StartError({ name: 'program', pid: 1, log, ended: () => 'exit code 1' }, 'ended');
  await daemons.close();
  return error;
}

describe('withFreePorts', () => {
  it('hands out ports that can be listened on, each once', async () => {
    const first = await withFreePorts(3, async (ports) => ports);
    const second = await withFreePorts(3, async (ports) => ports);
    expect(new Set([...first, ...second]).size).toBe(6);
    await listenOnce(first[0] ?? 0);
  });

  it('tries other ports when one was taken after all', async () => {
    const taken = await startErrorWith('listen tcp 127.0.0.1:20001: bind: address already in use\n');
    const start = vi.fn<(ports: readonly number[]) => Promise<string>>();
    start.mockRejectedValueOnce(taken).mockResolvedValueOnce('started');
    expect(await withFreePorts(1, start)).toBe('started');
    const [[first] = [], [second] = []] = start.mock.calls;
    expect(first).not.toEqual(second);
  });

  it('gives up after three attempts', async () => {
    const taken = await startErrorWith('bind: address already in use');
    const start = vi.fn<() => Promise<void>>().mockRejectedValue(taken);
    await expect(withFreePorts(1, start)).rejects.toBe(taken);
    expect(start).toHaveBeenCalledTimes(3);
  });

  it('does not try again after any other error', async () => {
    const wrongFlag = await startErrorWith('unknown flag: --nonsense');
    const start = vi.fn<() => Promise<void>>().mockRejectedValue(wrongFlag);
    await expect(withFreePorts(1, start)).rejects.toBe(wrongFlag);
    expect(start).toHaveBeenCalledTimes(1);
  });
});

function listenOnce(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => server.close(() => resolve()));
  });
}
