// The gateway's name behind a real CoreDNS, its mirrors on real API servers, and what readers of the source cluster then find.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Prober } from '../../lib/ports.ts';
import { httpProber } from '../../lib/probe/http.ts';
import { dialling, type ScriptedTarget, startProbeTarget } from '../../sandbox/probe-target.ts';
import { arrangeTarget, sorted, WEB } from '../cases/suite.ts';
import { realClock } from '../dns/clocks.ts';
import { aGateway, aService, aSlice, GATEWAY_HOST } from '../support/builders.ts';
import { endpointsOf, type Lab, refusalsOf, slicesOf } from '../support/lab.ts';
import { until } from '../support/until.ts';
import { AWAY, type Ground, startGround } from './coredns-ground.ts';

const IP = '203.0.113.10';
const GATEWAY = 'linkerd-multicluster';
const API = { namespace: 'shop', name: 'api-west' };
const MIRROR = { namespace: GATEWAY, name: 'gateway-west' };
const PROBE = { namespace: GATEWAY, name: 'probe-west' };

/** What Linkerd's chart leaves in the source cluster for a link. */
const probeService = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { ...PROBE, labels: { 'mirror.linkerd.io/cluster-name': 'west' } },
  spec: { ports: [{ name: 'mc-probe', port: 4191, protocol: 'TCP' }] },
};

const lb = (...ips: readonly string[]): readonly string[] => ips.map((ip) => `lb 2 IN A ${ip}`);

let ground: Ground;
let lab: Lab;
beforeAll(async () => {
  ground = await startGround();
});
beforeEach(async () => {
  lab = await ground.open();
});
afterEach(() => lab?.close());
afterAll(() => ground?.close());

const readyIn = async (key?: { namespace: string; name: string }): Promise<readonly string[] | undefined> =>
  (await endpointsOf(lab.source, key))?.ready;

/** The conditions under which the one address of a mirror stands in the copy of its Endpoints. */
const copiedConditions = async (name: string): Promise<readonly unknown[]> =>
  (await slicesOf(lab.source, { namespace: 'shop', name })).flatMap(({ endpoints }) =>
    endpoints.map(({ addresses, conditions }: { addresses: string[]; conditions: { ready: boolean } }) => [
      ...addresses,
      conditions.ready,
    ]),
  );

describe('a gateway whose load balancer has only a hostname', () => {
  it('A1: readers of the source cluster find the mirror by its name, and the gateway behind it', async () => {
    await arrangeTarget(lab, WEB);
    await ground.publish(lb(IP));
    expect((await lab.sync()).report.refusals).toEqual([]);
    expect(await endpointsOf(lab.source)).toEqual({ ready: [IP], notReady: [], ports: ['http:4143'] });

    await until('the Endpoints of web-west are copied', async () => (await slicesOf(lab.source)).length > 0);
    expect(await slicesOf(lab.source)).toMatchObject([
      {
        metadata: {
          labels: {
            'kubernetes.io/service-name': 'web-west',
            'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io',
            'mirror.linkerd.io/mirrored-service': 'true',
            'mirror.linkerd.io/cluster-name': 'west',
          },
          annotations: {
            'mirror.linkerd.io/remote-svc-fq-name': 'web.shop.svc.cluster.local',
            'mirror.linkerd.io/remote-gateway-identity': 'gw.id',
          },
        },
        addressType: 'IPv4',
        endpoints: [{ addresses: [IP], conditions: { ready: true } }],
        ports: [{ name: 'http', port: 4143, protocol: 'TCP' }],
      },
    ]);
    const name = 'web-west.shop.svc.cluster.local';
    const clusterIP: string = (await lab.source.read('Service', 'shop', 'web-west'))?.['spec'].clusterIP;
    expect(clusterIP).toMatch(/^10\.96\./);
    const isKnown = (): Promise<boolean> =>
      ground.lookUp(name).then(
        () => true,
        () => false,
      );
    await until(`${name} resolves`, isKnown);
    expect(await ground.lookUp(name)).toEqual([clusterIP]);

    const holders = [...(await lab.source.list('Endpoints')), ...(await lab.source.list('EndpointSlice'))];
    expect(JSON.stringify(holders)).not.toContain(GATEWAY_HOST);
    expect((await lab.sync()).writes).toEqual([]);
  });

  it('A3: replaced addresses are published beside the old ones, then alone, by one write per object and step', async () => {
    lab.setLink({ gatewayMirror: 'addresses' });
    await lab.source.create('Service', probeService);
    await arrangeTarget(lab, [
      ...WEB,
      ['Service', aService({ name: 'api' })],
      ['EndpointSlice', aSlice({ service: 'api' })],
      ['Service', aService({ name: 'empty' })],
    ]);
    await ground.publish(lb(IP));
    await lab.sync();
    const everywhere = () => Promise.all([readyIn(), readyIn(API), readyIn(MIRROR), readyIn(PROBE)]);
    const expectStep = async (answer: readonly string[], published: readonly string[]): Promise<void> => {
      await ground.publish(lb(...answer));
      expect(sorted((await lab.syncLater(15)).writes)).toEqual([
        'PATCH Endpoints linkerd-multicluster/gateway-west',
        'PATCH Endpoints linkerd-multicluster/probe-west',
        'PATCH Endpoints shop/api-west',
        'PATCH Endpoints shop/web-west',
      ]);
      expect(await everywhere()).toEqual([published, published, published, published]);
    };
    await expectStep(['203.0.113.77'], [IP, '203.0.113.77']);
    await expectStep(['203.0.113.77'], ['203.0.113.77']);
    expect((await lab.syncLater(15)).writes).toEqual([]);
    // An answer that shares an address with the present ones is believed at once.
    await expectStep(['203.0.113.78', '203.0.113.77'], ['203.0.113.77', '203.0.113.78']);
    await expectStep(['203.0.113.79', '203.0.113.78'], ['203.0.113.78', '203.0.113.79']);
    expect((await lab.syncLater(15)).writes).toEqual([]);
    expect(await readyIn({ namespace: 'shop', name: 'empty-west' })).toEqual([]);
  });

  it.each([
    ['SERVFAIL', `lb 2 IN CNAME lb.${AWAY}.`, /: SERVFAIL since .*; its last addresses stay/, 150],
    ['an empty answer', 'lb 2 IN TXT "no address"', /: NODATA since .*; its last addresses stay/, 20],
  ])(
    'A8: five rounds of %s change nothing, are told, and are over with the first good answer',
    async (_what, record, told, seconds) => {
      await arrangeTarget(lab, WEB);
      await ground.publish(lb(IP));
      await lab.sync();
      const before = await lab.source.read('Endpoints', 'shop', 'web-west');
      await ground.publish([record]);
      for (let round = 0; round < 5; round += 1) {
        const run = await lab.syncLater(seconds);
        expect(run.writes).toEqual([]);
        expect(refusalsOf(run)).toEqual(['GatewayUnresolved linkerd-multicluster/linkerd-gateway']);
        expect(run.report.refusals[0]?.message).toMatch(told);
      }
      await ground.publish(lb(IP));
      const run = await lab.syncLater(150);
      expect([run.writes, run.report.refusals]).toEqual([[], []]);
      expect(await lab.source.read('Endpoints', 'shop', 'web-west')).toEqual(before);
      // The twin: the same rounds would have seen another address.
      await ground.publish(lb(IP, '203.0.113.11'));
      expect((await lab.syncLater(15)).writes).toEqual(['PATCH Endpoints shop/web-west']);
      expect(await readyIn()).toEqual([IP, '203.0.113.11']);
    },
  );
});

