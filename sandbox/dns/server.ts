// A DNS server whose zone is changed while it runs, with every kind of trouble on demand. Loopback only.
import { createSocket } from 'node:dgram';
import type { Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Server as TcpServer, Socket } from 'node:net';
import { frame, splitFrames } from '../../lib/dns/framing.ts';
import { parseQuery, respond } from './replies.ts';
import type { Response, Transport } from './replies.ts';
import type { NameRule } from './rules.ts';
import { openZone } from './zone.ts';

export type { NameRule } from './rules.ts';

export interface DnsServerOptions {
  readonly port?: number; // default: a free one
  readonly host?: '127.0.0.1' | '::1';
  readonly tcp?: boolean; // false: nothing listens on TCP
  readonly now?: () => number; // ms; of the query log and of cached copies
  /** Answer from copies, as a recursor does from its cache: see copies.ts. */
  readonly cached?: boolean;
}

export interface LoggedQuery {
  readonly time: number; // ms
  readonly name: string; // as asked
  readonly type: string;
  readonly transport: Transport;
  readonly edns: boolean;
  readonly id: number;
  readonly port: number; // the asker's
}

export interface DnsServer {
  /** `127.0.0.1:PORT` or `[::1]:PORT`, UDP and TCP */
  readonly address: string;
  readonly port: number;
  /** Every query received so far, in order. */
  readonly queries: readonly LoggedQuery[];
  /** Replaces the rule of a name, for one type of question or for all. The name `*` stands for names without a rule. */
  set(name: string, rule: NameRule, type?: 'A' | 'AAAA'): void;
  /** The name does not exist any more. */
  remove(name: string): void;
  /** Ends every connection; resolves when the port is free. May be called again. */
  close(): Promise<void>;
}

type Answering = (packet: Buffer, from: { readonly transport: Transport; readonly port: number }) => Response;

const PORT_ATTEMPTS = 50;

/** Names without a rule do not exist: NXDOMAIN without an SOA, until `*` says otherwise. Rejects when the port is taken. */
export async function startDnsServer(options: DnsServerOptions = {}): Promise<DnsServer> {
  const { host = '127.0.0.1', now = Date.now, cached = false } = options;
  const zone = openZone({ now, cached });
  const queries: LoggedQuery[] = [];
  const answer: Answering = (packet, { transport, port }) => {
    const query = parseQuery(packet);
    if (!query) return { packets: [], delayMs: 0 };
    const { id, question, payload } = query;
    const asked = { name: question.name, type: question.type, id, edns: payload !== undefined };
    queries.push({ time: now(), ...asked, transport, port });
    return respond(query, transport, zone);
  };
  const sockets = await listen(host, options, answer);
  let closing: Promise<void> | undefined;
  return {
    address: host === '::1' ? `[::1]:${sockets.port}` : `${host}:${sockets.port}`,
    port: sockets.port,
    queries,
    set: (name, rule, type) => zone.set(name, rule, type),
    remove: (name) => zone.remove(name),
    close: () => (closing ??= sockets.close()),
  };
}

interface Sockets {
  readonly port: number;
  close(): Promise<void>;
}

/** UDP and TCP on one port; where the system chose it for one of them, the other may find it taken. */
async function listen(
  host: '127.0.0.1' | '::1',
  { port = 0, tcp = true }: DnsServerOptions,
  answer: Answering,
): Promise<Sockets> {
  for (let attempt = 1; ; attempt += 1) {
    const udp = await openUdp(host, port, answer);
    const chosen = udp.address().port;
    try {
      const stream = tcp ? await openTcp(host, chosen, answer) : undefined;
      return { port: chosen, close: () => closeBoth(udp, stream) };
    } catch (error) {
      udp.close();
      if (port !== 0 || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

interface Stream {
  readonly server: TcpServer;
  readonly connections: ReadonlySet<Socket>;
}

async function closeBoth(udp: UdpSocket, stream: Stream | undefined): Promise<void> {
  const closed = [once(udp, 'close'), ...(stream ? [once(stream.server, 'close')] : [])];
  udp.close();
  stream?.server.close();
  for (const connection of stream?.connections ?? []) connection.destroy();
  await Promise.all(closed);
}

async function openUdp(host: string, port: number, answer: Answering): Promise<UdpSocket> {
  const socket = createSocket(host === '::1' ? 'udp6' : 'udp4');
  let isOpen = true;
  socket.on('close', () => (isOpen = false));
  socket.on('message', (packet, from) => {
    const { packets, delayMs } = answer(packet, { transport: 'udp', port: from.port });
    after(delayMs, () => {
      if (isOpen) for (const reply of packets) socket.send(reply, from.port, from.address);
    });
  });
  socket.bind(port, host);
  await once(socket, 'listening');
  socket.on('error', () => {}); // an asker that is gone
  return socket;
}

async function openTcp(host: string, port: number, answer: Answering): Promise<Stream> {
  const connections = new Set<Socket>();
  const server = createServer((connection) => {
    connections.add(connection);
    connection.on('close', () => connections.delete(connection));
    connection.on('error', () => {}); // an asker that is gone
    serve(connection, answer);
  });
  server.listen(port, host);
  await once(server, 'listening');
  return { server, connections };
}

function serve(connection: Socket, answer: Answering): void {
  const port = connection.remotePort ?? 0;
  let received: Buffer = Buffer.alloc(0);
  connection.on('data', (chunk: Buffer) => {
    const { packets, rest } = splitFrames(Buffer.concat([received, chunk]));
    received = rest;
    for (const packet of packets) reply(connection, answer(packet, { transport: 'tcp', port }));
  });
}

function reply(connection: Socket, { packets, end, delayMs }: Response): void {
  after(delayMs, () => {
    for (const packet of packets) connection.write(frame(packet));
    if (end === 'reset') connection.resetAndDestroy();
    if (end === 'close') connection.end();
  });
}

function after(ms: number, action: () => void): void {
  if (ms === 0) action();
  else setTimeout(action, ms).unref();
}
