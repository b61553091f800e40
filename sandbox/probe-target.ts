// A gateway's probe port that behaves as it is told, with every kind of trouble on demand. Loopback only.
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';

/** A number is the status of a plain answer (3xx leads to another path of the same target); the others are troubles. */
export type TargetBehaviour =
  | number
  | 'silent' // takes the request and says nothing
  | 'slowHeaders' // a status line, then a header a moment, without end
  | 'endlessBody'
  | 'bigHeaders' // 200 with 15 KB of headers
  | 'hugeHeaders' // 200 with 17 KB of headers
  | 'upgrade' // changes to another protocol that nobody asked for
  | 'garbage' // what is no HTTP
  | 'hangUp'
  | 'refused'; // nobody listens

export interface ProbeRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>; // names in lower case
}

export interface ScriptedTarget {
  readonly host: '127.0.0.1' | '::1';
  readonly port: number;
  /** Every request so far, in order. */
  readonly requests: readonly ProbeRequest[];
  /** Connections that were taken so far, and those that are open now. */
  connections(): { readonly taken: number; readonly open: number };
  /** Resolves when it behaves so; what is under way when nobody is to listen any more is cut. */
  set(behaviour: TargetBehaviour): Promise<void>;
  /** Ends every connection; resolves when the port is free. May be called again. */
  close(): Promise<void>;
}

export interface ScriptedTargetOptions {
  readonly host?: '127.0.0.1' | '::1';
  readonly port?: number; // default: a free one
  readonly behaviour?: TargetBehaviour; // default: 200
}

const TRICKLE = 20; // ms between the headers of slowHeaders
const CHUNK = Buffer.alloc(65_536, 'x');
const KB = `x-long: ${'x'.repeat(1_014)}\r\n`; // one header of 1,024 bytes
const END = '\r\n\r\n';

/** Rejects when the port is taken. */
export const startProbeTarget = async (options: ScriptedTargetOptions = {}): Promise<ScriptedTarget> => {
  const { host = '127.0.0.1', port = 0, behaviour: first = 200 } = options;
  const requests: ProbeRequest[] = [];
  const sockets = new Set<Socket>();
  let behaviour = first;
  let taken = 0;
  const serve = (socket: Socket): void => {
    taken += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {}); // a prober that is gone
    onRequest(socket, (request) => {
      requests.push(request);
      behave(socket, behaviour);
    });
  };
  const door = openDoor(host, serve);
  const chosen = await door.open(port);
  const shut = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await door.shut();
  };
  if (first === 'refused') await shut();
  return {
    host,
    port: chosen,
    requests,
    connections: () => ({ taken, open: sockets.size }),
    async set(next) {
      behaviour = next;
      if (next === 'refused') await shut();
      else await door.open(chosen);
    },
    close: shut,
  };
};

/** Where probes of these addresses go; others cannot be reached. For the `connectTo` of a prober. */
export const dialling =
  (targets: ReadonlyMap<string, Pick<ScriptedTarget, 'host' | 'port'>>) =>
  (ip: string): { readonly host: string; readonly port: number } | undefined => {
    const target = targets.get(ip);
    return target === undefined ? undefined : { host: target.host, port: target.port };
  };

interface Door {
  /** Listens, unless it does so already; the port it got. */
  open(port: number): Promise<number>;
  shut(): Promise<void>;
}

const openDoor = (host: string, serve: (socket: Socket) => void): Door => {
  let server: Server | undefined;
  return {
    async open(port) {
      if (server !== undefined) return port;
      server = createServer(serve);
      server.listen(port, host);
      await once(server, 'listening');
      const address = server.address();
      return typeof address === 'object' && address !== null ? address.port : port;
    },
    async shut() {
      const closing = server;
      server = undefined;
      if (closing === undefined) return;
      closing.close();
      await once(closing, 'close');
    },
  };
};

/** Hands over the first request of a connection; probers send no other. */
const onRequest = (socket: Socket, take: (request: ProbeRequest) => void): void => {
  let received = '';
  socket.on('data', (chunk: Buffer) => {
    if (received.includes(END)) return;
    received += chunk.toString('latin1');
    if (received.includes(END)) take(parse(received));
  });
};

const parse = (text: string): ProbeRequest => {
  const [line = '', ...rows] = text.slice(0, text.indexOf(END)).split('\r\n');
  const [method = '', path = ''] = line.split(' ');
  const headers = rows.map((row) => {
    const [name = '', ...value] = row.split(':');
    return [name.toLowerCase(), value.join(':').trim()] as const;
  });
  return { method, path, headers: Object.fromEntries(headers) };
};

const behave = (socket: Socket, behaviour: TargetBehaviour): void => {
  if (typeof behaviour === 'number') {
    const location = behaviour >= 300 && behaviour < 400 ? 'location: /elsewhere\r\n' : '';
    socket.end(`HTTP/1.1 ${behaviour} As told\r\ncontent-length: 3\r\n${location}\r\nok\n`);
    return;
  }
  switch (behaviour) {
    case 'silent':
    case 'refused':
      return;
    case 'slowHeaders':
      trickle(socket);
      return;
    case 'endlessBody':
      socket.write(`HTTP/1.1 200 OK${END}`);
      pour(socket);
      return;
    case 'bigHeaders':
      socket.end(`HTTP/1.1 200 OK\r\n${KB.repeat(15)}\r\n`);
      return;
    case 'hugeHeaders':
      socket.end(`HTTP/1.1 200 OK\r\n${KB.repeat(17)}\r\n`);
      return;
    case 'upgrade':
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nupgrade: other\r\nconnection: upgrade${END}`);
      return;
    case 'garbage':
      socket.end('220 mail.example.test ESMTP\r\n');
      return;
    case 'hangUp':
      socket.end();
  }
};

const trickle = (socket: Socket): void => {
  socket.write('HTTP/1.1 200 OK\r\n');
  const timer = setInterval(() => socket.write('x-slow: 1\r\n'), TRICKLE);
  socket.on('close', () => clearInterval(timer));
};

/** Writes the same again and again, no faster than it is read, until the connection is gone. */
const pour = (socket: Socket): void => {
  const more = (): void => {
    while (!socket.destroyed && socket.write(CHUNK));
  };
  socket.on('drain', more);
  more();
};
