// The sockets to one cluster: one pool for all its requests, made anew only when the client certificate changes.
import { Agent, type Dispatcher, ProxyAgent, Socks5ProxyAgent } from 'undici';
import { type ClientCertificate, type KubeConnection, TIMEOUTS } from './connection.ts';

/** One HTTP/2 connection where the server offers it, else at most this many HTTP/1.1 connections: more make writes slower. */
const MOST_CONNECTIONS = 8;

/** Below the 90 s after which an API server closes an idle connection (k8s.io/apiserver, secure_serving.go), and below load balancers'. */
const IDLE_MS = 30_000;

export interface Sockets {
  /** The pool to send a request through. */
  pool(certificate: ClientCertificate | undefined): Dispatcher;
  /** Aborts what is under way and frees every socket; a later request fails. */
  close(): Promise<void>;
}

export function openSockets(connection: KubeConnection): Sockets {
  let present: { readonly certificate: ClientCertificate | undefined; readonly pool: Dispatcher } | undefined;
  const retired = new Set<Dispatcher>();
  let isClosed = false;
  const renew = (certificate: ClientCertificate | undefined): Dispatcher => {
    if (present !== undefined) retire(present.pool, retired);
    present = { certificate, pool: newPool(connection, certificate) };
    return present.pool;
  };
  return {
    pool(certificate) {
      if (isClosed) throw new Error(`the connection to the ${connection.name} cluster is closed`);
      return present !== undefined && isSame(present.certificate, certificate)
        ? present.pool
        : renew(certificate);
    },
    async close() {
      isClosed = true;
      const pools = present === undefined ? retired : [present.pool, ...retired];
      await Promise.all([...pools].map((pool) => pool.destroy()));
    },
  };
}

const isSame = (a: ClientCertificate | undefined, b: ClientCertificate | undefined): boolean =>
  a?.cert === b?.cert && a?.key === b?.key;

/** Lets the requests of a pool end; none is added. */
function retire(pool: Dispatcher, retired: Set<Dispatcher>): void {
  retired.add(pool);
  void pool.close().finally(() => retired.delete(pool));
}

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
