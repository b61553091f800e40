// Free loopback ports for programs that cannot choose their own.
import { createServer } from 'node:net';
import { StartError } from './daemons.ts';

// Below the range that Linux, macOS and Windows hand out to outgoing connections, so that none of those takes a port in between.
const FIRST_PORT = 20_000;
const LAST_PORT = 29_999;
const ATTEMPTS = 3;

const handedOut = new Set<number>();

/**
 * Calls `start` with `count` ports of 127.0.0.1 that were free just now, again with others when a program found one of them
 * taken after all (another process may be choosing at the same moment).
 */
export async function withFreePorts<T>(
  count: number,
  start: (ports: readonly number[]) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(await freePorts(count));
    } catch (error) {
      if (attempt === ATTEMPTS || !isPortTaken(error)) throw error;
    }
  }
}

async function freePorts(count: number): Promise<readonly number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT + 1));
    if (handedOut.has(port) || !(await isFree(port))) continue;
    handedOut.add(port);
    ports.push(port);
  }
  return ports;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

function isPortTaken(error: unknown): boolean {
  return error instanceof StartError && error.logTail.includes('address already in use');
}
