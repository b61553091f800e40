// Faults of the embedded API server: what a client sees, and what was done nevertheless.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startApiServer } from '../../../sandbox/apiserver/server.ts';
import type { EmbeddedApiServer } from '../../../sandbox/apiserver/server.ts';

const SERVICES = '/api/v1/namespaces/default/services';
const isPost = ({ method }: { readonly method: string }): boolean => method === 'POST';

describe('faults', () => {
  let server: EmbeddedApiServer;
  beforeAll(async () => {
    server = await startApiServer();
  });
  afterAll(() => server.close());
  beforeEach(() => server.faults.clear());

  const list = (): Promise<Response> => fetch(`${server.url}${SERVICES}`);
  const create = (name: string): Promise<Response> =>
    fetch(`${server.url}${SERVICES}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ metadata: { name }, spec: { ports: [{ port: 80 }] } }),
    });
  const exists = (name: string): boolean => server.store.get('services', 'default', name) !== undefined;

  it('answer with a status, its Retry-After and its times, and do nothing', async () => {
    const action = { status: 429, reason: 'TooManyRequests', message: 'slow down', retryAfter: 7 };
    server.faults.add({ match: isPost, times: 2, action });
    const refused = await create('refused');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('7');
    expect(await refused.json()).toMatchObject({
      kind: 'Status',
      code: 429,
      reason: 'TooManyRequests',
      message: 'slow down',
      details: { retryAfterSeconds: 7 },
    });
    expect(exists('refused')).toBe(false);
    expect((await create('refused')).status).toBe(429);
    expect((await create('refused')).status).toBe(201);
  });

  it('dropBefore cuts the connection and does nothing', async () => {
    server.faults.add({ match: isPost, times: 1, action: 'dropBefore' });
    await expect(create('unheard')).rejects.toThrow('fetch failed');
    expect(exists('unheard')).toBe(false);
    expect((await create('unheard')).status).toBe(201);
  });

  it('dropAfter does the work and cuts the connection', async () => {
    server.faults.add({ match: isPost, times: 1, action: 'dropAfter' });
    await expect(create('unanswered')).rejects.toThrow('fetch failed');
    expect(exists('unanswered')).toBe(true);
    expect((await create('unanswered')).status).toBe(409);
  });

  it('truncateList ends a list half-way', async () => {
    server.faults.add({ match: ({ method }) => method === 'GET', times: 1, action: 'truncateList' });
    const answer = await list();
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow('terminated');
    expect(await (await list()).json()).toMatchObject({ kind: 'ServiceList' });
  });

  it('hang never answers', async () => {
    server.faults.add({ match: () => true, times: 1, action: 'hang' });
    const signal = AbortSignal.timeout(50);
    await expect(fetch(`${server.url}${SERVICES}`, { signal })).rejects.toThrow('timeout');
    expect((await list()).status).toBe(200);
  });

  it('match by method, path, query, headers and body, the first that does', async () => {
    const gone = { status: 410, reason: 'Expired', message: 'gone' };
    server.faults.add({ match: ({ body }) => body.includes('"by-body"'), action: gone });
    server.faults.add({ match: ({ query }) => query.get('continue') === 'x', action: gone });
    server.faults.add({ match: ({ headers }) => headers['x-test'] === '1', action: gone });
    server.faults.add({ match: ({ path }) => path === '/version', action: gone });
    expect((await create('by-body')).status).toBe(410);
    expect((await create('other')).status).toBe(201);
    expect((await fetch(`${server.url}${SERVICES}?continue=x`)).status).toBe(410);
    expect((await fetch(`${server.url}${SERVICES}`, { headers: { 'x-test': '1' } })).status).toBe(410);
    expect((await fetch(`${server.url}/version`)).status).toBe(410);
    expect((await list()).status).toBe(200);
  });

  it('run their hook before the request: something foreign gets in between', async () => {
    server.faults.add({
      match: isPost,
      times: 1,
      action: 'pass',
      onMatch: () => {
        const service = { metadata: { namespace: 'default', name: 'raced' }, spec: { ports: [{ port: 1 }] } };
        server.store.put('services', service, 'foreign');
      },
    });
    expect((await create('raced')).status).toBe(409);
    const managers = server.store.get('services', 'default', 'raced')?.metadata.managedFields;
    expect(managers?.map(({ manager }) => manager)).toEqual(['foreign']);
  });

  it('can be taken back', async () => {
    const remove = server.faults.add({ match: () => true, action: 'dropBefore' });
    await expect(list()).rejects.toThrow('fetch failed');
    remove();
    expect((await list()).status).toBe(200);
  });
});
