// Clusters behind a proxy that the operator's kubeconfig names.
import { createServer, type Server } from 'node:http';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { selfSigned } from '../../sandbox/certificate.ts';
import { type Stub, aService, clusterAt, startStub } from './stub.ts';

const certificate = selfSigned();
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const listen = async (server: Server | ReturnType<typeof createTcpServer>): Promise<number> => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

/** Joins a client with the port that it asked for. */
const join = (client: Socket, port: number, ready: Buffer | string): void => {
  const upstream = connect(port, '127.0.0.1', () => {
    client.write(ready);
    client.pipe(upstream).pipe(client);
  });
  upstream.on('error', () => client.destroy());
  client.on('close', () => upstream.destroy());
};

let tunnels = 0;

const httpProxy = async (): Promise<string> => {
  const server = createServer();
  server.on('connect', ({ url = '' }, socket: Socket) => {
    tunnels += 1;
    join(socket, Number(url.split(':')[1]), 'HTTP/1.1 200 OK\r\n\r\n');
  });
  return `http://127.0.0.1:${await listen(server)}`;
};

/** SOCKS 5 (RFC 1928), without authentication, for IPv4 addresses. */
const socksProxy = async (): Promise<string> => {
  const server = createTcpServer((socket) => {
    socket.once('data', () => {
      socket.write(Buffer.from([5, 0]));
      socket.once('data', (request: Buffer) => {
        tunnels += 1;
        join(socket, request.readUInt16BE(request.length - 2), Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]));
      });
    });
  });
  return `socks5://127.0.0.1:${await listen(server)}`;
};

it.each([
  ['an HTTP proxy', httpProxy],
  ['a SOCKS 5 proxy', socksProxy],
])('requests go through %s, and TLS to the cluster itself', async (_, start) => {
  tunnels = 0;
  const stub: Stub = await startStub(() => ({ body: aService('web') }), { protocol: 'h2', certificate });
  closing.push(() => stub.close());
  const cluster = clusterAt(stub, { caData: certificate.cert, proxyUrl: await start() });
  closing.push(() => cluster.close());
  expect(await cluster.get('Service', 'shop', 'web')).toMatchObject({ meta: { name: 'web' } });
  expect(stub.seen[0]?.headers.authorization).toBe('Bearer a-token');
  expect(tunnels).toBe(1);

  const stranger = clusterAt(stub, { caData: selfSigned().cert, proxyUrl: await start() });
  closing.push(() => stranger.close());
  await expect(stranger.get('Service', 'shop', 'web')).rejects.toMatchObject({ kind: 'unreachable' });
  expect(stub.seen).toHaveLength(1);
});
