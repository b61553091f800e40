// A bare client for one API server, embedded or real: how the sandbox arranges objects and reads them back.
import { Agent, request } from 'node:https';

export interface ClusterAccess {
  readonly name: string;
  readonly url: string; // https://127.0.0.1:PORT
  readonly ca: string; // PEM
  readonly token: string;
}

/** Objects as the API has them; each caller names the fields that it is about. */
export interface ApiClient {
  get<T>(path: string): Promise<T>;
  create(path: string, object: object): Promise<void>;
  /** JSON merge patch. */
  patch(path: string, change: object): Promise<void>;
  remove(path: string): Promise<void>;
  close(): void;
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Methods throw an Error with the status and the API's own words. */
export function apiClient({ url, ca, token }: ClusterAccess): ApiClient {
  const agent = new Agent({ ca, keepAlive: true });
  const headers = { authorization: `Bearer ${token}`, 'user-agent': 'sandbox' };
  const call = async (method: Method, path: string, body?: object): Promise<unknown> => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const options = { method, agent, headers: { ...headers, 'content-type': type } };
    const { status, text } = await exchange(`${url}${path}`, options, JSON.stringify(body));
    if (status >= 400) throw new Error(`${method} ${path}: ${status} ${text}`);
    return JSON.parse(text);
  };
  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API's own shapes
    get: async <T>(path: string) => (await call('GET', path)) as T,
    create: async (path, object) => void (await call('POST', path, object)),
    patch: async (path, change) => void (await call('PATCH', path, change)),
    remove: async (path) => void (await call('DELETE', path)),
    close: () => agent.destroy(),
  };
}

interface Exchanged {
  readonly status: number;
  readonly text: string;
}

const exchange = (url: string, options: object, body: string | undefined): Promise<Exchanged> =>
  new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text })).on('error', reject);
    });
    sent.on('error', reject).end(body);
  });
