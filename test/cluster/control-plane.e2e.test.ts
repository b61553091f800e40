// Two real control planes and a real CoreDNS: what every other end-to-end test stands on.
import { execFile } from 'node:child_process';
import { Resolver } from 'node:dns/promises';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { requireBinaries } from './binaries.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { type CoreDns, startCoreDns } from './coredns.ts';
import { kubernetesZone, recordsZone, zones } from './corefile.ts';
import { isRunning } from './is-running.ts';

const START_TIMEOUT = 180_000; // ms
const POLL = { timeout: 30_000, interval: 100 }; // ms; another program's work, so real time

vi.setConfig({ testTimeout: 60_000 });

const CONTROLLERS = [
  'endpointslice-mirroring-controller',
  'endpoints-controller',
  'endpointslice-controller',
  'garbage-collector-controller',
  'namespace-controller',
];

let east: ControlPlane;
let west: ControlPlane;

beforeAll(async () => {
  [east, west] = await Promise.all([
    startControlPlane({
      name: 'east',
      controllers: CONTROLLERS,
      users: [{ name: 'nobody', groups: ['some'] }],
    }),
    startControlPlane({ name: 'west', serviceRange: '10.97.0.0/29' }),
  ]);
}, START_TIMEOUT);

afterAll(async () => {
  await Promise.all([east, west].map((cluster) => cluster?.stop()));
});

function service(name: string, spec: object) {
  return { metadata: { name }, spec: { ports: [{ name: 'http', port: 80 }], ...spec } };
}

describe('two control planes started together', () => {
  it('are two clusters', async () => {
    const path = '/api/v1/namespaces/kube-system';
    const [a, b] = await Promise.all([east, west].map((cluster) => cluster.api().get(path)));
    expect(a).toMatchObject({ status: 200, body: { metadata: { name: 'kube-system' } } });
    expect(b).toMatchObject({ status: 200, body: { metadata: { name: 'kube-system' } } });
    expect(a?.body).not.toEqual(b?.body);
  });

  it('give ClusterIPs from their own ranges', async () => {
    const path = '/api/v1/namespaces/default/services/kubernetes';
    const ofEast = await east.api().get(path);
    const ofWest = await west.api().get(path);
    expect([east.serviceRange, west.serviceRange]).toEqual(['10.96.0.0/16', '10.97.0.0/29']);
    expect(ofEast.body).toMatchObject({ spec: { clusterIP: '10.96.0.1' } });
    expect(ofWest.body).toMatchObject({ spec: { clusterIP: '10.97.0.1' } });
  });

  it('take writes over verified TLS', async () => {
    const api = west.api();
    expect(await api.post('/api/v1/namespaces', { metadata: { name: 'shop' } })).toMatchObject({
      status: 201,
    });
    const created = await api.post(
      '/api/v1/namespaces/shop/services',
      service('cart', { selector: { app: 'cart' } }),
    );
    expect(created).toMatchObject({
      status: 201,
      body: { spec: { clusterIP: expect.stringMatching(/^10\.97\.0\.[2-6]$/) } },
    });
    const patched = await api.patch('/api/v1/namespaces/shop/services/cart', {
      metadata: { labels: { a: 'b' } },
    });
    expect(patched).toMatchObject({ status: 200, body: { metadata: { labels: { a: 'b' } } } });
    expect(await api.delete('/api/v1/namespaces/shop/services/cart')).toMatchObject({ status: 200 });
    expect(await api.get('/api/v1/namespaces/shop/services/cart')).toMatchObject({ status: 404 });
    await east.api().get('/readyz');
  });

  it('are trusted by their own authority only', async () => {
    await expect(statusWithAuthority(east.url, east.caData)).resolves.toBe(403);
    await expect(statusWithAuthority(east.url, west.caData)).rejects.toThrow(/certificate/);
  });

  it('run out of ClusterIPs in a tiny range', async () => {
    const api = west.api();
    const answers = [];
    for (let i = 0; i < 7; i += 1) {
      answers.push(await api.post('/api/v1/namespaces/default/services', service(`tiny-${i}`, {})));
    }
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 500, 500]);
    expect(answers.at(-1)?.body).toMatchObject({ message: expect.stringContaining('range is full') });
    for (let i = 0; i < 5; i += 1) await api.delete(`/api/v1/namespaces/default/services/tiny-${i}`);
  });
});

describe('users', () => {
  it('may do nothing until RBAC lets them', async () => {
    const nobody = east.api('nobody');
    const path = '/api/v1/namespaces/default/services';
    const refusal =
      'services is forbidden: User "nobody" cannot list resource "services" in API group "" in the namespace "default"';
    expect(await nobody.get(path)).toMatchObject({ status: 403, body: { message: refusal } });

    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
    const rules = [{ apiGroups: [''], resources: ['services'], verbs: ['list'] }];
    const role = await east.api().post(`${rbac}/roles`, { metadata: { name: 'reader' }, rules });
    expect(role).toMatchObject({ status: 201 });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' };
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'some' }];
    const bound = await east
      .api()
      .post(`${rbac}/rolebindings`, { metadata: { name: 'reader' }, roleRef, subjects });
    expect(bound).toMatchObject({ status: 201 });
    await vi.waitUntil(async () => (await nobody.get(path)).status === 200, POLL);
    expect(await nobody.post(path, service('mine', {}))).toMatchObject({ status: 403 });
  });

  it('are known by name only when they were given at the start', () => {
    expect(() => east.kubeconfig('stranger')).toThrow(
      'cluster east has no user stranger, only admin, nobody',
    );
  });

  it('have kubeconfigs that kubectl accepts', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kubeconfig-test-'));
    const file = join(folder, 'config');
    await east.writeKubeconfig(file, 'nobody');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { kubectl } = requireBinaries(['kubectl']);
    const flags = ['--kubeconfig', file, `--cache-dir=${folder}`, 'auth', 'whoami', '-o', 'json'];
    const { stdout } = await promisify(execFile)(kubectl, flags);
    expect(JSON.parse(stdout)).toMatchObject({
      status: { userInfo: { username: 'nobody', groups: ['some', 'system:authenticated'] } },
    });
    rmSync(folder, { recursive: true });
  });
});

