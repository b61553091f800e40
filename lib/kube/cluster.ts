// The cluster port over the Kubernetes API.
import type { ConfigurationOptions } from '@kubernetes/client-node/dist/gen/index.js';
import { ClusterError } from '../errors.ts';
import type { Kind, ObjectOf } from '../model/objects.ts';
import type { Clock, Cluster, ListQuery } from '../ports.ts';
import { type Call, configurationOf, send } from './calls.ts';
import type { KubeConnection } from './connection.ts';
import { notUnderstood } from './failures.ts';
import { type ObjectPage, readObject, readPage } from './read/object.ts';
import { type Place, routesOf } from './routes.ts';
import { openTransport } from './transport.ts';

/** One page holds a cluster of 1,000 exported Services with what else there is: one request, and still small objects. */
const PAGE_SIZE = 1_500;

/** How often a list begins anew because its position expired. */
const MOST_RESTARTS = 3;

const MERGE_PATCH = 'application/merge-patch+json'; // RFC 7396
const METADATA_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

export interface KubeClusterOptions {
  readonly clock: Clock;
  /** objects per page of a list; default 1,500 */
  readonly pageSize?: number;
}

export interface KubeCluster extends Cluster {
  /** Aborts what is under way and frees the sockets. */
  close(): Promise<void>;
}

/** The cluster behind a connection. Nothing is sent before the first request, and nothing is sent twice but reads. */
export function kubeCluster(
  connection: KubeConnection,
  { clock, pageSize = PAGE_SIZE }: KubeClusterOptions,
): KubeCluster {
  const transport = openTransport(connection, clock);
  const routes = routesOf(configurationOf(connection, transport));
  const words = (verb: string, kind: Kind, place = ''): string =>
    `${connection.name}: ${verb} ${kind}${place === '' ? '' : ` ${place}`}`;

  const readOne = async <K extends Kind>(kind: K, call: Call): Promise<ObjectOf[K]> => {
    const object = readObject(kind, await send(transport, call));
    if (object === undefined) throw notUnderstood(call.request, `no ${kind}`);
    return object;
  };

  const readPageAt = async <K extends Kind>(
    kind: K,
    query: ListQuery,
    position: string | undefined,
  ): Promise<ObjectPage<K>> => {
    const { namespace, labelSelector, metadataOnly = false } = query;
    const request = words('LIST', kind, namespace);
    const page = {
      limit: pageSize,
      ...(labelSelector !== undefined && { labelSelector }),
      ...(position !== undefined && { _continue: position }),
    };
    const run = (options: ConfigurationOptions) => routes[kind].list(page, namespace, options);
    const json = await send(transport, { request, run, ...(metadataOnly && { accept: METADATA_ONLY }) });
    const read = readPage(kind, json, metadataOnly);
    if (read === undefined) throw notUnderstood(request, 'no list');
    return read;
  };

  return {
    list: (kind, query = {}) => wholeList((position) => readPageAt(kind, query, position)),

    async get(kind, namespace, name) {
      const place = { namespace, name };
      const request = words('GET', kind, placeText(place));
      try {
        return await readOne(kind, { request, run: (options) => routes[kind].get(place, options) });
      } catch (error) {
        if (isKind(error, 'notFound')) return undefined;
        throw error;
      }
    },

    create: (kind, namespace, body) =>
      readOne(kind, {
        request: words('POST', kind, placeText({ namespace, name: nameIn(body) })),
        body,
        contentType: 'application/json',
        run: (options) => routes[kind].create(namespace, options),
      }),

    patch(kind, namespace, name, body) {
      const place = { namespace, name };
      return readOne(kind, {
        request: words('PATCH', kind, placeText(place)),
        body,
        contentType: MERGE_PATCH,
        run: (options) => routes[kind].patch(place, options),
      });
    },

    async delete(kind, namespace, name, { uid, resourceVersion }) {
      const place = { namespace, name };
      await send(transport, {
        request: words('DELETE', kind, placeText(place)),
        body: {
          apiVersion: 'v1',
          kind: 'DeleteOptions',
          preconditions: { uid, resourceVersion },
          propagationPolicy: 'Background',
        },
        contentType: 'application/json',
        run: (options) => routes[kind].delete(place, options),
      });
    },

    now: () => transport.now(),
    requests: () => transport.counts(),
    close: () => transport.close(),
  };
}

/** Every page from the first to the last; from the first again when the position expired, and never a part. */
async function wholeList<K extends Kind>(
  pageAt: (position: string | undefined) => Promise<ObjectPage<K>>,
): Promise<readonly ObjectOf[K][]> {
  for (let restarts = 0; ; restarts += 1) {
    try {
      return await everyPage(pageAt);
    } catch (error) {
      if (!isKind(error, 'gone') || restarts === MOST_RESTARTS) throw error;
    }
  }
}

async function everyPage<K extends Kind>(
  pageAt: (position: string | undefined) => Promise<ObjectPage<K>>,
): Promise<readonly ObjectOf[K][]> {
  const items: ObjectOf[K][] = [];
  let position: string | undefined;
  do {
    const page = await pageAt(position);
    for (const item of page.items) items.push(item);
    position = page.next;
  } while (position !== undefined);
  return items;
}

const isKind = (error: unknown, kind: ClusterError['kind']): boolean =>
  error instanceof ClusterError && error.kind === kind;

const placeText = ({ namespace, name }: Place): string => (namespace === '' ? name : `${namespace}/${name}`);

function nameIn(body: Readonly<Record<string, unknown>>): string {
  const { metadata } = body;
  const name =
    typeof metadata === 'object' && metadata !== null && 'name' in metadata ? metadata.name : undefined;
  return typeof name === 'string' ? name : '(no name)';
}
