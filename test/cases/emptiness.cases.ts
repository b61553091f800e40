// Cases of emptiness and of keeping mirrors as they should be (C), through the whole reconcile.
import { expect, it } from 'vitest';
import { aService, aSlice, EXPORTED } from '../support/builders.ts';
import { endpointsOf, refusalsOf, slicesOf } from '../support/lab.ts';
import {
  aPod,
  arrangeTarget,
  changeTarget,
  expectInSync,
  gatewayAt,
  type LabHandle,
  mirrorWeb,
  setPods,
  standing,
} from './suite.ts';

const EMPTY = { ready: [], notReady: [], ports: [] };
const FILLED = { ready: ['203.0.113.10'], notReady: [], ports: ['http:4143'] };
const EXT = { namespace: 'shop', name: 'ext-west' };

export const emptinessCases = (handle: LabHandle): void => {
  it('C1: without a ready pod the mirror is empty and keeps its ClusterIP; the first ready pod fills it', async () => {
    const { lab } = handle;
    await mirrorWeb(lab);
    expect(await endpointsOf(lab.source)).toEqual(FILLED);
    const before = await standing(lab, 'Service', 'web-west');
    await setPods(lab, []);
    expect((await lab.sync()).writes).toEqual(['PATCH Endpoints shop/web-west']);
    expect(await endpointsOf(lab.source)).toEqual(EMPTY);
    expect(await standing(lab, 'Service', 'web-west')).toEqual(before);
    await expectInSync(lab);
    await setPods(lab, [aPod('10.1.0.7', true)]);
    expect((await lab.sync()).writes).toEqual(['PATCH Endpoints shop/web-west']);
    expect(await endpointsOf(lab.source)).toEqual(FILLED);
    await expectInSync(lab);
  });

  it('C1: pods that are all unready empty the mirror; one whose readiness is not said fills it', async () => {
    const { lab } = handle;
    await mirrorWeb(lab);
    await setPods(lab, [aPod('10.1.0.1', false), aPod('10.1.0.2', false)]);
    await lab.sync();
    expect(await endpointsOf(lab.source)).toEqual(EMPTY);
    await setPods(lab, [aPod('10.1.0.1', false), aPod('10.1.0.2')]);
    await lab.sync();
    expect(await endpointsOf(lab.source)).toEqual(FILLED);
    await expectInSync(lab);
  });

  it('C1: from three ready pods to one, and from slice to slice, there is nothing to write', async () => {
    const { lab } = handle;
    await mirrorWeb(lab);
    await setPods(lab, [aPod('10.1.0.1', true), aPod('10.1.0.2', true), aPod('10.1.0.3', true)]);
    await expectInSync(lab);
    await setPods(lab, [aPod('10.1.0.1', true)]);
    await expectInSync(lab);
    await lab.target.create('EndpointSlice', aSlice({ name: 'web-fghij', addresses: ['10.1.0.9'] }));
    await setPods(lab, []);
    await expectInSync(lab);
    expect(await endpointsOf(lab.source)).toEqual(FILLED);
    await lab.target.remove('EndpointSlice', 'shop', 'web-fghij');
    await lab.sync();
    expect(await endpointsOf(lab.source)).toEqual(EMPTY);
  });

  it('C1: the same in the form of EndpointSlices, which stay to say that the mirror is empty', async () => {
    const { lab } = handle;
    lab.setLink({ endpoints: 'endpointslices' });
    await mirrorWeb(lab);
    const [before] = await slicesOf(lab.source);
    await setPods(lab, []);
    expect((await lab.sync()).writes).toEqual([`PATCH EndpointSlice shop/${before?.metadata.name}`]);
    const [empty] = await slicesOf(lab.source);
    expect(empty?.['endpoints'] ?? []).toEqual([]);
    expect(empty?.metadata.uid).toBe(before?.metadata.uid);
    await setPods(lab, [aPod('10.1.0.1', true)]);
    await lab.sync();
    const slices = await slicesOf(lab.source);
    expect(slices.map((slice) => slice['endpoints'])).toEqual([
      [{ addresses: ['203.0.113.10'], conditions: { ready: true, serving: true, terminating: false } }],
    ]);
    await expectInSync(lab);
  });

  it('C3: endpoints that appear after their Service fill the mirror in the run that sees them', async () => {
    const { lab } = handle;
    await arrangeTarget(lab, [['Service', aService()]], gatewayAt('203.0.113.10'));
    expect((await lab.sync()).writes).toEqual(['POST Service shop/web-west', 'POST Endpoints shop/web-west']);
    expect(await endpointsOf(lab.source)).toEqual(EMPTY);
    await lab.target.create('EndpointSlice', aSlice());
    expect((await lab.sync()).writes).toEqual(['PATCH Endpoints shop/web-west']);
    expect(await endpointsOf(lab.source)).toEqual(FILLED);
    await expectInSync(lab);
  });

  it('C4: a Service without selector whose endpoints are only in a slice is mirrored with the gateway', async () => {
    const { lab } = handle;
    await arrangeTarget(lab, EXT_ONLY_IN_A_SLICE, gatewayAt('203.0.113.10'));
    await lab.sync();
    expect(await lab.target.read('Endpoints', 'shop', 'ext')).toBeUndefined();
    expect(await endpointsOf(lab.source, EXT)).toEqual(FILLED);
    expect(lab.targetFaults.requests.filter((request) => request.includes('Endpoints '))).toEqual([]);
    await expectInSync(lab);
  });

  it('C4: a mirror in the form of EndpointSlices is whole without Endpoints and without a copy controller', async () => {
    const { lab } = handle;
    lab.setLink({ endpoints: 'endpointslices' });
    await arrangeTarget(lab, EXT_ONLY_IN_A_SLICE, gatewayAt('203.0.113.10', '203.0.113.11'));
    await lab.sync();
    expect(await lab.source.read('Endpoints', 'shop', 'ext-west')).toBeUndefined();
    const slices = await slicesOf(lab.source, EXT);
    expect(slices).toHaveLength(1);
    const { uid } = (await standing(lab, 'Service', 'ext-west')).metadata;
    expect(slices[0]).toMatchObject({
      metadata: {
        labels: {
          'kubernetes.io/service-name': 'ext-west',
          'endpointslice.kubernetes.io/managed-by': 'eks-service-mirror',
          'mirror.linkerd.io/mirrored-service': 'true',
          'mirror.linkerd.io/cluster-name': 'west',
        },
        annotations: {
          'mirror.linkerd.io/remote-svc-fq-name': 'ext.shop.svc.cluster.local',
          'mirror.linkerd.io/remote-gateway-identity': 'gw.id',
        },
        ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name: 'ext-west', uid }],
      },
      addressType: 'IPv4',
      endpoints: [
        { addresses: ['203.0.113.10'], conditions: { ready: true, serving: true, terminating: false } },
        { addresses: ['203.0.113.11'], conditions: { ready: true, serving: true, terminating: false } },
      ],
      ports: [{ name: 'http', port: 4143, protocol: 'TCP' }],
    });
    await expectInSync(lab);
  });

  it('C5: an update that meets a conflict is decided again on what stands there now', async () => {
    const { lab } = handle;
    await mirrorWeb(lab);
    await setPods(lab, []);
    lab.sourceFaults.add({
      on: 'PATCH Endpoints shop/web-west',
      times: 1,
      hook: () =>
        lab.source.patch('Endpoints', 'shop', 'web-west', { metadata: { annotations: { note: 'x' } } }),
    });
    const run = await lab.sync();
    expect(run.writes).toEqual(['PATCH Endpoints shop/web-west', 'PATCH Endpoints shop/web-west']);
    expect(run.report.outcomes?.map(({ result }) => result)).toEqual(['applied']);
    expect(await endpointsOf(lab.source)).toEqual(EMPTY);
    expect((await standing(lab, 'Endpoints', 'web-west')).metadata.annotations?.['note']).toBe('x');
    await expectInSync(lab);
  });

  it('C5: a write that was refused is made by the next run, and what was read is never altered', async () => {
    const { lab } = handle;
    await mirrorWeb(lab);
    await setPods(lab, []);
    lab.sourceFaults.add({
      on: 'PATCH Endpoints shop/web-west',
      times: 1,
      fail: { kind: 'denied', when: 'before' },
    });
    const failed = await lab.sync();
    expect(failed.report.outcomes?.map(({ result }) => result)).toEqual(['failed']);
    expect(refusalsOf(failed)).toEqual(['Error shop/web-west']);
    expect(await endpointsOf(lab.source)).toEqual(FILLED);
    expect((await lab.sync()).writes).toEqual(['PATCH Endpoints shop/web-west']);
    expect(await endpointsOf(lab.source)).toEqual(EMPTY);
    const given = [...lab.sourceFaults.given, ...lab.targetFaults.given];
    expect(given.length).toBeGreaterThan(10);
    expect(given.filter(({ value, text }) => JSON.stringify(value) !== text)).toEqual([]);
    await expectInSync(lab);
  });

  it('C6: Endpoints that somebody deleted or emptied are put back', async () => {
    const { lab } = handle;
    await mirrorWeb(lab);
    await lab.source.remove('Endpoints', 'shop', 'web-west');
    expect((await lab.sync()).writes).toEqual(['POST Endpoints shop/web-west']);
    expect(await endpointsOf(lab.source)).toEqual(FILLED);
    await lab.source.patch('Endpoints', 'shop', 'web-west', { subsets: null });
    expect((await lab.sync()).writes).toEqual(['PATCH Endpoints shop/web-west']);
    expect(await endpointsOf(lab.source)).toEqual(FILLED);
    await expectInSync(lab);
  });

  it('C6: a mirror Service that somebody deleted is put back with its Endpoints', async () => {
    const { lab } = handle;
    await mirrorWeb(lab);
    await lab.source.remove('Service', 'shop', 'web-west');
    expect(await lab.source.read('Endpoints', 'shop', 'web-west')).toBeUndefined();
    expect((await lab.sync()).writes).toEqual(['POST Service shop/web-west', 'POST Endpoints shop/web-west']);
    expect((await standing(lab, 'Service', 'web-west'))['spec'].ports).toEqual([
      { name: 'http', port: 80, protocol: 'TCP', targetPort: 8080 },
    ]);
    expect(await endpointsOf(lab.source)).toEqual(FILLED);
    await expectInSync(lab);
  });

  it('C6: ports, labels and annotations of ours that somebody edited are put back', async () => {
    const { lab } = handle;
    await mirrorWeb(lab);
    await lab.source.patch('Service', 'shop', 'web-west', {
      metadata: { annotations: { 'mirror.linkerd.io/remote-svc-fq-name': 'other.shop.svc.cluster.local' } },
      spec: { ports: [{ name: 'http', port: 81, targetPort: 9090, protocol: 'TCP' }] },
    });
    await lab.source.patch('Endpoints', 'shop', 'web-west', {
      metadata: { annotations: { 'mirror.linkerd.io/remote-gateway-identity': null } },
      subsets: [{ addresses: [{ ip: '203.0.113.66' }], ports: [{ name: 'http', port: 1, protocol: 'TCP' }] }],
    });
    expect((await lab.sync()).writes).toEqual([
      'PATCH Service shop/web-west',
      'PATCH Endpoints shop/web-west',
    ]);
    const service = await standing(lab, 'Service', 'web-west');
    expect(service['spec'].ports).toEqual([{ name: 'http', port: 80, protocol: 'TCP', targetPort: 8080 }]);
    expect(service.metadata.annotations?.['mirror.linkerd.io/remote-svc-fq-name']).toBe(
      'web.shop.svc.cluster.local',
    );
    expect(await endpointsOf(lab.source)).toEqual(FILLED);
    expect((await standing(lab, 'Endpoints', 'web-west')).metadata.annotations).toEqual({
      'mirror.linkerd.io/remote-gateway-identity': 'gw.id',
      'mirror.linkerd.io/remote-svc-fq-name': 'web.shop.svc.cluster.local',
    });
    await expectInSync(lab);
  });

  it('C6: in the form of EndpointSlices, a deleted slice is put back', async () => {
    const { lab } = handle;
    lab.setLink({ endpoints: 'endpointslices' });
    await mirrorWeb(lab);
    const [slice] = await slicesOf(lab.source);
    const name = slice?.metadata.name ?? '';
    await lab.source.remove('EndpointSlice', 'shop', name);
    expect((await lab.sync()).writes).toEqual([`POST EndpointSlice shop/${name}`]);
    const [restored] = await slicesOf(lab.source);
    expect(restored?.['endpoints']).toEqual(slice?.['endpoints']);
    await expectInSync(lab);
  });

  it('C6: in the form of EndpointSlices, a mirror Service put back owns its slices at once', async () => {
    const { lab } = handle;
    lab.setLink({ endpoints: 'endpointslices' });
    await mirrorWeb(lab);
    const [slice] = await slicesOf(lab.source);
    await lab.source.remove('Service', 'shop', 'web-west');
    const run = await lab.sync();
    expect(run.writes).toEqual([
      'POST Service shop/web-west',
      `PATCH EndpointSlice shop/${slice?.metadata.name}`,
    ]);
    const { uid } = (await standing(lab, 'Service', 'web-west')).metadata;
    expect((await slicesOf(lab.source)).map(({ metadata }) => metadata.ownerReferences)).toEqual([
      [{ apiVersion: 'v1', kind: 'Service', name: 'web-west', uid }],
    ]);
    await expectInSync(lab);
  });

  it('C7: a label that changes on the exported Service changes on the mirror and on its Endpoints', async () => {
    const { lab } = handle;
    await mirrorWeb(lab, aService({ labels: { ...EXPORTED, tier: 'a' } }));
    for (const kind of ['Service', 'Endpoints'] as const)
      expect((await standing(lab, kind, 'web-west')).metadata.labels?.['tier']).toBe('a');
    await changeTarget(lab, 'web', { metadata: { labels: { tier: 'b' } } });
    expect((await lab.sync()).writes).toEqual([
      'PATCH Service shop/web-west',
      'PATCH Endpoints shop/web-west',
    ]);
    for (const kind of ['Service', 'Endpoints'] as const)
      expect((await standing(lab, kind, 'web-west')).metadata.labels).toEqual({
        tier: 'b',
        'mirror.linkerd.io/mirrored-service': 'true',
        'mirror.linkerd.io/cluster-name': 'west',
      });
    await changeTarget(lab, 'web', { metadata: { labels: { tier: null } } });
    await lab.sync();
    for (const kind of ['Service', 'Endpoints'] as const)
      expect((await standing(lab, kind, 'web-west')).metadata.labels).toEqual({
        'mirror.linkerd.io/mirrored-service': 'true',
        'mirror.linkerd.io/cluster-name': 'west',
      });
    await expectInSync(lab);
  });
};

const EXT_ONLY_IN_A_SLICE = [
  ['Service', aService({ name: 'ext' })],
  ['EndpointSlice', aSlice({ service: 'ext', addresses: ['192.0.2.7'], labels: { team: 'data' } })],
] as const;
