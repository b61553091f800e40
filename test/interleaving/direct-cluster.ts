// The cluster port on an embedded API server in this process, without HTTP between them: thousands of runs in seconds.
import { ClusterError } from '../../lib/errors.ts';
import { failureOf, notUnderstood } from '../../lib/kube/failures.ts';
import { readObject, readPage } from '../../lib/kube/read/object.ts';
import { FIELD_MANAGER } from '../../lib/model/labels.ts';
import type { Kind, Manifest } from '../../lib/model/objects.ts';
import type { Cluster } from '../../lib/ports.ts';
import type { Core } from '../../sandbox/apiserver/core.ts';
import { handle } from '../../sandbox/apiserver/http/handle.ts';
import { StatusError } from '../../sandbox/apiserver/status.ts';

const PATHS: Readonly<Record<Kind, readonly [group: string, plural: string]>> = {
  Namespace: ['/api/v1', 'namespaces'],
  Service: ['/api/v1', 'services'],
  Endpoints: ['/api/v1', 'endpoints'],
  EndpointSlice: ['/apis/discovery.k8s.io/v1', 'endpointslices'],
  Lease: ['/apis/coordination.k8s.io/v1', 'leases'],
  ServiceCIDR: ['/apis/networking.k8s.io/v1', 'servicecidrs'],
};
const CLUSTER_SCOPED: readonly Kind[] = ['Namespace', 'ServiceCIDR'];

const pathOf = (kind: Kind, namespace: string | undefined, name?: string): string => {
  const [group, plural] = PATHS[kind];
  const scope = namespace === undefined || CLUSTER_SCOPED.includes(kind) ? '' : `/namespaces/${namespace}`;
  return `${group}${scope}/${plural}${name === undefined ? '' : `/${name}`}`;
};

interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** The server's own routing, verbs and wording of errors, and the adapter's own reading of both. */
export const directCluster = (core: Core, name: 'source' | 'target'): Cluster => {
  const counts = { reads: 0, writes: 0, leases: 0, bytes: 0 };

  const send = ({ method, path, query = {}, body }: Call): unknown => {
    try {
      const answer = handle(
        core,
        {
          method,
          path,
          query: new URLSearchParams(query),
          user: 'admin',
          contentType: method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
          accept: undefined,
          userAgent: `${FIELD_MANAGER}/1`,
          body: body === undefined ? '' : JSON.stringify(body),
          warn: () => {},
        },
        undefined,
      );
      return answer.kind === 'body' ? JSON.parse(answer.body) : undefined;
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      const answer = { status: error.code, headers: {}, text: JSON.stringify(error.status) };
      throw failureOf(answer, `${name}: ${method} ${path}`, core.clock.now());
    }
  };

  const one = <K extends Kind>(kind: K, call: Call) => {
    const object = readObject(kind, send(call));
    if (object === undefined) throw notUnderstood(call.path, `no ${kind}`);
    return object;
  };

  const fieldManager = { fieldManager: FIELD_MANAGER };
  return {
    async list(kind, { namespace, labelSelector, metadataOnly = false } = {}) {
      const query = labelSelector === undefined ? {} : { labelSelector };
      const page = readPage(
        kind,
        send({ method: 'GET', path: pathOf(kind, namespace), query }),
        metadataOnly,
      );
      return page?.items ?? [];
    },
    async get(kind, namespace, object) {
      try {
        return one(kind, { method: 'GET', path: pathOf(kind, namespace, object) });
      } catch (error) {
        if (error instanceof ClusterError && error.kind === 'notFound') return undefined;
        throw error;
      }
    },
    async create(kind, namespace, body: Manifest) {
      return one(kind, { method: 'POST', path: pathOf(kind, namespace), query: fieldManager, body });
    },
    async patch(kind, namespace, object, body) {
      return one(kind, { method: 'PATCH', path: pathOf(kind, namespace, object), query: fieldManager, body });
    },
    async delete(kind, namespace, object, preconditions) {
      const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions };
      send({ method: 'DELETE', path: pathOf(kind, namespace, object), body });
    },
    now: () => core.clock.now(),
    requests: () => counts,
  };
};
