// A cluster that is connected to at its first request, and once more when its credentials are refused or it cannot be reached.
import { ClusterError, isRetryable } from '../errors.ts';
import { type KubeCluster, kubeCluster } from '../kube/cluster.ts';
import type { KubeConnection } from '../kube/connection.ts';
import type { RequestCounts } from '../model/plan.ts';
import type { Clock } from '../ports.ts';
import type { AccessCache, Line } from './cache.ts';
import type { Cause, ClusterName, Reach } from './reach.ts';

export interface RenewingOptions {
  readonly name: ClusterName;
  readonly reach: Reach;
  readonly cache: AccessCache;
  readonly clock: Clock;
  /** Look everything up anew first, whatever is remembered. */
  readonly fresh: boolean;
}

/** A line with the requests that others had sent through it before. */
interface Held {
  readonly line: Line;
  readonly before: RequestCounts;
}

/** What one request was tried with. */
interface Tried {
  readonly connection: KubeConnection;
  readonly cluster: KubeCluster;
}

/**
 * What is wrong with the access shows as a ClusterError of the first request, and of every later one: it is asked for once.
 *
 * After a 401 the request is sent again when there are other credentials now: the server has done nothing. After no answer a read is
 * sent again when the server is elsewhere or another authority is to be trusted; a write may have been carried out, so it is left to
 * its sender. Each is found out once in the life of this object.
 */
export function renewingCluster({ name, reach, cache, clock, fresh }: RenewingOptions): KubeCluster {
  const held: Held[] = [];
  const renewals = new Map<Cause, Promise<void>>();
  let broken: unknown; // what the first attempt to connect threw
  let isClosed = false;

  const lineFor = (connection: KubeConnection): Line => {
    if (isClosed) throw closed(name);
    const place = placeOf(connection);
    const present = held.at(-1)?.line;
    if (present?.place === place) return present;
    const line = cache.take(place) ?? newLine(connection, place, clock);
    held.push({ line, before: line.cluster.requests() });
    return line;
  };

  const renew = (cause: Cause): Promise<void> => {
    const renewal = renewals.get(cause) ?? reach.renew(cause);
    renewals.set(cause, renewal);
    return renewal;
  };

  const connect = async (): Promise<Tried> => {
    if (fresh) await renew('asked');
    const connection = await reach.connection();
    const line = lineFor(connection);
    line.credentials = connection.credentials;
    return { connection, cluster: line.cluster };
  };

  const connected = async (): Promise<Tried> => {
    if (broken !== undefined) throw broken;
    try {
      return await connect();
    } catch (error) {
      const named = withName(error, name);
      if (held.length === 0) broken = named;
      throw named;
    }
  };

  /** Where to send a request again that failed; undefined: nowhere. */
  const elsewhere = async (failed: unknown, { connection }: Tried, isRead: boolean) => {
    const cause = causeOf(failed);
    if (cause === undefined) return undefined;
    try {
      await renew(cause);
    } catch (error) {
      if (isRetryable(error)) return undefined; // AWS is away as well: the first failure says more
      throw withName(error, name);
    }
    const next = await connected();
    return next.connection === connection || (cause === 'unreachable' && !isRead) ? undefined : next;
  };

  const send = async <T>(isRead: boolean, request: (cluster: KubeCluster) => Promise<T>): Promise<T> => {
    const tried = await connected();
    try {
      return await request(tried.cluster);
    } catch (error) {
      const next = await elsewhere(error, tried, isRead);
      if (next === undefined) throw error;
      return request(next.cluster);
    }
  };

  return {
    list: (kind, query) => send(true, (cluster) => cluster.list(kind, query)),
    get: (kind, namespace, object) => send(true, (cluster) => cluster.get(kind, namespace, object)),
    create: (kind, namespace, body) => send(false, (cluster) => cluster.create(kind, namespace, body)),
    patch: (kind, namespace, object, body) =>
      send(false, (cluster) => cluster.patch(kind, namespace, object, body)),
    delete: (kind, namespace, object, preconditions) =>
      send(false, (cluster) => cluster.delete(kind, namespace, object, preconditions)),
    now: () => held.at(-1)?.line.cluster.now() ?? clock.now(),
    requests: () => held.map(sentSince).reduce(sum, NONE),
    async close() {
      isClosed = true;
      const last = held.pop();
      const left = held.splice(0).map(({ line }) => line.cluster.close()); // to places where the cluster is no more
      await Promise.all([...left, last && cache.giveBack(last.line)]);
    },
  };
}

const closed = (name: ClusterName): ClusterError =>
  new ClusterError('the connection is closed', { kind: 'unreachable', request: `${name}: access` });

const NONE: RequestCounts = { reads: 0, writes: 0, leases: 0, bytes: 0 };

const combined = (combine: (a: number, b: number) => number) => (a: RequestCounts, b: RequestCounts) => ({
  reads: combine(a.reads, b.reads),
  writes: combine(a.writes, b.writes),
  leases: combine(a.leases, b.leases),
  bytes: combine(a.bytes, b.bytes),
});
const sum = combined((a, b) => a + b);
const difference = combined((a, b) => a - b);

const sentSince = ({ line, before }: Held): RequestCounts => difference(line.cluster.requests(), before);

/** Everything of a connection that its sockets are made of. */
const placeOf = ({ credentials: _, ...place }: KubeConnection): string => JSON.stringify(place);

function newLine(connection: KubeConnection, place: string, clock: Clock): Line {
  const line: Line = {
    place,
    credentials: connection.credentials,
    cluster: kubeCluster({ ...connection, credentials: () => line.credentials() }, { clock }),
  };
  return line;
}

function causeOf(error: unknown): Cause | undefined {
  if (!(error instanceof ClusterError)) return undefined;
  if (error.status === 401) return 'refused';
  return error.kind === 'unreachable' ? 'unreachable' : undefined;
}

/** Says which of the two clusters it is about. */
function withName(error: unknown, name: ClusterName): unknown {
  if (!(error instanceof ClusterError) || error.request.startsWith(`${name}: `)) return error;
  const { message, kind, request, status } = error;
  return new ClusterError(message, {
    kind,
    request: `${name}: ${request}`,
    ...(status !== undefined && { status }),
  });
}
