// Mirrors that Linkerd's own controller wrote are taken over in place, through the whole reconcile.
import { expect, it } from 'vitest';
import type { KubeObject } from '../support/api.ts';
import { aGateway, aService, aSlice, EXPORTED, GATEWAY_HOST, REMOTE_DISCOVERY } from '../support/builders.ts';
import { SERVFAIL } from '../support/dns.ts';
import { endpointsOf, type Lab, refusalsOf } from '../support/lab.ts';
import { arrangeTarget, changeTarget, expectInSync, gatewayAt, type LabHandle, standing } from './suite.ts';

const OWNERSHIP = {
  'mirror.linkerd.io/mirrored-service': 'true',
  'mirror.linkerd.io/cluster-name': 'west',
};
const FQ_NAME = { 'mirror.linkerd.io/remote-svc-fq-name': 'web.shop.svc.cluster.local' };
const IDENTITY = { 'mirror.linkerd.io/remote-gateway-identity': 'gw.id' };
const VERSION = 'mirror.linkerd.io/remote-resource-version';
const HTTP = { name: 'http', port: 80, protocol: 'TCP', targetPort: 8080 };
const ADMIN = { name: 'admin', port: 9990, protocol: 'TCP', targetPort: 'adm' };
const LISTED = [HTTP, ADMIN].map(({ name, protocol }) => ({ name, port: 4143, protocol }));

/** The exported Service that both controllers see. */
const exported = aService({
  labels: { ...EXPORTED, tier: 'front' },
  annotations: { note: 'kept', 'config.linkerd.io/opaque-ports': '9990' },
  ports: [HTTP, ADMIN],
});

const linkerdService = (
  given: { labels?: object; annotations?: object; ports?: readonly object[] } = {},
): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    namespace: 'shop',
    name: 'web-west',
    labels: { ...OWNERSHIP, tier: 'front', ...given.labels },
    annotations: {
      ...FQ_NAME,
      [VERSION]: '1',
      note: 'kept',
      'config.linkerd.io/opaque-ports': '9990',
      ...given.annotations,
    },
  },
  spec: { ports: given.ports ?? [HTTP, ADMIN] },
});

const linkerdEndpoints = (given: { labels?: object; ips?: readonly string[] } = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Endpoints',
  metadata: {
    namespace: 'shop',
    name: 'web-west',
    labels: { ...OWNERSHIP, tier: 'front', ...given.labels },
    annotations: { ...FQ_NAME, ...IDENTITY },
  },
  subsets: [{ addresses: (given.ips ?? ['203.0.113.10']).map((ip) => ({ ip })), ports: LISTED }],
});

/** Written as Linkerd's controller writes: its field manager is called "controller". */
const arrangeLinkerd = async (
  lab: Lab,
  service: KubeObject = linkerdService(),
  endpoints: KubeObject = linkerdEndpoints(),
): Promise<void> => {
  const controller = lab.source.as('controller');
  await controller.create('Service', service);
  await controller.create('Endpoints', endpoints);
};

const arrangeExport = (lab: Lab): Promise<void> =>
  arrangeTarget(
    lab,
    [
      ['Service', exported],
      ['EndpointSlice', aSlice()],
    ],
    gatewayAt('203.0.113.10'),
  );

const managersOf = ({ metadata }: KubeObject): readonly string[] => {
  const entries = metadata['managedFields'];
  return Array.isArray(entries) ? entries.map(({ manager }) => manager) : [];
};

const annotationsOf = async (lab: Lab): Promise<object> => {
  const { [VERSION]: _, ...others } = (await standing(lab, 'Service', 'web-west')).metadata.annotations ?? {};
  return others;
};

