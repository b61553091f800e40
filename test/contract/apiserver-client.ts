// A bare HTTP client for the contract of Kubernetes API servers: requests as they are, answers as they come.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { Agent, fetch } from 'undici';

/** A running API server, whatever is behind it. */
export interface ServerUnderTest {
  readonly url: string;
  /** of a user who may do everything */
  readonly token: string;
  /** PEM of the authority, for https */
  readonly ca?: string;
  readonly capabilities: {
    /** Makes the server's storage forget its history up to now. */
    compact(): Promise<void>;
  };
  close(): Promise<void>;
}

export interface StartOptions {
  /** CIDR of the cluster IPs, "IPv4,IPv6" for dual stack; default 10.96.0.0/16 */
  readonly serviceRange?: string;
  /** Whether the garbage collector is at work; default not, so that objects may name owners that do not exist */
  readonly garbageCollector?: boolean;
}

/**
 * Starts a server with the Link CRD served, the namespace controller and the EndpointSlice mirroring controller at work.
 */
export type StartServer = (options: StartOptions) => Promise<ServerUnderTest>;

export interface Answer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever the server says: expectations name the fields
  readonly body: any;
  readonly text: string;
}

export interface Call {
  readonly method: string;
  readonly path: string;
  /** sent as JSON; a string is sent as it is */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface WatchEvent {
  readonly type: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  readonly object: any;
}

/** A watch that is still open. */
export interface OpenWatch {
  /** The next events, as many as asked for. */
  next(count: number): Promise<WatchEvent[]>;
  stop(): Promise<void>;
}

export type Client = ReturnType<typeof clientOf>;

const MERGE_PATCH = 'application/merge-patch+json';
const JSON_PATCH = 'application/json-patch+json';
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';

export function clientOf(server: ServerUnderTest) {
  const dispatcher = new Agent(server.ca === undefined ? {} : { connect: { ca: server.ca } });
  const open = ({ method, path, body, headers = {} }: Call, signal?: AbortSignal) =>
    fetch(`${server.url}${path}`, {
      method,
      dispatcher,
      headers: {
        authorization: `Bearer ${server.token}`,
        'user-agent': 'contract/1.0',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  const call = async (request: Call): Promise<Answer> => {
    const response = await open(request);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parse(text) };
  };
  const patchAs = (contentType: string) => (path: string, body: unknown) =>
    call({ method: 'PATCH', path, body, headers: { 'content-type': contentType } });
  return {
    call,
    get: (path: string, headers: Readonly<Record<string, string>> = {}) =>
      call({ method: 'GET', path, headers }),
    create: (path: string, body: unknown) => call({ method: 'POST', path, body }),
    replace: (path: string, body: unknown) => call({ method: 'PUT', path, body }),
    merge: patchAs(MERGE_PATCH),
    jsonPatch: patchAs(JSON_PATCH),
    strategicMerge: patchAs(STRATEGIC_PATCH),
    remove: (path: string, body?: unknown) => call({ method: 'DELETE', path, body }),
    /** Creates a namespace of that name. */
    namespace: async (name: string): Promise<string> => {
      const { status } = await call({
        method: 'POST',
        path: '/api/v1/namespaces',
        body: { metadata: { name } },
      });
      expect(status).toBe(201);
      return name;
    },
    /** All events of a watch that ends by itself. */
    watch: async (path: string, query: string): Promise<WatchEvent[]> => {
      const { status, text } = await call({ method: 'GET', path: `${path}?watch=true&${query}` });
      expect(status).toBe(200);
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line));
    },
    openWatch: async (path: string, query: string): Promise<OpenWatch> => {
      const abort = new AbortController();
      const response = await open({ method: 'GET', path: `${path}?watch=true&${query}` }, abort.signal);
      expect(response.status).toBe(200);
      if (response.body === null) throw new Error('a watch without a body');
      const lines = linesOf(response.body);
      return {
        next: async (count) => {
          const events: WatchEvent[] = [];
          while (events.length < count) {
            const { value, done } = await lines.next();
            if (done === true) throw new Error(`the watch ended after ${events.length} of ${count} events`);
            events.push(JSON.parse(value));
          }
          return events;
        },
        stop: async () => {
          abort.abort();
          await lines.return(undefined).catch(() => undefined);
        },
      };
    },
    close: () => dispatcher.close(),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, undefined> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = `${rest}${Buffer.from(chunk).toString()}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  return undefined;
}

const POLL_INTERVAL = 50; // ms
const POLLS = 400;

/** Asks until the answer satisfies: for what controllers do in their own time. */
export async function eventually(
  ask: () => Promise<Answer>,
  satisfied: (answer: Answer) => boolean,
): Promise<Answer> {
  for (let poll = 1; ; poll += 1) {
    const answer = await ask();
    if (satisfied(answer)) return answer;
    if (poll === POLLS) throw new Error(`not within ${POLLS} polls: ${answer.text}`);
    await sleep(POLL_INTERVAL);
  }
}

/** Paths of the collections, or of one object, in a namespace. */
export const pathsIn = (namespace: string) => {
  const path =
    (base: string, resource: string) =>
    (name?: string): string =>
      `${base}/namespaces/${namespace}/${resource}${name === undefined ? '' : `/${name}`}`;
  return {
    services: path('/api/v1', 'services'),
    endpoints: path('/api/v1', 'endpoints'),
    configMaps: path('/api/v1', 'configmaps'),
    secrets: path('/api/v1', 'secrets'),
    events: path('/api/v1', 'events'),
    slices: path('/apis/discovery.k8s.io/v1', 'endpointslices'),
    leases: path('/apis/coordination.k8s.io/v1', 'leases'),
    links: path('/apis/multicluster.linkerd.io/v1alpha1', 'links'),
    linksV3: path('/apis/multicluster.linkerd.io/v1alpha3', 'links'),
  };
};

export type Paths = ReturnType<typeof pathsIn>;

/** What a failed answer matches: a Status that says the same as the HTTP status. */
export const failure = (expected: Readonly<Record<string, unknown>> & { readonly code: number }): object => ({
  status: expected.code,
  body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', ...expected },
});

/** The causes of a 422 as "field: message", each once: an update checks metadata more than once. */
export const causesOf = ({ body }: Answer): string[] => [
  ...new Set<string>(
    (body.details?.causes ?? []).map(
      ({ field, message }: { field: string; message: string }) => `${field}: ${message}`,
    ),
  ),
];
