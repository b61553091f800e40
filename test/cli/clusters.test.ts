// The command line on two embedded API servers and a DNS server: nothing is faked between the words and the objects.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../lib/clock.ts';
import { reconcile } from '../../lib/reconcile.ts';
import { kubeconfigText } from '../../sandbox/apiserver/kubeconfig.ts';
import { startDnsServer, type DnsServer } from '../../sandbox/dns/server.ts';
import { testApi, type TestApi } from '../support/api.ts';
import { aGateway, aNamespace, aService, aSlice, GATEWAY_HOST } from '../support/builders.ts';
import { embeddedBench } from '../support/embedded-bench.ts';
import { endpointsOf } from '../support/lab.ts';
import { cli, folderWith, type Ran } from './cli.ts';

const bench = embeddedBench();
let dns: DnsServer;
let source: TestApi;
let target: TestApi;
let folder: string;

const LINK = `
name: west
source: { kubeconfig: source.yaml }
target: { kubeconfig: target.yaml }
allowedHostnames: [example.test]
`;

/** Runs a command on the link file with the real reconcile; words are split at blanks. */
const onLink = (words: string): Promise<Ran> =>
  cli([...words.split(' '), '--link-file', join(folder, 'link.yaml'), '--dns', dns.address], {
    reconcile,
    clock: systemClock,
  });

beforeAll(async () => {
  const servers = await bench.open();
  [source, target] = [testApi(servers.source), testApi(servers.target)];
  dns = await startDnsServer();
  dns.set(GATEWAY_HOST, { a: ['203.0.113.10', '203.0.113.11'], ttl: 60 });
  const kubeconfig = (name: string, url: string, token: string): string =>
    kubeconfigText({ name, url, token, ca: undefined });
  folder = await folderWith({
    'link.yaml': LINK,
    'source.yaml': kubeconfig('source', servers.source.url, servers.source.token),
    'target.yaml': kubeconfig('target', servers.target.url, servers.target.token),
    'nowhere.yaml': kubeconfig('nowhere', 'http://127.0.0.1:1', 't'),
  });
  for (const api of [source, target]) {
    await api.create('Namespace', aNamespace('shop'));
    await api.create('Namespace', aNamespace('linkerd-multicluster'));
  }
  await target.create('Service', aGateway());
  await target.create('Service', aService());
  await target.create('Service', aService({ name: 'private', labels: {} }));
  await target.create('EndpointSlice', aSlice());
});

afterAll(async () => {
  await Promise.all([source.close(), target.close(), dns.close()]);
  await bench.close();
});

// One story: each step finds what the former ones left.
describe('a link from the first plan on', () => {
  it('plan shows what is missing and writes nothing', async () => {
    const { code, stdout, stderr } = await onLink('plan');
    expect({ code, stderr }).toStrictEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('+ Service shop/web-west  (');
    expect(stdout).toContain('+ Endpoints shop/web-west  (');
    expect(await source.read('Service', 'shop', 'web-west')).toBeUndefined();
  });

  it('plan --exit-code tells it to scripts', async () => {
    expect(await onLink('plan --exit-code -o json')).toMatchObject({ code: 3, stderr: '' });
  });

  it('sync writes it, and remembers the answer', async () => {
    const { code, stdout, stderr } = await onLink(`sync -o json --state ${folder}/state.json`);
    expect({ code, stderr }).toStrictEqual({ code: 0, stderr: '' });
    const { outcomes, requests } = JSON.parse(stdout);
    expect(outcomes).toContainEqual(
      expect.objectContaining({ action: 'create', kind: 'Service', name: 'web-west', result: 'applied' }),
    );
    expect(requests.writes).toBe(outcomes.length);
    expect(await endpointsOf(source)).toStrictEqual({
      ready: ['203.0.113.10', '203.0.113.11'],
      notReady: [],
      ports: ['http:4143'],
    });
    const state = JSON.parse(await readFile(join(folder, 'state.json'), 'utf8'));
    expect(state.links.west.state.records[0].hostname).toBe(GATEWAY_HOST);
  });

  it('a second sync has nothing to do, and asks no name again', async () => {
    const asked = dns.queries.length;
    expect(await onLink(`sync --state ${folder}/state.json`)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/(^|\n)nothing to do\n$/),
      stderr: '',
    });
    expect(dns.queries).toHaveLength(asked);
  });

  it('plan --service says why', async () => {
    const { code, stdout } = await onLink('plan --service shop/web --service shop/private');
    expect(code).toBe(0);
    expect(stdout).toMatch(/\nshop\/web\n {2}exported in gateway mode, its mirror is shop\/web-west\n/);
    expect(stdout).toMatch(/\nshop\/private\n {2}not exported: /);
  });

  it('status shows the gateway and the mirror', async () => {
    const { code, stdout } = await onLink(`status --state ${folder}/state.json`);
    expect(code).toBe(0);
    expect(stdout).toContain('gateway linkerd-multicluster/linkerd-gateway: port 4143, identity gw.id\n');
    expect(stdout).toMatch(/\n203\.0\.113\.10 {2}IPv4 {4}ready {2}\d+ s +lb\.example\.test\n/);
    expect(stdout).toMatch(/\nshop\/web +web-west +gateway +in sync +203\.0\.113\.10, 203\.0\.113\.11\n/);
    expect(stdout).toMatch(/\n1 mirror: 1 in sync\n$/);
  });

  it('gateways shows each address with its source and what is left of its TTL', async () => {
    const { code, stdout } = await onLink(`gateways --state ${folder}/state.json`);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /\nwest {5}unknown 0\/2 {2}1 {8}203\.0\.113\.10 {2}ready {2}unknown {3}\d+ s +lb\.example\.test {2}\d{4}-/,
    );
  });

  it('a cluster that is not there is told, and nothing is deleted for it', async () => {
    const { code, stdout, stderr } = await onLink(`sync --target-kubeconfig ${folder}/nowhere.yaml`);
    expect({ code, stderr }).toStrictEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(/^NOT OBSERVED: target cluster: /);
    expect(stdout).toMatch(/\nnothing could be decided; 1 not observed\n$/);
    expect(await source.read('Service', 'shop', 'web-west')).toBeDefined();
  });

  it('no longer exported, the mirror is planned to go', async () => {
    await target.remove('Service', 'shop', 'web');
    const { code, stdout } = await onLink('plan');
    expect(code).toBe(0);
    expect(stdout).toContain('- Service shop/web-west');
  });
});