describe('a gateway that is probed over HTTP', () => {
  let gateway: ScriptedTarget;
  let prober: Prober;
  beforeEach(async () => {
    gateway = await startProbeTarget();
    prober = httpProber({ clock: realClock, connectTo: dialling(new Map([[IP, gateway]])) });
    lab.probeWith({ prober, others: () => Promise.resolve([]) });
    lab.setLink({ probe: {}, gatewayMirror: 'addresses' });
  });
  afterEach(() => gateway?.close());

  it('B1: while it is dead every mirror and its copy is not ready, new ones too; its probe endpoints stay ready', async () => {
    await lab.source.create('Service', probeService);
    await arrangeTarget(lab, WEB, aGateway());
    await ground.publish(lb(IP));
    await lab.sync();
    await until('the copy is ready', async () => (await copiedConditions('web-west')).length > 0);
    expect(await copiedConditions('web-west')).toEqual([[IP, true]]);
    expect(gateway.requests).toMatchObject([
      { method: 'GET', path: '/ready', headers: { host: `${IP}:4191` } },
    ]);

    await gateway.set('hangUp');
    expect((await lab.syncLater(15)).writes).toEqual(['PATCH Endpoints shop/web-west']);
    expect(gateway.requests).toHaveLength(4); // followed up to the threshold within the run
    expect(await endpointsOf(lab.source)).toMatchObject({ ready: [], notReady: [IP] });
    expect([await readyIn(MIRROR), await readyIn(PROBE)]).toEqual([[IP], [IP]]);
    const isCopied = async (name: string, ready: boolean): Promise<boolean> =>
      JSON.stringify(await copiedConditions(name)) === JSON.stringify([[IP, ready]]);
    await until('the copy is not ready', () => isCopied('web-west', false));

    await lab.target.create('Service', aService({ name: 'api' }));
    await lab.target.create('EndpointSlice', aSlice({ service: 'api' }));
    await lab.syncLater(15);
    expect(await endpointsOf(lab.source, API)).toMatchObject({ ready: [], notReady: [IP] });
    await until('the copy of the new one is born not ready', () => isCopied('api-west', false));
    expect((await lab.syncLater(15)).writes).toEqual([]);

    await gateway.set(403); // any answer is alive
    expect(sorted((await lab.syncLater(15)).writes)).toEqual([
      'PATCH Endpoints shop/api-west',
      'PATCH Endpoints shop/web-west',
    ]);
    expect([await readyIn(), await readyIn(API)]).toEqual([[IP], [IP]]);
    await until('both copies are ready', async () => {
      return (await isCopied('web-west', true)) && isCopied('api-west', true);
    });
  });

  it('B1: two failures and an answer are no reason to write', async () => {
    await arrangeTarget(lab, WEB, aGateway());
    await ground.publish(lb(IP));
    await lab.sync();
    await gateway.set('refused');
    let probes = 0;
    const probe: Prober['probe'] = async (target, mayDial) => {
      probes += 1;
      if (probes === 3) await gateway.set(200);
      return prober.probe(target, mayDial);
    };
    lab.probeWith({ prober: { probe }, others: () => Promise.resolve([]) });
    expect((await lab.syncLater(15)).writes).toEqual([]);
    expect(probes).toBe(3);
    expect(await endpointsOf(lab.source)).toMatchObject({ ready: [IP], notReady: [] });
  });
});
