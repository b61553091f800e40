// A scripted server in place of the Kubernetes API: it records what reaches the wire and answers as told.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { createServer as createTlsServer } from 'node:https';
import { bearer, type KubeConnection, TIMEOUTS } from '../../lib/kube/connection.ts';
import { kubeCluster, type KubeCluster } from '../../lib/kube/cluster.ts';
import type { Clock } from '../../lib/ports.ts';
import { testClock } from '../support/clock.ts';
import type { Certificate } from '../../sandbox/certificate.ts';

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string; // byte for byte
  readonly connection: number; // 1 is the first that was opened
  readonly protocol: string; // '1.1' or '2.0'
}

export interface Reply {
  readonly status?: number; // default 200
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | object | Buffer;
  /** cut: the connection closes before the answer; half: in the middle of it; hang: there is none; stall: its body never ends */
  readonly fault?: 'cut' | 'half' | 'hang' | 'stall';
}

export type Script = (request: Seen, index: number) => Reply | Promise<Reply>;

export interface Stub {
  readonly url: string;
  readonly seen: readonly Seen[];
  connections(): number;
  /** Connections that are open now. */
  open(): number;
  close(): Promise<void>;
}

interface StubOptions {
  /** http (default), or TLS with HTTP/1.1 alone, or TLS that offers HTTP/2 as API servers do */
  readonly protocol?: 'http' | 'https' | 'h2';
  readonly certificate?: Certificate;
  readonly clientAuthority?: string; // PEM: asks for a client certificate
}

type Incoming = IncomingMessage | Http2ServerRequest;
type Outgoing = ServerResponse | Http2ServerResponse;

export async function startStub(script: Script, options: StubOptions = {}): Promise<Stub> {
  const { protocol = 'http' } = options;
  const seen: Seen[] = [];
  const sockets = new Map<number, { readonly socket: Socket; readonly serial: number }>(); // by the client's port
  let opened = 0;
  const handle = async (incoming: Incoming, outgoing: Outgoing): Promise<void> => {
    const connection = sockets.get(incoming.socket.remotePort ?? 0);
    if (connection === undefined) throw new Error('a request without a connection');
    const request = await record(incoming, connection.serial);
    seen.push(request);
    answer(await script(request, seen.length - 1), outgoing, connection.socket);
  };
  const server = newServer(options, (incoming, outgoing) => void handle(incoming, outgoing));
  server.on(protocol === 'http' ? 'connection' : 'secureConnection', (socket: Socket) => {
    const port = socket.remotePort ?? 0;
    opened += 1;
    sockets.set(port, { socket, serial: opened });
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(port));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `${protocol === 'http' ? 'http' : 'https'}://127.0.0.1:${port}`,
    seen,
    connections: () => opened,
    open: () => sockets.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const { socket } of sockets.values()) socket.destroy();
      }),
  };
}

type Handler = (incoming: Incoming, outgoing: Outgoing) => void;

function newServer({ protocol = 'http', certificate, clientAuthority }: StubOptions, handler: Handler) {
  if (protocol === 'http') return createServer(handler);
  const client = clientAuthority === undefined ? {} : { ca: clientAuthority, requestCert: true };
  const tls = { ...certificate, ...client };
  return protocol === 'https'
    ? createTlsServer(tls, handler)
    : createSecureServer({ ...tls, allowHTTP1: true }, handler);
}

async function record(incoming: Incoming, connection: number): Promise<Seen> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://stub');
  return {
    method: incoming.method ?? '',
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: incoming.headers,
    body: Buffer.concat(chunks).toString(),
    connection,
    protocol: incoming.httpVersion,
  };
}

function answer(
  { status = 200, headers = {}, body = '', fault }: Reply,
  outgoing: Outgoing,
  socket: Socket,
): void {
  if (fault === 'hang') return;
  if (fault === 'cut') {
    socket.destroy();
    return;
  }
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  outgoing.statusCode = status;
  outgoing.setHeader('content-type', 'application/json');
  outgoing.setHeader('content-length', bytes.byteLength);
  for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value);
  if (fault === undefined) {
    outgoing.end(bytes);
    return;
  }
  const started: Writable = outgoing;
  started.write(bytes.subarray(0, bytes.byteLength / 2));
  if (fault === 'half') setImmediate(() => socket.end());
}

export interface ClientOptions extends Partial<KubeConnection> {
  readonly clock?: Clock;
  readonly pageSize?: number;
}

/** The adapter in front of a stub, with a token; limits are short so that what hangs fails soon. */
export function clusterAt(
  stub: Stub,
  { clock = testClock(), pageSize, ...connection }: ClientOptions = {},
): KubeCluster {
  const defaults = {
    name: 'source',
    server: stub.url,
    credentials: bearer(() => Promise.resolve('a-token')),
  } as const;
  return kubeCluster(
    { ...defaults, timeouts: TIMEOUTS, ...connection },
    { clock, ...(pageSize !== undefined && { pageSize }) },
  );
}

/** A script of one reply after the other; the last one stays. */
export const inTurn =
  (...replies: readonly Reply[]): Script =>
  (_, index) =>
    replies[Math.min(index, replies.length - 1)] ?? {};

/** What an API server says when it declines. */
export const statusBody = (fields: object): object => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  ...fields,
});

export const aService = (name: string): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace: 'shop', name, uid: `uid-${name}`, resourceVersion: '1' },
  spec: { ports: [{ port: 80 }] },
});

export const aList = (items: readonly object[], next = ''): object => ({
  kind: 'ServiceList',
  apiVersion: 'v1',
  metadata: { resourceVersion: '7', ...(next !== '' && { continue: next }) },
  items,
});
