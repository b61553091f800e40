// A server between the product and an API server, embedded or real: what can happen to requests and answers on their way.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Agent, request as send } from 'undici';
import type { ServerAccess } from './api.ts';

export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
}

/**
 * - an answer: this one instead of the server's, which never hears of the request
 * - refused: the connection ends, the server never hears of the request
 * - cut: the server's answer ends halfway
 * - lost: the server carries the request out, then the connection ends without an answer
 */
export type WireAction =
  | { readonly status: number; readonly body: object | string; readonly headers?: Record<string, string> }
  | 'refused'
  | 'cut'
  | 'lost';

export interface WireFault {
  readonly on: (request: WireRequest) => boolean;
  readonly times?: number; // default: always
  readonly action: WireAction;
}

export interface Wire {
  /** Where the product connects to; plain http. */
  readonly url: string;
  /** Every request that arrived, as `METHOD path?query`. */
  readonly requests: string[];
  add(fault: WireFault): void;
  clear(): void;
  close(): Promise<void>;
}

/** Requests of this method for a path that ends so: `at('POST', '/services')`. */
export const at =
  (method: string, ending: string) =>
  (request: WireRequest): boolean =>
    request.method === method && request.path.endsWith(ending);

/** What an API server says in a Status object. */
export const statusAnswer = (code: number, reason: string, message: string): WireAction => ({
  status: code,
  body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code },
});

/** Loopback only; stands until it is closed. */
export const openWire = async ({ url, caData }: ServerAccess): Promise<Wire> => {
  const dispatcher = new Agent(caData === undefined ? {} : { connect: { ca: caData } });
  const requests: string[] = [];
  let rows: { fault: WireFault; left: number }[] = [];

  const actionFor = (wireRequest: WireRequest): WireAction | undefined => {
    const row = rows.find(({ fault, left }) => left > 0 && fault.on(wireRequest));
    if (row === undefined) return undefined;
    row.left -= 1;
    return row.fault.action;
  };

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(incoming.url ?? '/', url);
    const method = incoming.method ?? 'GET';
    requests.push(`${method} ${incoming.url ?? ''}`);
    const action = actionFor({ method, path: pathname, query: searchParams });
    const body = await buffer(incoming);
    if (action === 'refused') {
      response.destroy();
      return;
    }
    if (typeof action === 'object') {
      answerWith(response, action);
      return;
    }
    const answer = await send(`${url}${incoming.url ?? ''}`, {
      method,
      dispatcher,
      headers: forwarded(incoming),
      ...(body.length > 0 ? { body } : {}),
    });
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    if (action === 'lost') {
      response.destroy();
      return;
    }
    const { connection: _, 'transfer-encoding': __, ...headers } = answer.headers;
    response.writeHead(answer.statusCode, { ...headers, 'content-length': bytes.length });
    if (action === 'cut') response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
    else response.end(bytes);
  };

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy()); // the server itself did not answer
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    requests,
    add: (fault) => rows.push({ fault, left: fault.times ?? Infinity }),
    clear: () => {
      rows = [];
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await dispatcher.close();
    },
  };
};

const portOf = (server: Server): number => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the wire does not listen on a port');
  return address.port;
};

const forwarded = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      ['host', 'connection', 'content-length', 'transfer-encoding'].includes(name) ||
      typeof value !== 'string'
        ? []
        : [[name, value]],
    ),
  );

const answerWith = (response: ServerResponse, action: Exclude<WireAction, string>): void => {
  const { status, body, headers = {} } = action;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
};
