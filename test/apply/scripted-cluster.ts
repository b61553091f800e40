// A source cluster that answers writes as a test wrote down, and remembers what it was asked.
import { ClusterError, type ClusterErrorDetails, type ClusterErrorKind } from '../../lib/errors.ts';
import { readObject } from '../../lib/kube/read/object.ts';
import type { Kind, Manifest, ObjectOf } from '../../lib/model/objects.ts';
import type { Clock, Cluster } from '../../lib/ports.ts';

export type Failure = Partial<Omit<ClusterErrorDetails, 'request'>> & { readonly kind: ClusterErrorKind };

/** What one request gets: the ordinary answer, an error of the cluster, or a fault of the program. */
export type Step = 'ok' | Failure | Error;

/** Steps by start of the request's text, used one after the other; then `ok` for ever. */
export type Script = Readonly<Record<string, readonly Step[]>>;

export interface ScriptedCluster extends Cluster {
  /** `VERB Kind namespace/name`, in the order in which they arrived. */
  readonly asked: readonly string[];
  /** What was sent with the request of the same position: a body, or preconditions. */
  readonly sent: readonly object[];
  /** Requests under way at the same time, at most. */
  mostAtOnce(): number;
}

export const failure = ({ kind, ...details }: Failure): ClusterError =>
  new ClusterError(`it was ${kind}`, { kind, request: 'source: a request', ...details });

const unused = (): Promise<never> => Promise.reject(new Error('nothing is read here'));

/**
 * What is written gets the UID `uid-of-<name>`. Every request takes one turn of the event loop.
 *
 * @param clusterIPs of Services, by name
 */
export const scriptedCluster = (
  clock: Clock,
  script: Script = {},
  clusterIPs: Readonly<Record<string, readonly string[]>> = {},
): ScriptedCluster => {
  const left = new Map(Object.entries(script).map(([start, steps]) => [start, [...steps]]));
  const [asked, sent]: [string[], object[]] = [[], []];
  let [underWay, most] = [0, 0];

  const arrive = async (request: string, body: object): Promise<void> => {
    asked.push(request);
    sent.push(body);
    underWay += 1;
    most = Math.max(most, underWay);
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    underWay -= 1;
    const start = [...left.keys()].find((start) => request.startsWith(start));
    const step = (start === undefined ? undefined : left.get(start)?.shift()) ?? 'ok';
    if (step instanceof Error) throw step;
    if (step !== 'ok') throw failure(step);
  };
  const written = <K extends Kind>(kind: K, namespace: string, name: string): ObjectOf[K] => {
    const metadata = { namespace, name, uid: `uid-of-${name}` };
    const object = readObject(kind, { metadata, spec: { clusterIPs: clusterIPs[name] ?? [] } });
    if (object === undefined) throw new Error(`no ${kind}`);
    return object;
  };
  const nameIn = (body: Manifest): string => String(Object(body['metadata'])['name']);

  return {
    asked,
    sent,
    mostAtOnce: () => most,
    list: unused,
    get: unused,
    create: async (kind, namespace, body) => {
      await arrive(`POST ${kind} ${namespace}/${nameIn(body)}`, body);
      return written(kind, namespace, nameIn(body));
    },
    patch: async (kind, namespace, name, body) => {
      await arrive(`PATCH ${kind} ${namespace}/${name}`, body);
      return written(kind, namespace, name);
    },
    delete: (kind, namespace, name, preconditions) =>
      arrive(`DELETE ${kind} ${namespace}/${name}`, preconditions),
    now: () => clock.now(),
    requests: () => ({ reads: 0, writes: asked.length, leases: 0, bytes: 0 }),
  };
};
