// A cluster that holds the given objects of the model, answers reads of them, and fails where a test says so.
import { keyText } from '../../lib/model/keys.ts';
import type { Kind, ObjectOf } from '../../lib/model/objects.ts';
import type { Cluster, ListQuery } from '../../lib/ports.ts';
import { failure, type Failure } from '../apply/scripted-cluster.ts';

type Objects = { readonly [K in Kind]?: readonly ObjectOf[K][] };

/** Failures by start of the request: `LIST Kind`, `LIST Kind namespace`, `GET Kind namespace/name`. */
type Failures = Readonly<Record<string, Failure | Error>>;

export interface ReadOnlyCluster extends Cluster {
  readonly asked: readonly string[];
}

const matches = (labels: Readonly<Record<string, string>>, selector: string | undefined): boolean => {
  if (selector === undefined) return true;
  const [key = '', value] = selector.split('=');
  return labels[key] === value;
};

/** What a server that was asked for metadata only would leave of an object. */
const bare = <T>(object: T): T =>
  typeof object === 'object' && object !== null && 'subsets' in object ? { ...object, subsets: [] } : object;

const unused = (): Promise<never> => Promise.reject(new Error('nothing is written here'));

export const clusterOf = (objects: Objects, failures: Failures = {}): ReadOnlyCluster => {
  const asked: string[] = [];
  const ask = (request: string): void => {
    asked.push(request);
    const start = Object.keys(failures).find((start) => request.startsWith(start));
    const found = start === undefined ? undefined : failures[start];
    if (found !== undefined) throw found instanceof Error ? found : failure(found);
  };
  const all = <K extends Kind>(kind: K): readonly ObjectOf[K][] => objects[kind] ?? [];
  return {
    asked,
    list: async (kind, { namespace, labelSelector, metadataOnly = false }: ListQuery = {}) => {
      ask([`LIST ${kind}`, namespace, labelSelector].filter((part) => part !== undefined).join(' '));
      return all(kind)
        .filter(({ meta }) => namespace === undefined || meta.namespace === namespace)
        .filter(({ meta }) => matches(meta.labels, labelSelector))
        .map((object) => (metadataOnly ? bare(object) : object));
    },
    get: async (kind, namespace, name) => {
      ask(`GET ${kind} ${namespace}/${name}`);
      return all(kind).find(({ meta }) => keyText(meta) === keyText({ namespace, name }));
    },
    create: unused,
    patch: unused,
    delete: unused,
    now: () => 0,
    requests: () => ({ reads: asked.length, writes: 0, leases: 0, bytes: 0 }),
  };
};
