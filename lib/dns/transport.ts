// Carries one packet to one server and its reply back, over UDP or TCP, with a socket of its own each time.
import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import { frame, splitFrames } from './framing.ts';
import type { DnsServer } from './servers.ts';

export interface Exchange<T> {
  readonly server: DnsServer;
  readonly query: Buffer;
  /** what a packet amounts to; undefined: it is not meant for us, go on waiting */
  readonly read: (packet: Buffer) => T | undefined;
  /** ends the exchange and frees its socket */
  readonly signal: AbortSignal;
}

/**
 * Sends a datagram from a fresh port and waits for one that can be read. The socket is connected, so the kernel drops what
 * comes from anybody but this server. Rejects on a socket error or the signal.
 */
export async function overUdp<T>({ server, query, read, signal }: Exchange<T>): Promise<T> {
  const socket = createSocket(server.family === 6 ? 'udp6' : 'udp4');
  try {
    return await new Promise<T>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(abortError()), { once: true });
      socket.on('error', reject);
      socket.on('message', (packet) => {
        const result = read(packet);
        if (result !== undefined) resolve(result);
      });
      socket.on('connect', () => socket.send(query));
      socket.connect(server.port, server.host);
    });
  } finally {
    socket.close();
  }
}

/** The same over a new TCP connection, where packets come in frames. */
export async function overTcp<T>({ server, query, read, signal }: Exchange<T>): Promise<T> {
  const socket = connect({ host: server.host, port: server.port });
  try {
    return await new Promise<T>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(abortError()), { once: true });
      socket.on('error', reject);
      socket.on('close', () => reject(new Error('closed without a reply')));
      let received: Buffer = Buffer.alloc(0);
      socket.on('data', (chunk: Buffer) => {
        const { packets, rest } = splitFrames(Buffer.concat([received, chunk]));
        received = rest;
        const result = packets.map(read).find((item) => item !== undefined);
        if (result !== undefined) resolve(result);
      });
      socket.write(frame(query));
    });
  } finally {
    socket.destroy();
  }
}

function abortError(): Error {
  return new Error('the time is over');
}
