// The sockets to one cluster: one pool for all its requests, made anew when the client certificate changes or answers stay away.
import { Agent, type Dispatcher, ProxyAgent, Socks5ProxyAgent } from 'undici';
import { errorCode } from './failures.ts';
import { type ClientCertificate, type KubeConnection, TIMEOUTS } from './connection.ts';

/** One HTTP/2 connection where the server offers it, else at most this many HTTP/1.1 connections: more make writes slower. */
const MOST_CONNECTIONS = 8;

/** Below the 90 s after which an API server closes an idle connection (k8s.io/apiserver, secure_serving.go), and below load balancers'. */
const IDLE_MS = 30_000;

/**
 * Codes of an answer that did not come in time. The connection may be dead without anybody having said so, and over HTTP/2 every
 * later request would go the same way.
 */
const SILENT: ReadonlySet<string> = new Set([
  'TimeoutError',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

export interface Sockets {
  /** From now on connections show this certificate. */
  prepare(certificate: ClientCertificate | undefined): void;
  /** Sends through the pool. When the answer stays away, what follows gets new connections. */
  through<T>(send: (pool: Dispatcher) => Promise<T>): Promise<T>;
  /** Aborts what is under way and frees every socket; a later request fails. */
  close(): Promise<void>;
}

class ClosedError extends Error {
  readonly code = 'CLOSED';
}

interface Pool {
  readonly dispatcher: Dispatcher;
  running: number; // requests
}

export function openSockets(connection: KubeConnection): Sockets {
  let certificate: ClientCertificate | undefined;
  let present: Pool | undefined;
  let isClosed = false;
  const pools = new Set<Pool>(); // the present one, and those whose last requests have not ended
  const open = (): Pool => {
    if (isClosed) throw new ClosedError(`the connection to the ${connection.name} cluster is closed`);
    present ??= { dispatcher: newPool(connection, certificate), running: 0 };
    pools.add(present);
    return present;
  };
  const sweep = (): void => {
    for (const pool of pools) {
      if (pool === present || pool.running > 0) continue;
      pools.delete(pool);
      void pool.dispatcher.destroy();
    }
  };
  return {
    prepare(wanted) {
      if (!isSame(certificate, wanted)) present = undefined;
      certificate = wanted;
      sweep();
    },
    async through(send) {
      const pool = open();
      pool.running += 1;
      try {
        return await send(pool.dispatcher);
      } catch (error) {
        if (SILENT.has(errorCode(error)) && pool === present) present = undefined;
        throw error;
      } finally {
        pool.running -= 1;
        sweep();
      }
    },
    async close() {
      isClosed = true;
      await Promise.all([...pools].map(({ dispatcher }) => dispatcher.destroy()));
    },
  };
}

const isSame = (a: ClientCertificate | undefined, b: ClientCertificate | undefined): boolean =>
  a?.cert === b?.cert && a?.key === b?.key;

function newPool(connection: KubeConnection, certificate: ClientCertificate | undefined): Dispatcher {
  const { caData, tlsServerName, skipVerification, proxyUrl, timeouts = TIMEOUTS } = connection;
  const tls = {
    ...(caData !== undefined && { ca: caData }),
    ...(certificate !== undefined && { cert: certificate.cert, key: certificate.key }),
    ...(tlsServerName !== undefined && { servername: tlsServerName }),
    rejectUnauthorized: skipVerification !== true,
  };
  const options = {
    connections: MOST_CONNECTIONS,
    allowH2: true,
    headersTimeout: timeouts.headers,
    bodyTimeout: timeouts.body,
    keepAliveTimeout: IDLE_MS,
    connectTimeout: timeouts.connect,
  };
  if (proxyUrl === undefined)
    return new Agent({ ...options, connect: { ...tls, timeout: timeouts.connect } });
  if (proxyUrl.startsWith('socks')) return new Socks5ProxyAgent(proxyUrl, { ...options, requestTls: tls });
  return new ProxyAgent({ ...options, uri: proxyUrl, requestTls: tls });
}
