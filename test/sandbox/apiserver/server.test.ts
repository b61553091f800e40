// What the embedded API server has besides the API: its clock, log, store, users and options.
import { Agent, fetch } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { startApiServer } from '../../../sandbox/apiserver/server.ts';
import type { ApiServerOptions, EmbeddedApiServer } from '../../../sandbox/apiserver/server.ts';
import { selfSigned } from '../../../sandbox/certificate.ts';

const SERVICES = '/api/v1/namespaces/default/services';
const service = (name: string, spec: object = {}) => ({
  metadata: { name, namespace: 'default' },
  spec: { ports: [{ port: 80 }], ...spec },
});

describe('the embedded API server', () => {
  const started: EmbeddedApiServer[] = [];
  afterEach(async () => {
    await Promise.all(started.splice(0).map((server) => server.close()));
  });
  const start = async (options: ApiServerOptions = {}): Promise<EmbeddedApiServer> => {
    const server = await startApiServer(options);
    started.push(server);
    return server;
  };
  const create = (server: EmbeddedApiServer, name: string, query = '') =>
    fetch(`${server.url}${SERVICES}${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(service(name)),
    });

  it('takes the time from its clock: Date, creation, ownership', async () => {
    let now = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
    const server = await start({ clock: { now: () => now } });
    const answer = await create(server, 'timed');
    expect(answer.headers.get('date')).toBe('Fri, 02 Jan 2026 03:04:05 GMT');
    expect(await answer.json()).toMatchObject({
      metadata: {
        creationTimestamp: '2026-01-02T03:04:05Z',
        managedFields: [{ time: '2026-01-02T03:04:05Z' }],
      },
    });
    now += 60_000;
    const later = await fetch(`${server.url}/readyz`);
    expect(later.headers.get('date')).toBe('Fri, 02 Jan 2026 03:05:05 GMT');
  });

  it('logs requests with status and bytes', async () => {
    const server = await start();
    const answer = await create(server, 'logged', '?fieldManager=me');
    const text = await answer.text();
    await fetch(`${server.url}${SERVICES}/absent`);
    expect(server.requests.all).toEqual([
      {
        method: 'POST',
        path: SERVICES,
        query: { fieldManager: 'me' },
        status: 201,
        bytes: Buffer.byteLength(text),
        sent: Buffer.byteLength(JSON.stringify(service('logged'))),
      },
      {
        method: 'GET',
        path: `${SERVICES}/absent`,
        query: {},
        status: 404,
        bytes: expect.any(Number),
        sent: 0,
      },
    ]);
    server.requests.reset();
    expect(server.requests.all).toEqual([]);
  });

  it('counts compressed bytes where it compresses', async () => {
    const server = await start();
    const data = { text: 'x'.repeat(200_000) };
    server.store.put('configmaps', { metadata: { name: 'big', namespace: 'default' }, data });
    const answer = await fetch(`${server.url}/api/v1/configmaps`, { headers: { 'accept-encoding': 'gzip' } });
    expect((await answer.text()).length).toBeGreaterThan(200_000);
    expect(server.requests.all[0]?.bytes).toBeLessThan(10_000);
  });

  it('shares its objects in the process: copies, with defaults, allocation and validation', async () => {
    const server = await start();
    const before = server.store.revision;
    const created = server.store.put('services', service('shared'), 'me');
    expect(created).toMatchObject({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { uid: expect.any(String), managedFields: [{ manager: 'me' }] },
      spec: { type: 'ClusterIP', clusterIP: expect.stringMatching(/^10\.96\./) },
    });
    expect(server.store.revision).toBe(before + 1);
    created.metadata.labels = { changed: 'here only' };
    expect(server.store.get('services', 'default', 'shared')?.metadata).not.toHaveProperty('labels');
    expect(server.store.list('services').map(({ metadata }) => metadata.name)).toEqual([
      'kubernetes',
      'shared',
    ]);
    const replaced = server.store.put('services', service('shared', { ports: [{ port: 81 }] }));
    expect(replaced.metadata.uid).toBe(created.metadata.uid);
    expect(() => server.store.put('services', service('Bad'))).toThrow('Service "Bad" is invalid');
    expect(() => server.store.put('services', service('x', { nonsense: 1 }))).toThrow(
      'unknown field "spec.nonsense"',
    );
    server.store.delete('services', 'default', 'shared');
    expect(server.store.get('services', 'default', 'shared')).toBeUndefined();
    expect(() => server.store.delete('services', 'default', 'shared')).toThrow('services "shared" not found');
  });

  it('takes a snapshot of everything, to compare with a later one', async () => {
    const server = await start();
    const before = server.store.snapshot();
    expect(before.namespaces?.map(({ metadata }) => metadata.name)).toEqual([
      'default',
      'kube-node-lease',
      'kube-public',
      'kube-system',
    ]);
    await (await fetch(`${server.url}${SERVICES}`)).text();
    expect(server.store.snapshot()).toEqual(before);
    await create(server, 'new');
    expect(server.store.snapshot()).not.toEqual(before);
  });

  it('lets everybody in without tokens', async () => {
    const server = await start();
    expect(server.token).toBeUndefined();
    expect((await create(server, 'open')).status).toBe(201);
  });

  it('asks a rule what each user may do', async () => {
    const asked: object[] = [];
    const server = await start({
      tokens: [
        { token: 'a', user: 'admin' },
        { token: 'r', user: 'reader' },
      ],
      authorize: (attributes) => {
        asked.push(attributes);
        return attributes.user === 'admin' || attributes.verb === 'get';
      },
    });
    expect(server.token).toBe('a');
    const headers = { authorization: 'Bearer r', 'content-type': 'application/merge-patch+json' };
    expect((await fetch(`${server.url}${SERVICES}/kubernetes`, { headers })).status).toBe(200);
    const path = `${SERVICES}/kubernetes/status`;
    const refused = await fetch(`${server.url}${path}`, { method: 'PATCH', headers, body: '{}' });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({
      message:
        'services "kubernetes" is forbidden: User "reader" cannot patch resource "services/status" in API group "" in the namespace "default"',
    });
    expect(asked.at(-1)).toEqual({
      user: 'reader',
      verb: 'patch',
      group: '',
      resource: 'services/status',
      namespace: 'default',
      name: 'kubernetes',
    });
  });

  it('serves https with a kubeconfig that trusts it', async () => {
    const tls = selfSigned('embedded');
    const server = await start({ name: 'west', tls, tokens: [{ token: 't', user: 'admin' }] });
    expect(server.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    const config = JSON.parse(server.kubeconfig());
    expect(config).toMatchObject({
      'current-context': 'west',
      clusters: [{ name: 'west', cluster: { server: server.url } }],
      users: [{ name: 'west-admin', user: { token: 't' } }],
    });
    const ca = Buffer.from(config.clusters[0].cluster['certificate-authority-data'], 'base64').toString();
    const dispatcher = new Agent({ connect: { ca } });
    const answer = await fetch(`${server.url}${SERVICES}`, {
      dispatcher,
      headers: { authorization: 'Bearer t' },
    });
    expect(answer.status).toBe(200);
    await answer.text();
    await dispatcher.close();
  });

  it('leaves a deleted namespace Terminating when told to, with what is in it', async () => {
    const server = await start({ holdTerminating: true });
    server.store.put('namespaces', { metadata: { name: 'held' } });
    server.store.put('configmaps', { metadata: { name: 'inside', namespace: 'held' } });
    server.store.delete('namespaces', '', 'held');
    expect(server.store.get('namespaces', '', 'held')).toMatchObject({ status: { phase: 'Terminating' } });
    expect(server.store.get('configmaps', 'held', 'inside')).toBeDefined();
  });

  it('ends with open watches', async () => {
    const server = await startApiServer();
    const watch = await fetch(`${server.url}${SERVICES}?watch=true`);
    const text = watch.text();
    await server.close();
    await expect(text).rejects.toThrow('terminated');
    await expect(fetch(`${server.url}/readyz`)).rejects.toThrow('fetch failed');
  });

  describe('with a history of three events', () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const full = async (): Promise<{ server: EmbeddedApiServer; versions: string[] }> => {
      const server = await start({ watchHistory: 3 });
      const versions = names.map((name) => {
        const { metadata } = server.store.put('configmaps', { metadata: { name, namespace: 'default' } });
        return metadata.resourceVersion ?? '';
      });
      return { server, versions };
    };
    const path = '/api/v1/namespaces/default/configmaps';

    it('watches from what it remembers, and says 410 for what it does not', async () => {
      const { server, versions } = await full();
      const watch = async (version = ''): Promise<string[]> => {
        const query = `watch=true&timeoutSeconds=1&resourceVersion=${version}`;
        const text = await (await fetch(`${server.url}${path}?${query}`)).text();
        return text
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line).type);
      };
      const [old, kept] = await Promise.all([watch(versions[0]), watch(versions[1])]);
      expect(old).toEqual(['ERROR']);
      expect(kept).toEqual(['ADDED', 'ADDED', 'ADDED']);
    });

    it('goes on with pages while it remembers their state, and says 410 after', async () => {
      const { server } = await full();
      const page = async (token: string) => {
        const answer = await fetch(`${server.url}${path}?limit=2&continue=${token}`);
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a list or a Status
        return { status: answer.status, body: (await answer.json()) as { metadata: { continue: string } } };
      };
      const { body } = await page('');
      for (const name of ['f', 'g', 'h'])
        server.store.put('configmaps', { metadata: { name, namespace: 'default' } });
      expect(await page(body.metadata.continue)).toMatchObject({
        status: 200,
        body: { items: [{ metadata: { name: 'c' } }, { metadata: { name: 'd' } }] },
      });
      server.store.put('configmaps', { metadata: { name: 'i', namespace: 'default' } });
      const expired = await page(body.metadata.continue);
      expect(expired).toMatchObject({ status: 410, body: { reason: 'Expired' } });
      expect(await page(expired.body.metadata.continue)).toMatchObject({
        status: 200,
        body: { items: [{ metadata: { name: 'c' } }, { metadata: { name: 'd' } }] },
      });
    });

    it('forgets everything when told to', async () => {
      const { server, versions } = await full();
      server.store.compact();
      const query = `resourceVersionMatch=Exact&resourceVersion=${versions[3]}`;
      const answer = await fetch(`${server.url}${path}?${query}`);
      expect(answer.status).toBe(410);
      expect(await answer.json()).toMatchObject({
        message: 'The resourceVersion for the provided list is too old.',
      });
    });
  });
});
