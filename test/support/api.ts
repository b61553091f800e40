// A bare JSON client for one API server, embedded or real: how tests arrange objects and read them back.
import { Agent, request } from 'undici';
import { markReadBack } from './read-back.ts';

export interface ServerAccess {
  readonly url: string;
  readonly token: string;
  readonly caData?: string; // PEM; absent for plain http
}

export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: {
    readonly namespace?: string;
    readonly name: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly {
      readonly uid: string;
      readonly kind: string;
      readonly name: string;
    }[];
    readonly [field: string]: unknown;
  };
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever the API has: expectations name the fields
  readonly [field: string]: any;
}

const PATHS = {
  Namespace: ['/api/v1', 'namespaces'],
  Service: ['/api/v1', 'services'],
  Endpoints: ['/api/v1', 'endpoints'],
  EndpointSlice: ['/apis/discovery.k8s.io/v1', 'endpointslices'],
  Lease: ['/apis/coordination.k8s.io/v1', 'leases'],
  StatefulSet: ['/apis/apps/v1', 'statefulsets'],
  Pod: ['/api/v1', 'pods'],
  Node: ['/api/v1', 'nodes'],
} as const;
export type TestKind = keyof typeof PATHS;

const pathOf = (kind: TestKind, namespace: string | undefined, name?: string): string => {
  const [group, plural] = PATHS[kind];
  const scope = namespace === undefined || kind === 'Namespace' ? '' : `/namespaces/${namespace}`;
  return `${group}${scope}/${plural}${name === undefined ? '' : `/${name}`}`;
};

export class ApiFailure extends Error {
  readonly status: number;
  constructor(what: string, status: number, body: string) {
    super(`${what}: ${status} ${body}`);
    this.status = status;
  }
}

export type TestApi = ReturnType<typeof testApi>;

export const testApi = (access: ServerAccess) => {
  const { caData } = access;
  const dispatcher = new Agent(caData === undefined ? {} : { connect: { ca: caData } });
  return {
    ...clientOf(access, dispatcher, 'arranger'),
    /** The same cluster for another writer: the API server takes the field manager from the user agent. */
    as: (manager: string) => clientOf(access, dispatcher, manager),
    close: (): Promise<void> => dispatcher.close(),
  };
};

const clientOf = ({ url, token }: ServerAccess, dispatcher: Agent, manager: string) => {
  const call = async (
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: object,
  ): Promise<KubeObject> => {
    const answer = await request(`${url}${path}`, {
      method,
      dispatcher,
      headers: {
        authorization: `Bearer ${token}`,
        'user-agent': `${manager}/1`,
        ...(body === undefined
          ? {}
          : { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 400) throw new ApiFailure(`${method} ${path}`, answer.statusCode, text);
    const object: KubeObject = JSON.parse(text);
    return object;
  };
  const readOrUndefined = async (path: string): Promise<KubeObject | undefined> => {
    try {
      return await call('GET', path);
    } catch (error) {
      if (error instanceof ApiFailure && error.status === 404) return undefined;
      throw error;
    }
  };
  return {
    call,
    /** Creates an object; its `status` is put through the status subresource. */
    create: async (kind: TestKind, object: KubeObject): Promise<KubeObject> => {
      const { namespace, name } = object.metadata;
      const created = await call('POST', pathOf(kind, namespace), object);
      if (object['status'] === undefined) return created;
      return call('PATCH', `${pathOf(kind, namespace, name)}/status`, { status: object['status'] });
    },
    patch: (kind: TestKind, namespace: string, name: string, body: object): Promise<KubeObject> =>
      call('PATCH', pathOf(kind, namespace, name), body),
    patchStatus: (kind: TestKind, namespace: string, name: string, status: object): Promise<KubeObject> =>
      call('PATCH', `${pathOf(kind, namespace, name)}/status`, { status }),
    /** @param options of the API: a grace period, preconditions */
    remove: (kind: TestKind, namespace: string, name: string, options?: object): Promise<KubeObject> =>
      call('DELETE', pathOf(kind, namespace, name), options),
    /** What the API server holds now; undefined when it holds nothing of that name. */
    read: (kind: TestKind, namespace: string, name: string): Promise<KubeObject | undefined> => {
      markReadBack();
      return readOrUndefined(pathOf(kind, namespace, name));
    },
    list: async (kind: TestKind, namespace?: string): Promise<readonly KubeObject[]> => {
      markReadBack();
      const answer = await call('GET', pathOf(kind, namespace));
      const items: readonly KubeObject[] = answer['items'];
      return items;
    },
  };
};