export const takeoverCases = (handle: LabHandle): void => {
  it('a mirror that says what we would say is not written at all', async () => {
    const { lab } = handle;
    await arrangeLinkerd(lab);
    await arrangeExport(lab);
    const before = [await standing(lab, 'Service', 'web-west'), await standing(lab, 'Endpoints', 'web-west')];
    expect(managersOf(before[0] ?? exported)).toEqual(['controller']);
    const run = await lab.sync();
    expect(run.report.refusals).toEqual([]);
    expect(run.writes).toEqual([]);
    expect([
      await standing(lab, 'Service', 'web-west'),
      await standing(lab, 'Endpoints', 'web-west'),
    ]).toEqual(before);
  });

  it('what it left behind of earlier versions of the Service goes; UID and ClusterIP stay', async () => {
    const { lab } = handle;
    const stale = linkerdService({
      labels: { old: 'x', tier: 'back' },
      annotations: { former: 'y' },
      ports: [
        HTTP,
        { ...ADMIN, port: 9991 },
        { name: 'former', port: 1234, protocol: 'TCP', targetPort: 1234 },
      ],
    });
    await arrangeLinkerd(lab, stale, linkerdEndpoints({ labels: { old: 'x' }, ips: ['203.0.113.99'] }));
    await arrangeExport(lab);
    const before = await standing(lab, 'Service', 'web-west');
    const endpoints = await standing(lab, 'Endpoints', 'web-west');
    expect((await lab.sync()).writes).toEqual([
      'PATCH Service shop/web-west',
      'PATCH Endpoints shop/web-west',
    ]);
    const after = await standing(lab, 'Service', 'web-west');
    expect(after.metadata.labels).toEqual({ ...OWNERSHIP, tier: 'front' });
    expect(await annotationsOf(lab)).toEqual({
      ...FQ_NAME,
      note: 'kept',
      'config.linkerd.io/opaque-ports': '9990',
    });
    expect(after['spec'].ports).toEqual([HTTP, ADMIN]);
    expect([after.metadata.uid, after['spec'].clusterIP]).toEqual([
      before.metadata.uid,
      before['spec'].clusterIP,
    ]);
    const taken = await standing(lab, 'Endpoints', 'web-west');
    expect(taken.metadata.uid).toBe(endpoints.metadata.uid);
    expect(taken.metadata.labels).toEqual({ ...OWNERSHIP, tier: 'front' });
    expect((await endpointsOf(lab.source))?.ready).toEqual(['203.0.113.10']);
    await expectInSync(lab);
  });

  it('what the target drops afterwards really goes, from the fields that Linkerd wrote too', async () => {
    const { lab } = handle;
    await arrangeLinkerd(lab);
    await arrangeExport(lab);
    await lab.sync();
    await changeTarget(lab, 'web', {
      metadata: {
        labels: { tier: null },
        annotations: { note: null, 'config.linkerd.io/opaque-ports': null },
      },
      spec: { ports: [HTTP] },
    });
    expect((await lab.sync()).writes).toEqual([
      'PATCH Service shop/web-west',
      'PATCH Endpoints shop/web-west',
    ]);
    const service = await standing(lab, 'Service', 'web-west');
    expect(service.metadata.labels).toEqual(OWNERSHIP);
    expect(await annotationsOf(lab)).toEqual(FQ_NAME);
    expect(service['spec'].ports).toEqual([HTTP]);
    const endpoints = await standing(lab, 'Endpoints', 'web-west');
    expect(endpoints.metadata.labels).toEqual(OWNERSHIP);
    expect((await endpointsOf(lab.source))?.ports).toEqual(['http:4143']);
    await expectInSync(lab);
  });

  it('a port that is renumbered under the same name is replaced', async () => {
    const { lab } = handle;
    await arrangeLinkerd(lab);
    await arrangeExport(lab);
    await changeTarget(lab, 'web', { spec: { ports: [{ ...HTTP, port: 81 }, ADMIN] } });
    expect((await lab.sync()).writes).toEqual(['PATCH Service shop/web-west']);
    expect((await standing(lab, 'Service', 'web-west'))['spec'].ports).toEqual([
      { ...HTTP, port: 81 },
      ADMIN,
    ]);
    await expectInSync(lab);
  });

  it('what other tools put on it survives the take-over and everything after it', async () => {
    const { lab } = handle;
    await arrangeLinkerd(lab, linkerdService({ labels: { old: 'x' } }));
    const labeller = lab.source.as('kubectl-label');
    await labeller.patch('Service', 'shop', 'web-west', { metadata: { labels: { scrape: 'yes' } } });
    await labeller.patch('Endpoints', 'shop', 'web-west', { metadata: { annotations: { owner: 'ops' } } });
    await arrangeExport(lab);
    await lab.sync();
    await changeTarget(lab, 'web', { metadata: { labels: { tier: null, team: 'b' } } });
    await lab.sync();
    expect((await standing(lab, 'Service', 'web-west')).metadata.labels).toEqual({
      ...OWNERSHIP,
      scrape: 'yes',
      team: 'b',
    });
    expect((await standing(lab, 'Endpoints', 'web-west')).metadata.annotations).toEqual({
      ...FQ_NAME,
      ...IDENTITY,
      owner: 'ops',
    });
    await expectInSync(lab);
  });

  it('a mirror that lost its export goes, and so do its Endpoints', async () => {
    const { lab } = handle;
    await arrangeLinkerd(lab);
    await lab.target.create('Service', gatewayAt('203.0.113.10'));
    expect((await lab.sync()).writes).toEqual([
      'DELETE Endpoints shop/web-west',
      'DELETE Service shop/web-west',
    ]);
    expect(await lab.source.list('Service', 'shop')).toEqual([]);
    await expectInSync(lab);
  });

  it('while the gateway name cannot be resolved, the addresses and the identity that it holds are kept', async () => {
    const { lab } = handle;
    await arrangeLinkerd(lab, linkerdService(), linkerdEndpoints({ ips: ['203.0.113.7', '203.0.113.8'] }));
    await arrangeTarget(
      lab,
      [
        ['Service', exported],
        ['EndpointSlice', aSlice()],
      ],
      aGateway(),
    );
    lab.dns.set(GATEWAY_HOST, SERVFAIL);
    const run = await lab.sync();
    expect(refusalsOf(run)).toEqual(['GatewayUnresolved linkerd-multicluster/linkerd-gateway']);
    expect(run.writes).toEqual([]);
    expect((await endpointsOf(lab.source))?.ready).toEqual(['203.0.113.7', '203.0.113.8']);
    lab.dns.set(GATEWAY_HOST, ['203.0.113.8', '203.0.113.9']);
    await lab.syncLater(300);
    expect((await endpointsOf(lab.source))?.ready).toEqual(['203.0.113.8', '203.0.113.9']);
  });

  it('in the form of EndpointSlices its Endpoints make way for a slice', async () => {
    const { lab } = handle;
    lab.setLink({ endpoints: 'endpointslices' });
    await arrangeLinkerd(lab);
    await arrangeExport(lab);
    const { clusterIP } = (await standing(lab, 'Service', 'web-west'))['spec'];
    const run = await lab.sync();
    expect(run.writes.map((write) => write.split(' ').slice(0, 2).join(' '))).toEqual([
      'POST EndpointSlice',
      'DELETE Endpoints',
    ]);
    expect(await endpointsOf(lab.source)).toBeUndefined();
    expect((await lab.source.list('EndpointSlice', 'shop')).map((slice) => slice['endpoints'])).toMatchObject(
      [[{ addresses: ['203.0.113.10'] }]],
    );
    expect((await standing(lab, 'Service', 'web-west'))['spec'].clusterIP).toBe(clusterIP);
    await expectInSync(lab);
  });

  it('a mirror in remote-discovery mode is taken over with its labels', async () => {
    const { lab } = handle;
    const discovery = {
      'multicluster.linkerd.io/remote-discovery': 'west',
      'multicluster.linkerd.io/remote-service': 'web',
    };
    await lab.source.as('controller').create('Service', linkerdService({ labels: discovery }));
    await arrangeTarget(lab, [
      [
        'Service',
        { ...exported, metadata: { ...exported.metadata, labels: { ...REMOTE_DISCOVERY, tier: 'front' } } },
      ],
    ]);
    lab.dns.set(GATEWAY_HOST, ['203.0.113.10']);
    expect((await lab.sync()).writes).toEqual([]);
    await changeTarget(lab, 'web', { metadata: { labels: EXPORTED } });
    await lab.target.create('EndpointSlice', aSlice());
    await lab.sync();
    expect((await standing(lab, 'Service', 'web-west')).metadata.labels).toEqual({
      ...OWNERSHIP,
      tier: 'front',
    });
    expect((await endpointsOf(lab.source))?.ready).toEqual(['203.0.113.10']);
    await expectInSync(lab);
  });

  it('Linkerd taking the mirror back and us taking it over again leaves nothing behind', async () => {
    const { lab } = handle;
    await arrangeExport(lab);
    await lab.sync();
    const controller = lab.source.as('controller');
    await controller.patch('Service', 'shop', 'web-west', {
      metadata: { labels: { tier: 'back', extra: 'x' } },
    });
    await lab.sync();
    expect((await standing(lab, 'Service', 'web-west')).metadata.labels).toEqual({
      ...OWNERSHIP,
      tier: 'front',
    });
    await expectInSync(lab);
  });
};
