// The HTTP side: reads requests, writes answers, applies faults, keeps the log.
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Core } from '../core.ts';
import { StatusError, internalError } from '../status.ts';
import { authenticate } from './auth.ts';
import type { Authentication, Authorize } from './auth.ts';
import type { ActiveFaults } from './faults.ts';
import { handle } from './handle.ts';
import type { Answer, Request } from './request.ts';
import type { WritableRequestLog } from './requests.ts';
import { faultAnswer, send, setHeaders, statusAnswer } from './send.ts';

export interface ListenOptions extends Authentication {
  readonly core: Core;
  /** 0 for a free one. */
  readonly port: number;
  readonly tls: { readonly key: string; readonly cert: string } | undefined;
  readonly authorize: Authorize | undefined;
  readonly faults: ActiveFaults;
  readonly requests: WritableRequestLog;
}

/** Bodies above this are refused, as a real API server does. Bytes. */
const LARGEST_BODY = 3 * 1024 * 1024;
const LOOPBACK = '127.0.0.1';
/** Idle connections are kept as long as a real API server keeps them. Milliseconds. */
const IDLE_TIMEOUT = 90_000;

/** Resolves when the server listens. */
export async function listen(
  options: ListenOptions,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    void serve(options, request, response).catch(() => request.socket.destroy());
  };
  const server =
    options.tls === undefined ? createServer(onRequest) : createSecureServer(options.tls, onRequest);
  server.keepAliveTimeout = IDLE_TIMEOUT;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port, LOOPBACK, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  return { port: address.port, close: () => close(server) };
}

const close = (server: Pick<Server, 'close' | 'closeAllConnections'>): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

async function serve(
  options: ListenOptions,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { core, faults, requests } = options;
  const method = incoming.method ?? 'GET';
  const url = new URL(incoming.url ?? '/', 'http://localhost');
  const log = requests.open(method, url);
  const body = await readBody(incoming);
  log.sent = Buffer.byteLength(body ?? '');
  const { pathname: path, searchParams: query } = url;
  const action = await faults.strike({ method, path, query, headers: incoming.headers, body: body ?? '' });
  if (action === 'hang') return;
  if (action === 'dropBefore') {
    incoming.socket.destroy();
    return;
  }
  const warnings: string[] = [];
  const answer =
    typeof action === 'object' ? faultAnswer(action) : answerTo(options, { incoming, url, body, warnings });
  if (action === 'dropAfter') {
    incoming.socket.destroy();
    return;
  }
  setHeaders(response, core.clock.now(), warnings);
  const count = (bytes: number): void => {
    log.bytes += bytes;
  };
  log.status = answer.kind === 'watch' ? 200 : answer.code;
  const gzip = /\bgzip\b/.test(incoming.headers['accept-encoding']?.toString() ?? '');
  await send(response, answer, { count, cut: action === 'truncateList', gzip });
}

/** undefined when it is too large. */
async function readBody(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= LARGEST_BODY) chunks.push(chunk);
  }
  return size > LARGEST_BODY ? undefined : Buffer.concat(chunks).toString();
}

interface Incoming {
  readonly incoming: IncomingMessage;
  readonly url: URL;
  readonly body: string | undefined;
  readonly warnings: string[];
}

function answerTo(options: ListenOptions, { incoming, url, body, warnings }: Incoming): Answer {
  const { core, authorize } = options;
  try {
    const { headers, method = 'GET' } = incoming;
    const user = authenticate(headers.authorization, options);
    if (body === undefined) {
      throw new StatusError(
        413,
        'RequestEntityTooLarge',
        `Request entity too large: limit is ${LARGEST_BODY}`,
      );
    }
    const request: Request = {
      method,
      path: url.pathname,
      query: url.searchParams,
      user,
      contentType: headers['content-type'] ?? '',
      accept: headers.accept,
      userAgent: headers['user-agent'] ?? '',
      body,
      warn: (message) => {
        if (!warnings.includes(message)) warnings.push(message);
      },
    };
    return handle(core, request, authorize);
  } catch (error) {
    return statusAnswer(error instanceof StatusError ? error.status : internalError(String(error)).status);
  }
}
