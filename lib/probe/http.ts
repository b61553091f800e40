// The prober port over plain HTTP: one GET on a connection of its own, of which only the status line is looked at.
import { request } from 'node:http';
import { isIPv6 } from 'node:net';
import type { Clock, Prober, ProbeResult, ProbeTarget } from '../ports.ts';
import { failureOf } from './failure.ts';
import { objectionTo } from './objection.ts';

/** What a gateway's answer may have before its body; the proxy's own has a few hundred bytes. */
const MOST_HEADER_BYTES = 16_384;

export interface Dialled {
  readonly host: string; // an address
  readonly port: number;
}

export interface HttpProberOptions {
  readonly clock: Clock;
  /** Where an address is dialled instead, for tests and the sandbox; undefined: it cannot be reached from here. */
  readonly connectTo?: (ip: string, port: number) => Dialled | undefined;
}

/** Probes never share a connection, and none outlives its probe. */
export const httpProber = ({ clock, connectTo = directly }: HttpProberOptions): Prober => ({
  async probe(target, mayDial) {
    const objection = objectionTo(target, mayDial);
    if (objection !== undefined) return { kind: 'unknown', why: objection };
    const dialled = connectTo(target.ip, target.port);
    if (dialled === undefined) return { kind: 'unknown', why: 'cannot be reached from here' };
    const startedAt = clock.now();
    try {
      const status = await statusWithin(clock, target, dialled);
      return status === undefined ? lateness(target) : judge(status, target, clock.now() - startedAt);
    } catch (error) {
      return failureOf(error);
    }
  },
});

const directly = (host: string, port: number): Dialled => ({ host, port });

const lateness = ({ timeoutMs }: ProbeTarget): ProbeResult => ({
  kind: 'failed',
  why: `no answer within ${timeoutMs / 1000} s`,
});

const judge = (status: number, { anyAnswer }: ProbeTarget, ms: number): ProbeResult =>
  anyAnswer || status === 200 ? { kind: 'alive', status, ms } : { kind: 'failed', why: `HTTP ${status}` };

/** undefined when the time is over. Either way the connection is gone in the end. */
const statusWithin = async (
  clock: Clock,
  target: ProbeTarget,
  dialled: Dialled,
): Promise<number | undefined> => {
  const done = new AbortController();
  // The sleep is aborted below when the answer was faster; that rejection has no reader.
  const late = clock.sleep(target.timeoutMs, done.signal).then(
    () => undefined,
    () => undefined,
  );
  try {
    return await Promise.race([statusOf(target, dialled, done.signal), late]);
  } finally {
    done.abort();
  }
};

const statusOf = ({ ip, port, path, host }: ProbeTarget, dialled: Dialled, signal: AbortSignal) =>
  new Promise<number>((resolve, reject) => {
    const asked = request({
      ...dialled,
      path,
      signal,
      agent: false,
      maxHeaderSize: MOST_HEADER_BYTES,
      headers: {
        host: host ?? `${isIPv6(ip) ? `[${ip}]` : ip}:${port}`,
        'user-agent': 'eks-service-mirror',
        connection: 'close',
      },
    });
    asked.on('error', reject); // stays: a connection that is cut afterwards has one more
    asked.on('response', ({ statusCode = 0 }) => {
      resolve(statusCode);
      asked.destroy(); // with it whatever body is on its way
    });
    asked.on('upgrade', ({ statusCode = 0 }, socket) => {
      resolve(statusCode);
      socket.destroy();
    });
    asked.end();
  });
