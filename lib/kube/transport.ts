// Sends requests that the generated client made, and reads whole answers: sockets, time limits, compression, counting.
import { gunzipSync } from 'node:zlib';
import type { RequestContext } from '@kubernetes/client-node/dist/gen/index.js';
import { type Dispatcher, request } from 'undici';
import { errorText } from '../errors.ts';
import { FIELD_MANAGER } from '../model/labels.ts';
import type { RequestCounts } from '../model/plan.ts';
import type { Clock } from '../ports.ts';
import type { Answer } from './answer.ts';
import { type Credentials, type KubeConnection, TIMEOUTS } from './connection.ts';
import { CredentialsError, errorCode } from './failures.ts';
import { openSockets } from './sockets.ts';

export interface Transport {
  /** Adds to a request what proves who sends it, and starts its time limit. */
  authorize(context: RequestContext): Promise<void>;
  /** The whole answer, whatever its status. Rejects with the network's error when there is none, or half of one. */
  send(context: RequestContext): Promise<Answer>;
  /** The server's clock in ms; the local one before its first answer. */
  now(): number;
  counts(): RequestCounts;
  close(): Promise<void>;
}

type Counts = { -readonly [K in keyof RequestCounts]: RequestCounts[K] };

export function openTransport(connection: KubeConnection, clock: Clock): Transport {
  const { timeouts = TIMEOUTS } = connection;
  const sockets = openSockets(connection);
  const counts: Counts = { reads: 0, writes: 0, leases: 0, bytes: 0 };
  let lead = 0; // ms by which the server's clock is ahead of ours
  const begin = (context: RequestContext, pool: Dispatcher): Promise<Dispatcher.ResponseData> => {
    count(counts, context);
    return request(context.getUrl(), { ...requestOptions(context), dispatcher: pool });
  };
  const answerTo = async (context: RequestContext, pool: Dispatcher): Promise<Answer> => {
    const response = await begin(context, pool).catch((error: unknown) => {
      if (isWorthAnother(context, error)) return begin(context, pool);
      throw error;
    });
    const { statusCode: status, headers } = response;
    lead = leadOf(headers['date'], clock.now()) ?? lead;
    const body = await response.body.bytes();
    counts.bytes += body.byteLength;
    return { status, headers, text: textOf(body, headers['content-encoding']) };
  };
  return {
    async authorize(context) {
      const limit = context.getHttpMethod() === 'GET' ? timeouts.read : timeouts.write;
      const signal = AbortSignal.timeout(limit);
      context.setSignal(signal);
      const { headers, clientCertificate } = await credentialsOf(connection, signal);
      for (const [name, value] of Object.entries(headers)) context.setHeaderParam(name, value);
      sockets.prepare(clientCertificate);
    },
    send: (context) => sockets.through((pool) => answerTo(context, pool)),
    now: () => clock.now() + lead,
    counts: () => ({ ...counts }),
    close: () => sockets.close(),
  };
}

async function credentialsOf(connection: KubeConnection, signal: AbortSignal): Promise<Credentials> {
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('they did not come in time')), { once: true });
  });
  try {
    return await Promise.race([connection.credentials(), late]);
  } catch (error) {
    throw new CredentialsError(`no credentials: ${errorText(error)}`);
  }
}

function requestOptions(context: RequestContext): Omit<Dispatcher.RequestOptions, 'path' | 'origin'> {
  const body = context.getBody();
  return {
    method: context.getHttpMethod(),
    headers: { ...context.getHeaders(), 'Accept-Encoding': 'gzip', 'User-Agent': FIELD_MANAGER },
    signal: context.getSignal() ?? null,
    ...(typeof body === 'string' && { body }),
  };
}

/** Codes of a connection that the server closed before it answered. */
const CLOSED_BY_PEER: ReadonlySet<string> = new Set([
  'UND_ERR_SOCKET',
  'ECONNRESET',
  'EPIPE',
  'ERR_HTTP2_STREAM_ERROR',
  'ERR_HTTP2_SESSION_ERROR',
  'ERR_HTTP2_GOAWAY_SESSION',
]);

/** An idle connection may be closed at the moment in which it is used. To read again is harmless; to write again is not. */
const isWorthAnother = (context: RequestContext, error: unknown): boolean =>
  context.getHttpMethod() === 'GET' && CLOSED_BY_PEER.has(errorCode(error));

function count(counts: Counts, context: RequestContext): void {
  if (context.getUrl().includes('/apis/coordination.k8s.io/')) counts.leases += 1;
  else if (context.getHttpMethod() === 'GET') counts.reads += 1;
  else counts.writes += 1;
}

/** ms by which a Date header (RFC 9110, whole seconds) is ahead of the local time; undefined when there is none. */
function leadOf(header: string | string[] | undefined, localTime: number): number | undefined {
  const date = typeof header === 'string' ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : date - localTime;
}

/** API servers compress answers from 128 KiB on when asked for gzip. At once is cheaper here than piecewise in other threads. */
function textOf(body: Uint8Array, encoding: string | string[] | undefined): string {
  const bytes =
    encoding === 'gzip' ? gunzipSync(body) : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return bytes.toString('utf8');
}