describe('controllers', () => {
  it('copy the Endpoints of a Service without selector to an EndpointSlice', async () => {
    const api = east.api();
    await api.post('/api/v1/namespaces/default/services', service('web-west', {}));
    const endpoints = {
      metadata: { name: 'web-west', labels: { 'mirror.linkerd.io/cluster-name': 'west' } },
      subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ name: 'http', port: 4143 }] }],
    };
    expect(await api.post('/api/v1/namespaces/default/endpoints', endpoints)).toMatchObject({ status: 201 });
    const selector = encodeURIComponent('kubernetes.io/service-name=web-west');
    const path = `/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?labelSelector=${selector}`;
    await expect
      .poll(async () => (await api.get(path)).body, POLL)
      .toMatchObject({
        items: [
          {
            metadata: {
              labels: {
                'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io',
                'mirror.linkerd.io/cluster-name': 'west',
              },
            },
            endpoints: [{ addresses: ['192.0.2.1'] }],
            ports: [{ name: 'http', port: 4143 }],
          },
        ],
      });
  });

  it(
    'that do not exist fail the start, with the reason, and leave nothing behind',
    async () => {
      const start = startControlPlane({ name: 'wrong', controllers: ['no-such-controller'] });
      await expect(start).rejects.toThrow(
        /^kube-controller-manager ended before it was ready[^]*no-such-controller/,
      );
    },
    START_TIMEOUT,
  );
});

describe('CoreDNS', () => {
  const GATEWAY = 'gateway.elb.example.test';
  let dns: CoreDns;
  let resolver: Resolver;

  beforeAll(async () => {
    const kubernetes = kubernetesZone({ kubeconfig: east.kubeconfig() });
    dns = await startCoreDns(
      zones([kubernetes, records(['gateway 7 IN A 192.0.2.1', 'alias 3 IN CNAME gateway'])]),
    );
    resolver = new Resolver({ timeout: 5_000, tries: 1 });
    resolver.setServers([dns.address]);
  }, START_TIMEOUT);

  afterAll(() => dns?.stop());

  function records(lines: readonly string[]) {
    return recordsZone({ zone: 'elb.example.test', records: lines });
  }

  it('answers a zone of records with their TTLs', async () => {
    expect(await resolver.resolve4(GATEWAY, { ttl: true })).toEqual([{ address: '192.0.2.1', ttl: 7 }]);
    expect(await resolver.resolve4('alias.elb.example.test', { ttl: true })).toEqual([
      { address: '192.0.2.1', ttl: 3 },
    ]);
    await expect(resolver.resolve4('nothing.elb.example.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    await expect(resolver.resolve4('elsewhere.example.test')).rejects.toMatchObject({ code: 'EREFUSED' });
  });

  it('follows a replaced zone', async () => {
    dns.replace(records(['gateway 7 IN A 192.0.2.2', 'gateway 7 IN A 192.0.2.3']).files);
    await expect
      .poll(async () => (await resolver.resolve4(GATEWAY)).toSorted(), POLL)
      .toEqual(['192.0.2.2', '192.0.2.3']);
  });

  it('answers the Services of a cluster', async () => {
    expect(await resolver.resolve4('kubernetes.default.svc.cluster.local', { ttl: true })).toEqual([
      { address: '10.96.0.1', ttl: 5 },
    ]);
    await expect(resolver.resolve4('absent.default.svc.cluster.local')).rejects.toMatchObject({
      code: 'ENOTFOUND',
    });
  });

  it('fails to start with the reason when its Corefile is wrong', async () => {
    const start = startCoreDns({ corefile: 'example.test {\n  bind 127.0.0.1\n  nonsense\n}\n' });
    await expect(start).rejects.toThrow(/^coredns ended before it was ready[^]*nonsense/);
  });
});

describe('stop', () => {
  it('leaves no process and no file', async () => {
    const { pids, logs } = west;
    expect(pids.map(isRunning)).toEqual([true, true]);
    expect(existsSync(logs)).toBe(true);
    await west.stop();
    expect(pids.map(isRunning)).toEqual([false, false]);
    expect(existsSync(logs)).toBe(false);
    await west.stop();
  });
});

/** The status of an anonymous request, when the server's certificate is signed by this authority. */
function statusWithAuthority(url: string, ca: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { ca, agent: false }, (incoming) => {
      incoming.resume();
      resolve(incoming.statusCode);
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}
