// The gateway mirror, and the Endpoints of the probe Service that Linkerd's chart made.
import { expect, it } from 'vitest';
import { aGateway, GATEWAY_HOST } from '../support/builders.ts';
import { endpointsOf, refusalsOf } from '../support/lab.ts';
import { arrangeTarget, type LabHandle } from './suite.ts';

const MIRROR = { namespace: 'linkerd-multicluster', name: 'gateway-west' };
const PROBE = { namespace: 'linkerd-multicluster', name: 'probe-west' };

const probeService = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    ...PROBE,
    labels: { 'mirror.linkerd.io/cluster-name': 'west', 'mirror.linkerd.io/mirrored-gateway': 'true' },
  },
  spec: { ports: [{ name: 'mc-probe', port: 4191, protocol: 'TCP' }] },
};

export const gatewayMirrorCases = (handle: LabHandle): void => {
  it('the gateway mirror lists what the gateway resolves to, on its two ports, and is no mirrored Service', async () => {
    const { lab } = handle;
    lab.setLink({ gatewayMirror: 'addresses' });
    await arrangeTarget(lab, []);
    lab.dns.set(GATEWAY_HOST, ['203.0.113.10']);
    const run = await lab.sync();
    expect(run.writes).toEqual([
      'POST Service linkerd-multicluster/gateway-west',
      'POST Endpoints linkerd-multicluster/gateway-west',
    ]);
    const service = await lab.source.read('Service', MIRROR.namespace, MIRROR.name);
    expect(service?.metadata.labels).toEqual({
      'eks-service-mirror/gateway-mirror': 'true',
      'mirror.linkerd.io/cluster-name': 'west',
    });
    expect(await endpointsOf(lab.source, MIRROR)).toEqual({
      ready: ['203.0.113.10'],
      notReady: [],
      ports: ['mc-gateway:4143', 'mc-probe:4191'],
    });
    expect((await lab.sync()).writes).toEqual([]);
  });

  it('A3: gateway mirror and probe endpoints follow a changed answer like every mirror', async () => {
    const { lab } = handle;
    lab.setLink({ gatewayMirror: 'addresses' });
    await lab.source.create('Service', probeService);
    await arrangeTarget(lab, []);
    lab.dns.set(GATEWAY_HOST, ['203.0.113.10']);
    await lab.sync();
    lab.dns.set(GATEWAY_HOST, ['203.0.113.77']);
    expect((await lab.syncLater()).writes).toEqual([
      'PATCH Endpoints linkerd-multicluster/gateway-west',
      'PATCH Endpoints linkerd-multicluster/probe-west',
    ]);
    expect((await endpointsOf(lab.source, PROBE))?.ready).toEqual(['203.0.113.10', '203.0.113.77']);
    await lab.syncLater(62);
    expect((await endpointsOf(lab.source, PROBE))?.ready).toEqual(['203.0.113.77']);
    expect((await endpointsOf(lab.source, MIRROR))?.ready).toEqual(['203.0.113.77']);
    expect((await lab.syncLater(62)).writes).toEqual([]);
  });

  it('A7: a changed identity and changed ports reach probe endpoints and gateway mirror', async () => {
    const { lab } = handle;
    lab.setLink({ gatewayMirror: 'addresses' });
    await lab.source.create('Service', probeService);
    await arrangeTarget(lab, [], aGateway({ ingress: [{ ip: '203.0.113.10' }], identity: 'id-1' }));
    await lab.sync();
    await lab.target.patch('Service', 'linkerd-multicluster', 'linkerd-gateway', {
      metadata: { annotations: { 'mirror.linkerd.io/gateway-identity': 'id-2' } },
      spec: {
        ports: [
          { name: 'mc-gateway', port: 4144, protocol: 'TCP' },
          { name: 'mc-probe', port: 4192, protocol: 'TCP' },
        ],
      },
    });
    await lab.sync();
    expect((await endpointsOf(lab.source, PROBE))?.ports).toEqual(['mc-probe:4192']);
    expect((await endpointsOf(lab.source, MIRROR))?.ports).toEqual(['mc-gateway:4144', 'mc-probe:4192']);
    const probe = await lab.source.read('Endpoints', PROBE.namespace, PROBE.name);
    expect(probe?.metadata.annotations).toMatchObject({
      'mirror.linkerd.io/remote-gateway-identity': 'id-2',
    });
    expect((await lab.source.read('Service', PROBE.namespace, PROBE.name))?.['spec'].ports[0].port).toBe(
      4191,
    );
  });

  it('a Service of somebody else at its name is left alone and named', async () => {
    const { lab } = handle;
    lab.setLink({ gatewayMirror: 'addresses' });
    const { metadata, ...rest } = probeService;
    await lab.source.create('Service', {
      ...rest,
      metadata: { ...metadata, ...MIRROR, labels: { team: 'a' } },
    });
    const before = await lab.source.read('Service', MIRROR.namespace, MIRROR.name);
    await arrangeTarget(lab, [], aGateway({ ingress: [{ ip: '203.0.113.10' }] }));
    const run = await lab.sync();
    expect(run.writes).toEqual([]);
    expect(refusalsOf(run)).toEqual(['NotOwned linkerd-multicluster/gateway-west']);
    expect(await lab.source.read('Service', MIRROR.namespace, MIRROR.name)).toEqual(before);
  });

  it('goes when the link wants none any more, and stays while the gateway Service is missing', async () => {
    const { lab } = handle;
    lab.setLink({ gatewayMirror: 'addresses' });
    await arrangeTarget(lab, [], aGateway({ ingress: [{ ip: '203.0.113.10' }] }));
    await lab.sync();
    await lab.target.remove('Service', 'linkerd-multicluster', 'linkerd-gateway');
    expect((await lab.sync()).writes).toEqual([]);
    expect((await endpointsOf(lab.source, MIRROR))?.ready).toEqual(['203.0.113.10']);
    lab.setLink({ gatewayMirror: 'none' });
    expect((await lab.sync()).writes).toEqual([
      'DELETE Endpoints linkerd-multicluster/gateway-west',
      'DELETE Service linkerd-multicluster/gateway-west',
    ]);
    expect(await lab.source.read('Service', MIRROR.namespace, MIRROR.name)).toBeUndefined();
  });

  it('is written as EndpointSlices where the link writes those', async () => {
    const { lab } = handle;
    lab.setLink({ gatewayMirror: 'addresses', endpoints: 'endpointslices' });
    await arrangeTarget(lab, [], aGateway({ ingress: [{ ip: '203.0.113.10' }] }));
    await lab.sync();
    const slices = await lab.source.list('EndpointSlice', MIRROR.namespace);
    expect(
      slices.map(({ metadata, ...slice }) => [
        metadata.labels?.['kubernetes.io/service-name'],
        slice['endpoints'][0].addresses,
      ]),
    ).toEqual([['gateway-west', ['203.0.113.10']]]);
    expect((await lab.sync()).writes).toEqual([]);
    expect(await lab.source.read('Endpoints', MIRROR.namespace, MIRROR.name)).toBeUndefined();
  });
};
