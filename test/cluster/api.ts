// A small JSON client for the API server of a test cluster: strict TLS, one keep-alive agent.
import { Agent, type RequestOptions, request } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';

const REQUEST_TIMEOUT = 10_000; // ms

export interface ApiAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** parsed where the server calls it JSON, else the text */
  readonly body: unknown;
}

/** Every method resolves with whatever the server answers, errors of the API too; it rejects when there is no answer. */
export interface Api {
  get(path: string): Promise<ApiAnswer>;
  post(path: string, body: object): Promise<ApiAnswer>;
  /** JSON merge patch */
  patch(path: string, body: object): Promise<ApiAnswer>;
  delete(path: string, body?: object): Promise<ApiAnswer>;
  close(): void;
}

export interface ApiAccess {
  readonly url: string;
  /** PEM; nothing else is trusted */
  readonly caData: string;
  readonly token: string;
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly type?: string;
  readonly body?: object | undefined;
}

export function connectApi({ url, caData, token }: ApiAccess): Api {
  const agent = new Agent({ keepAlive: true, ca: caData, rejectUnauthorized: true });
  const call = ({ method, path, type = 'application/json', body }: Call): Promise<ApiAnswer> => {
    const headers = { authorization: `Bearer ${token}`, accept: 'application/json', 'content-type': type };
    return exchange(new URL(path, url), { agent, method, headers, timeout: REQUEST_TIMEOUT }, body);
  };
  return {
    get: (path) => call({ method: 'GET', path }),
    post: (path, body) => call({ method: 'POST', path, body }),
    patch: (path, body) => call({ method: 'PATCH', path, type: 'application/merge-patch+json', body }),
    delete: (path, body) => call({ method: 'DELETE', path, body }),
    close: () => agent.destroy(),
  };
}

function exchange(url: URL, options: RequestOptions, body?: object): Promise<ApiAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, options, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const { statusCode: status = 0, headers } = incoming;
        resolve({ status, headers, body: decode(headers, Buffer.concat(chunks).toString()) });
      });
    });
    outgoing.on('timeout', () =>
      outgoing.destroy(new Error(`no answer from ${url.href} in ${REQUEST_TIMEOUT / 1000} s`)),
    );
    outgoing.on('error', reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function decode(headers: IncomingHttpHeaders, text: string): unknown {
  return headers['content-type']?.startsWith('application/json') ? JSON.parse(text) : text;
}
