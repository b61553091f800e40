// Cases of the gateway's addresses (A), through the whole reconcile.
import { expect, it } from 'vitest';
import { aGateway, aMirror, aMirrorEndpoints, aService, aSlice, GATEWAY_HOST } from '../support/builders.ts';
import { SERVFAIL } from '../support/dns.ts';
import { endpointsOf, refusalsOf } from '../support/lab.ts';
import { arrangeTarget, changeTarget, type LabHandle, UNEXPORT, WEB } from './suite.ts';

const GATEWAY_STATUS = ['Service', 'linkerd-multicluster', 'linkerd-gateway'] as const;

export const gatewayCases = (handle: LabHandle): void => {
  it('A1: a gateway that has only a hostname gets mirrors with the addresses behind it', async () => {
    const { lab } = handle;
    await arrangeTarget(lab, WEB);
    lab.dns.set(GATEWAY_HOST, ['203.0.113.10']);
    const { report } = await lab.sync();
    expect(report.refusals).toEqual([]);
    expect((await lab.source.read('Service', 'shop', 'web-west'))?.['spec'].ports).toEqual([
      { name: 'http', port: 80, protocol: 'TCP', targetPort: 8080 },
    ]);
    expect(await endpointsOf(lab.source)).toEqual({
      ready: ['203.0.113.10'],
      notReady: [],
      ports: ['http:4143'],
    });
  });

  it('A2: while the name does not resolve the mirror is empty and says why; then it fills by itself', async () => {
    const { lab } = handle;
    await arrangeTarget(lab, WEB);
    const before = await lab.sync();
    expect(refusalsOf(before)).toEqual(['GatewayUnresolved linkerd-multicluster/linkerd-gateway']);
    expect(await lab.source.read('Service', 'shop', 'web-west')).toBeDefined();
    expect(await endpointsOf(lab.source)).toEqual({ ready: [], notReady: [], ports: [] });
    lab.dns.set(GATEWAY_HOST, ['203.0.113.10']);
    const after = await lab.syncLater(300);
    expect(after.writes).toEqual(['PATCH Endpoints shop/web-west']);
    expect(after.report.refusals).toEqual([]);
    expect((await endpointsOf(lab.source))?.ready).toEqual(['203.0.113.10']);
  });

  it('A4: every address of the answer is listed, sorted; another order of the same set is no reason to write', async () => {
    const { lab } = handle;
    await arrangeTarget(lab, WEB);
    lab.dns.set(GATEWAY_HOST, ['203.0.113.12', '203.0.113.9', '203.0.113.11']);
    await lab.sync();
    expect((await endpointsOf(lab.source))?.ready).toEqual(['203.0.113.9', '203.0.113.11', '203.0.113.12']);
    lab.dns.set(GATEWAY_HOST, ['203.0.113.11', '203.0.113.12', '203.0.113.9']);
    expect((await lab.syncLater()).writes).toEqual([]);
  });

  it('A5: a gateway without an address yet makes an empty mirror with the reason, filled once there is one', async () => {
    const { lab } = handle;
    await arrangeTarget(lab, WEB, aGateway({ ingress: [] }));
    const before = await lab.sync();
    expect(refusalsOf(before)).toEqual(['NoGatewayAddress linkerd-multicluster/linkerd-gateway']);
    expect(await endpointsOf(lab.source)).toEqual({ ready: [], notReady: [], ports: [] });
    await lab.target.patchStatus(...GATEWAY_STATUS, { loadBalancer: { ingress: [{ ip: '203.0.113.10' }] } });
    const after = await lab.sync();
    expect(after.writes).toEqual(['PATCH Endpoints shop/web-west']);
    expect((await endpointsOf(lab.source))?.ready).toEqual(['203.0.113.10']);
  });

  it('A6: a replaced load balancer is followed from the gateway Service itself', async () => {
    const { lab } = handle;
    await arrangeTarget(lab, WEB);
    lab.dns.set(GATEWAY_HOST, ['203.0.113.10']);
    await lab.sync();
    await lab.target.patchStatus(...GATEWAY_STATUS, {
      loadBalancer: { ingress: [{ hostname: 'new.example.test' }] },
    });
    lab.dns.set('new.example.test', ['198.51.100.5']);
    const run = await lab.sync();
    expect(run.writes).toEqual(['PATCH Endpoints shop/web-west']);
    expect((await endpointsOf(lab.source))?.ready).toEqual(['198.51.100.5']);
  });

  it('A6: addresses that the link pins win over the status of the gateway Service', async () => {
    const { lab } = handle;
    await arrangeTarget(lab, WEB);
    lab.dns.set(GATEWAY_HOST, ['203.0.113.10']);
    lab.setLink({ gateway: { addresses: ['198.51.100.7'] } });
    await lab.sync();
    expect((await endpointsOf(lab.source))?.ready).toEqual(['198.51.100.7']);
    expect(lab.dns.asked).toEqual([]);
  });

  it('A12: a gateway change of one link writes nothing to the mirrors of another', async () => {
    const { lab } = handle;
    await lab.source.create('Service', aMirror({ name: 'web-east', link: 'east' }));
    await lab.source.create(
      'Endpoints',
      aMirrorEndpoints({ name: 'web-east', link: 'east', ready: ['203.0.113.1'] }),
    );
    const untouched = await lab.source.read('Endpoints', 'shop', 'web-east');
    await arrangeTarget(lab, WEB, aGateway({ ingress: [{ ip: '203.0.113.2' }] }));
    await lab.sync();
    await lab.target.patchStatus(...GATEWAY_STATUS, { loadBalancer: { ingress: [{ ip: '203.0.113.9' }] } });
    expect((await lab.sync()).writes).toEqual(['PATCH Endpoints shop/web-west']);
    expect((await endpointsOf(lab.source))?.ready).toEqual(['203.0.113.9']);
    expect(await lab.source.read('Endpoints', 'shop', 'web-east')).toEqual(untouched);
  });

  it('A13: a name that cannot be resolved holds up nothing else', async () => {
    const { lab } = handle;
    await arrangeTarget(lab, [
      ...WEB,
      ['Service', aService({ name: 'old' })],
      ['EndpointSlice', aSlice({ service: 'old' })],
    ]);
    lab.dns.set(GATEWAY_HOST, ['203.0.113.10']);
    await lab.sync();
    await changeTarget(lab, 'old', UNEXPORT);
    lab.dns.set(GATEWAY_HOST, SERVFAIL);
    const run = await lab.syncLater();
    expect(run.writes).toEqual(['DELETE Endpoints shop/old-west', 'DELETE Service shop/old-west']);
    expect(await lab.source.read('Service', 'shop', 'old-west')).toBeUndefined();
    expect((await endpointsOf(lab.source))?.ready).toEqual(['203.0.113.10']);
  });

  it('A13: many Services behind one gateway name ask for it once per TTL', async () => {
    const { lab } = handle;
    const names = Array.from({ length: 20 }, (_unused, index) => `web-${index}`);
    await arrangeTarget(
      lab,
      names.map((name) => ['Service', aService({ name })] as const),
    );
    lab.dns.set(GATEWAY_HOST, ['203.0.113.10']);
    await lab.sync();
    await lab.sync();
    expect(lab.dns.asked).toEqual([`${GATEWAY_HOST} IPv4`]);
    expect(await lab.source.list('Service', 'shop')).toHaveLength(20);
    await lab.syncLater();
    expect(lab.dns.asked).toEqual([`${GATEWAY_HOST} IPv4`, `${GATEWAY_HOST} IPv4`]);
  });

  it('A7: a changed identity and a changed port of the gateway reach every mirror', async () => {
    const { lab } = handle;
    await arrangeTarget(lab, WEB, aGateway({ ingress: [{ ip: '203.0.113.10' }], identity: 'id-1' }));
    await lab.sync();
    await lab.target.patch(...GATEWAY_STATUS, {
      metadata: { annotations: { 'mirror.linkerd.io/gateway-identity': 'id-2' } },
      spec: { ports: [{ name: 'mc-gateway', port: 4144, protocol: 'TCP' }] },
    });
    expect((await lab.sync()).writes).toEqual(['PATCH Endpoints shop/web-west']);
    const endpoints = await lab.source.read('Endpoints', 'shop', 'web-west');
    expect(endpoints?.metadata.annotations?.['mirror.linkerd.io/remote-gateway-identity']).toBe('id-2');
    expect((await endpointsOf(lab.source))?.ports).toEqual(['http:4144']);
  });

  it('A7: an identity that the target empties is refused and the former one stays; the owner of the link may drop it', async () => {
    const { lab } = handle;
    const identity = async () =>
      (await lab.source.read('Endpoints', 'shop', 'web-west'))?.metadata.annotations?.[
        'mirror.linkerd.io/remote-gateway-identity'
      ];
    await arrangeTarget(lab, WEB, aGateway({ ingress: [{ ip: '203.0.113.10' }], identity: 'id-1' }));
    await lab.sync();
    await lab.target.patch(...GATEWAY_STATUS, {
      metadata: { annotations: { 'mirror.linkerd.io/gateway-identity': null } },
    });
    const run = await lab.sync();
    expect(run.writes).toEqual([]);
    expect(refusalsOf(run)).toEqual(['IdentityChanged linkerd-multicluster/linkerd-gateway']);
    expect(await identity()).toBe('id-1');
    lab.setLink({ gateway: { identity: '' } });
    expect((await lab.sync()).writes).toEqual(['PATCH Endpoints shop/web-west']);
    expect(await identity()).toBeUndefined();
  });

  it('A9: answers in another order write nothing; TTLs have a floor and a ceiling', async () => {
    const { lab } = handle;
    await arrangeTarget(lab, WEB);
    const answer = (addresses: readonly string[], ttl: number) =>
      lab.dns.set(GATEWAY_HOST, { kind: 'addresses', addresses, ttl, partial: false });
    answer(['203.0.113.1', '203.0.113.2'], 5);
    await lab.sync();
    for (let round = 0; round < 6; round += 1) {
      answer(round % 2 === 0 ? ['203.0.113.2', '203.0.113.1'] : ['203.0.113.1', '203.0.113.2'], 5);
      expect((await lab.syncLater(5)).writes).toEqual([]);
    }
    expect((await endpointsOf(lab.source))?.ready).toEqual(['203.0.113.1', '203.0.113.2']);
    expect(lab.dns.asked.length).toBeLessThanOrEqual(4); // 30 s with a floor of 10 s
    answer(['203.0.113.1', '203.0.113.2'], 3600);
    await lab.syncLater(15);
    const asked = lab.dns.asked.length;
    await lab.syncLater(290);
    expect(lab.dns.asked).toHaveLength(asked);
    await lab.syncLater(30);
    expect(lab.dns.asked).toHaveLength(asked + 1);
  });

  it('A15: a name that does not resolve is asked by its negative TTL, and nothing else waits for it', async () => {
    const { lab } = handle;
    await arrangeTarget(lab, WEB);
    for (let run = 0; run < 40; run += 1) await lab.syncLater(15);
    expect(lab.dns.asked.length).toBeLessThanOrEqual(11); // ten minutes, once a minute
    expect(lab.dns.asked.length).toBeGreaterThanOrEqual(8);
    expect(await endpointsOf(lab.source)).toEqual({ ready: [], notReady: [], ports: [] });
    await changeTarget(lab, 'web', UNEXPORT);
    await lab.sync();
    expect(await lab.source.read('Service', 'shop', 'web-west')).toBeUndefined();
  });
};
