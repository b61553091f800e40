// The few things that every HTTP server of the sandbox does.
import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';

export interface Listening {
  readonly port: number;
  /** `127.0.0.1:PORT` */
  readonly address: string;
  /** Ends every connection; resolves when the port is free. */
  readonly close: () => Promise<void>;
}

/** On loopback only. @param port 0 for a free one @throws Error with code EADDRINUSE and the port */
export async function listening(server: Server, port: number): Promise<Listening> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  return {
    port: address.port,
    address: `127.0.0.1:${address.port}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

export async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
