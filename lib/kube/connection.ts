// How one cluster is reached: its address, whom to trust there, and how requests prove who sends them.
import type { StringMap } from '../model/objects.ts';

export interface ClientCertificate {
  readonly cert: string; // PEM
  readonly key: string; // PEM
}

/** What one request is sent with to prove who sends it. */
export interface Credentials {
  readonly headers: StringMap; // `Authorization: Bearer …` and the like
  readonly clientCertificate?: ClientCertificate;
}

/** Limits in ms. `write` and `read` hold for one request as a whole, its credentials included, the others for a part of it. */
export interface Timeouts {
  readonly connect: number;
  readonly headers: number; // until the answer begins
  readonly body: number; // between two pieces of the answer
  readonly write: number;
  readonly read: number; // one page of a list
}

export const TIMEOUTS: Timeouts = {
  connect: 10_000,
  headers: 15_000,
  body: 30_000,
  write: 15_000,
  read: 55_000,
};

export interface KubeConnection {
  /** Names the cluster in messages. */
  readonly name: 'source' | 'target';
  /** URL of the API server, `https://…`; `http://` for servers on this computer. A path prefix is kept. */
  readonly server: string;
  /** PEM of the only authorities to trust; absent: those of the system. */
  readonly caData?: string;
  /** Asked before every request, so it keeps what it can reuse. Its error means that nothing was sent. */
  readonly credentials: () => Promise<Credentials>;
  /** The name that the server's certificate must hold, where it is not the host of `server`. */
  readonly tlsServerName?: string;
  /** Accept any certificate of the server. Only ever set from a file that the operator named. */
  readonly skipVerification?: boolean;
  /** `http://`, `https://` or `socks5://` */
  readonly proxyUrl?: string;
  /** Absent: TIMEOUTS. */
  readonly timeouts?: Timeouts;
}

/** Credentials of a bearer token, from a function that refreshes it in time. */
export const bearer =
  (token: () => Promise<string>): KubeConnection['credentials'] =>
  async () => ({ headers: { Authorization: `Bearer ${(await token()).trim()}` } });

/** Credentials that never change. */
export const fixed =
  (credentials: Credentials): KubeConnection['credentials'] =>
  () =>
    Promise.resolve(credentials);
