// The real kubectl on the embedded API server: what `npm start` invites people to type.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApiServer } from '../../../sandbox/apiserver/server.ts';
import type { EmbeddedApiServer } from '../../../sandbox/apiserver/server.ts';
import { selfSigned } from '../../../sandbox/certificate.ts';
import { requireBinaries } from '../../cluster/binaries.ts';

const run = promisify(execFile);
const DEADLINE = 20_000; // ms

describe('kubectl', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-'));
  const config = join(folder, 'kubeconfig');
  let server: EmbeddedApiServer;

  beforeAll(async () => {
    server = await startApiServer({
      tls: selfSigned('kubectl'),
      tokens: [{ token: 'secret', user: 'admin' }],
    });
    writeFileSync(config, server.kubeconfig(), { mode: 0o600 });
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  const kubectl = async (...args: string[]): Promise<string> => {
    const { kubectl: path } = requireBinaries(['kubectl']);
    const common = ['--kubeconfig', config, '--cache-dir', join(folder, 'cache')];
    const { stdout } = await run(path, [...common, ...args], { timeout: DEADLINE });
    return stdout.trim();
  };
  const create = (manifest: object): Promise<string> => {
    const file = join(folder, 'manifest.json');
    writeFileSync(file, JSON.stringify(manifest));
    return kubectl('create', '-f', file, '--validate=false');
  };

  it('creates, gets, labels, annotates, patches and deletes', async () => {
    const created = await create({
      apiVersion: 'v1',
      kind: 'List',
      items: [
        { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { ports: [{ port: 80 }] } },
        {
          apiVersion: 'v1',
          kind: 'Endpoints',
          metadata: { name: 'web' },
          subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80 }] }],
        },
        {
          apiVersion: 'discovery.k8s.io/v1',
          kind: 'EndpointSlice',
          metadata: { name: 'web-1' },
          addressType: 'IPv4',
        },
      ],
    });
    expect(created.split('\n')).toEqual([
      'service/web created',
      'endpoints/web created',
      'endpointslice.discovery.k8s.io/web-1 created',
    ]);
    expect(await kubectl('get', 'svc', '-A', '-o', 'name')).toBe('service/kubernetes\nservice/web');
    expect(await kubectl('get', 'services,endpoints,endpointslices')).toContain(
      'endpointslice.discovery.k8s.io/web-1',
    );
    expect(await kubectl('label', 'svc', 'web', 'a=b')).toBe('service/web labeled');
    expect(await kubectl('get', 'svc', '-l', 'a=b', '-o', 'name')).toBe('service/web');
    expect(await kubectl('label', 'svc', 'web', 'a-')).toBe('service/web unlabeled');
    expect(await kubectl('annotate', 'endpoints', 'web', 'x=y')).toBe('endpoints/web annotated');
    const patch = JSON.stringify({ spec: { ports: [{ port: 81, name: 'more' }] } });
    expect(await kubectl('patch', 'svc', 'web', '--type=merge', '-p', patch)).toBe('service/web patched');
    expect(await kubectl('get', 'svc', 'web', '-o', 'jsonpath={.spec.ports[*].port}')).toBe('81');
    expect(await kubectl('delete', 'svc', 'web')).toBe('service "web" deleted from default namespace');
    expect(await kubectl('get', 'endpoints', '-o', 'name')).toBe('');
  });

  it('applies, describes, waits and watches', async () => {
    const file = join(folder, 'apply.json');
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'applied' },
      spec: { ports: [{ port: 80 }] },
    };
    writeFileSync(file, JSON.stringify(service));
    const apply = (): Promise<string> => kubectl('apply', '-f', file, '--validate=false');
    expect(await apply()).toBe('service/applied created');
    expect(await apply()).toBe('service/applied unchanged');
    expect(await kubectl('describe', 'svc', 'applied')).toMatch(/^IP: +10\.96\.\d+\.\d+$/m);
    expect(await kubectl('wait', 'svc/applied', '--for=jsonpath={.spec.type}=ClusterIP')).toBe(
      'service/applied condition met',
    );
    const watched = await kubectl('get', 'svc', 'applied', '-w', '-o', 'name', '--request-timeout=2s');
    expect(watched).toBe('service/applied');
  });

  it('creates a namespace, and deletes it with what is in it', async () => {
    await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    await create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'shop' } });
    expect(await kubectl('delete', 'namespace', 'shop')).toBe('namespace "shop" deleted');
    expect(await kubectl('get', 'configmaps', '-n', 'shop', '-o', 'name')).toBe('');
  });
});
