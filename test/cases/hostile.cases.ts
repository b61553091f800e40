// What a target, or somebody in the source, could do to us: addresses that lead elsewhere, objects that look like ours.
import { describe, expect, it } from 'vitest';
import {
  aGateway,
  aMirror,
  aMirrorEndpoints,
  aService,
  aSlice,
  EXPORTED,
  GATEWAY_HOST,
} from '../support/builders.ts';
import { SERVFAIL } from '../support/dns.ts';
import { endpointsOf, type Lab, refusalsOf, slicesOf } from '../support/lab.ts';
import {
  arrangeTarget,
  changeTarget,
  expectInSync,
  gatewayAt,
  type LabHandle,
  mirrorWeb,
  standing,
  UNEXPORT,
  WEB,
} from './suite.ts';

const GATEWAY = 'linkerd-multicluster/linkerd-gateway';
const EMPTY = { ready: [], notReady: [], ports: [] };
const FILLED = { ready: ['203.0.113.10'], notReady: [], ports: ['http:4143'] };

const messagesOf = ({ report }: Awaited<ReturnType<Lab['sync']>>): readonly string[] =>
  report.refusals.map(({ reason, message }) => `${reason}: ${message}`);

const kubernetesIP = async (lab: Lab): Promise<string> =>
  (await lab.source.read('Service', 'default', 'kubernetes'))?.['spec'].clusterIP;

const HOSTILE = [
  ['169.254.169.254', 'link-local: instance metadata and node services (169.254.0.0/16)'],
  ['127.0.0.1', 'loopback (127.0.0.0/8)'],
  ['0.0.0.0', 'this host (0.0.0.0/8)'],
  ['224.0.0.1', 'multicast (224.0.0.0/4)'],
  ['255.255.255.255', 'reserved or broadcast (240.0.0.0/4)'],
  ['10.96.200.7', 'Service range (10.96.0.0/16)'],
] as const;

/** Objects that carry our labels at the name of a mirror, and are none. */
const IMPOSTORS = [
  ['has a selector', { selector: { app: 'x' } }, 'spec.selector: expected none, got one'],
  [
    'is an ExternalName',
    { type: 'ExternalName', externalName: 'example.test', ports: null },
    'spec.type: expected ClusterIP, got ExternalName',
  ],
] as const;

export const hostileCases = (handle: LabHandle): void => {
  describe('addresses of the gateway', () => {
    it.each(HOSTILE)(
      '%s in its status is refused, and the other addresses are used',
      async (address, why) => {
        const { lab } = handle;
        await arrangeTarget(lab, WEB, gatewayAt(address, '203.0.113.10'));
        const run = await lab.sync();
        expect(messagesOf(run)).toEqual([`AddressRefused: address ${address}: ${why}`]);
        expect(refusalsOf(run)).toEqual([`AddressRefused ${GATEWAY}`]);
        expect(await endpointsOf(lab.source)).toEqual(FILLED);
        await expectInSync(lab);
      },
    );

    it.each(HOSTILE)('%s in the answer of its name is refused the same way', async (address, why) => {
      const { lab } = handle;
      await arrangeTarget(lab, WEB);
      lab.dns.set(GATEWAY_HOST, [address, '203.0.113.10']);
      const run = await lab.sync();
      expect(messagesOf(run)).toEqual([`AddressRefused: address ${address} of ${GATEWAY_HOST}: ${why}`]);
      expect(await endpointsOf(lab.source)).toEqual(FILLED);
      await expectInSync(lab);
    });

    it('with nothing but refused addresses the mirror is empty', async () => {
      const { lab } = handle;
      await arrangeTarget(lab, WEB, gatewayAt('169.254.169.254', '127.0.0.1'));
      const run = await lab.sync();
      expect(refusalsOf(run)).toEqual([`AddressRefused ${GATEWAY}`, `AddressRefused ${GATEWAY}`]);
      expect(await endpointsOf(lab.source)).toEqual(EMPTY);
      await expectInSync(lab);
    });

    it('an answer that turns hostile does not replace the last good one', async () => {
      const { lab } = handle;
      await arrangeTarget(lab, WEB);
      lab.dns.set(GATEWAY_HOST, ['203.0.113.10']);
      await lab.sync();
      lab.dns.set(GATEWAY_HOST, ['169.254.169.254']);
      const run = await lab.syncLater();
      expect(run.writes).toEqual([]);
      expect(refusalsOf(run)).toContain(`AddressRefused ${GATEWAY}`);
      expect(await endpointsOf(lab.source)).toEqual(FILLED);
      lab.dns.set(GATEWAY_HOST, ['203.0.113.10']);
      expect((await lab.syncLater(300)).report.refusals).toEqual([]);
    });

    it("ClusterIPs of the source cluster are refused, our own mirrors' too", async () => {
      const { lab } = handle;
      await mirrorWeb(lab);
      const ips = [await kubernetesIP(lab), (await standing(lab, 'Service', 'web-west'))['spec'].clusterIP];
      await lab.target.patchStatus('Service', 'linkerd-multicluster', 'linkerd-gateway', {
        loadBalancer: { ingress: [...ips, '203.0.113.11'].map((ip) => ({ ip })) },
      });
      const run = await lab.sync();
      expect(refusalsOf(run)).toEqual(ips.map(() => `AddressRefused ${GATEWAY}`));
      expect((await endpointsOf(lab.source))?.ready).toEqual(['203.0.113.11']);
      await expectInSync(lab);
    });

    it('allowedCIDRs narrow what is left, and pinned addresses pass the same filter', async () => {
      const { lab } = handle;
      await arrangeTarget(lab, WEB, gatewayAt('203.0.113.10', '198.51.100.1'));
      lab.setLink({ allowedCIDRs: ['203.0.113.0/24', '169.254.0.0/16'] });
      const narrowed = await lab.sync();
      expect(messagesOf(narrowed)).toEqual(['AddressRefused: address 198.51.100.1: outside allowedCIDRs']);
      expect(await endpointsOf(lab.source)).toEqual(FILLED);
      lab.setLink({
        allowedCIDRs: ['203.0.113.0/24', '169.254.0.0/16'],
        gateway: { addresses: ['169.254.169.254', '203.0.113.12'] },
      });
      const pinned = await lab.sync();
      expect(refusalsOf(pinned)).toEqual([`AddressRefused ${GATEWAY}`]);
      expect((await endpointsOf(lab.source))?.ready).toEqual(['203.0.113.12']);
      await expectInSync(lab);
    });

    it('a hostname that is no load balancer and not allowed is never looked up', async () => {
      const { lab } = handle;
      await arrangeTarget(lab, WEB);
      lab.dns.set(GATEWAY_HOST, ['203.0.113.10']);
      lab.setLink({ allowedHostnames: ['other.test'] });
      const run = await lab.sync();
      expect(refusalsOf(run)).toEqual([`AddressRefused ${GATEWAY}`]);
      expect(lab.dns.asked).toEqual([]);
      expect(await endpointsOf(lab.source)).toEqual(EMPTY);
      lab.setLink({ allowedHostnames: ['example.test'] });
      await lab.sync();
      expect(lab.dns.asked).toEqual([`${GATEWAY_HOST} IPv4`]);
      expect(await endpointsOf(lab.source)).toEqual(FILLED);
    });
  });

  describe("objects at a mirror's name", () => {
    it.each(IMPOSTORS)(
      'a Service with our labels that %s is not ours: neither written nor deleted, nor what is under it',
      async (_title, spec, found) => {
        const { lab } = handle;
        await lab.source.create('Service', aMirror({ spec }));
        await lab.source.create('Endpoints', aMirrorEndpoints({ ready: ['192.0.2.9'] }));
        const before = [
          await standing(lab, 'Service', 'web-west'),
          await standing(lab, 'Endpoints', 'web-west'),
        ];
        const run = await mirrorWeb(lab);
        expect(messagesOf(run)).toEqual([
          `NotOwned: Service shop/web-west exists and is not this link's: ${found}`,
        ]);
        expect(run.writes).toEqual([]);
        await changeTarget(lab, 'web', UNEXPORT);
        await expectInSync(lab);
        expect([
          await standing(lab, 'Service', 'web-west'),
          await standing(lab, 'Endpoints', 'web-west'),
        ]).toEqual(before);
        await lab.source.remove('Service', 'shop', 'web-west');
        await changeTarget(lab, 'web', { metadata: { labels: EXPORTED } });
        await lab.sync();
        expect(await endpointsOf(lab.source)).toEqual(FILLED);
      },
    );

    it('a slice with our labels that another writer manages is not ours', async () => {
      const { lab } = handle;
      lab.setLink({ endpoints: 'endpointslices' });
      const labels = {
        'mirror.linkerd.io/mirrored-service': 'true',
        'mirror.linkerd.io/cluster-name': 'west',
        'endpointslice.kubernetes.io/managed-by': 'somebody',
      };
      await lab.source.create('EndpointSlice', aSlice({ service: 'web-west', name: 'foreign', labels }));
      const before = await lab.source.read('EndpointSlice', 'shop', 'foreign');
      await mirrorWeb(lab);
      expect(await slicesOf(lab.source)).toHaveLength(2);
      await changeTarget(lab, 'web', UNEXPORT);
      await lab.sync();
      expect(await lab.source.list('EndpointSlice', 'shop')).toHaveLength(1);
      expect(await lab.source.read('EndpointSlice', 'shop', 'foreign')).toEqual(before);
      expect(await lab.source.read('Service', 'shop', 'web-west')).toBeUndefined();
    });
  });

  describe('objects with a part of our labels, when nothing is remembered', () => {
    const link = { 'mirror.linkerd.io/cluster-name': 'west' };
    const both = { ...link, 'mirror.linkerd.io/mirrored-service': 'true' };
    const forged = { 'mirror.linkerd.io/remote-gateway-identity': 'forged.id' };

    it('neither their addresses nor their identities are taken for those of the gateway', async () => {
      const { lab } = handle;
      const slice = aSlice({ service: 'x', name: 'x', addresses: ['192.0.2.66'], labels: both });
      await lab.source.create('EndpointSlice', {
        ...slice,
        metadata: { ...slice.metadata, annotations: forged },
      });
      await lab.source.create(
        'Endpoints',
        aMirrorEndpoints({ name: 'y', labels: link, annotations: forged, ready: ['192.0.2.67'] }),
      );
      await arrangeTarget(lab, WEB, aGateway({ identity: '' }));
      lab.dns.set(GATEWAY_HOST, SERVFAIL);
      await lab.sync();
      expect(await endpointsOf(lab.source)).toEqual(EMPTY);
      expect((await standing(lab, 'Endpoints', 'web-west')).metadata.annotations).toEqual({
        'mirror.linkerd.io/remote-svc-fq-name': 'web.shop.svc.cluster.local',
      });
    });

    it('those of mirrors that are ours are kept until the gateway says something else', async () => {
      const { lab } = handle;
      const annotations = { 'mirror.linkerd.io/remote-gateway-identity': 'former.id' };
      await lab.source.create('Service', aMirror());
      await lab.source.create('Endpoints', aMirrorEndpoints({ annotations, ready: ['203.0.113.7'] }));
      await arrangeTarget(lab, WEB, aGateway({ identity: '' }));
      lab.dns.set(GATEWAY_HOST, SERVFAIL);
      const run = await lab.sync();
      expect(refusalsOf(run)).toEqual([`GatewayUnresolved ${GATEWAY}`, `IdentityChanged ${GATEWAY}`]);
      expect((await endpointsOf(lab.source))?.ready).toEqual(['203.0.113.7']);
      expect((await standing(lab, 'Endpoints', 'web-west')).metadata.annotations).toMatchObject(annotations);
      await expectInSync(lab);
    });
  });

  describe('labels of the exported Service', () => {
    const steering = {
      ...EXPORTED,
      'kubernetes.io/service-name': 'victim',
      'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
      'endpointslice.kubernetes.io/skip-mirror': 'true',
      'service.kubernetes.io/headless': '',
      'mirror.linkerd.io/cluster-name-of-mine': 'x',
      team: 'a',
    };
    const owned = {
      'mirror.linkerd.io/mirrored-service': 'true',
      'mirror.linkerd.io/cluster-name': 'west',
      team: 'a',
    };

    it.each([
      [
        'endpoints',
        async (lab: Lab) => [(await standing(lab, 'Endpoints', 'web-west')).metadata.labels],
        [owned],
      ],
      [
        'endpointslices',
        async (lab: Lab) => (await slicesOf(lab.source)).map(({ metadata }) => metadata.labels),
        [
          {
            ...owned,
            'kubernetes.io/service-name': 'web-west',
            'endpointslice.kubernetes.io/managed-by': 'eks-service-mirror',
          },
        ],
      ],
    ] as const)('cannot lead the mirror to another Service (%s)', async (endpoints, labelsOf, expected) => {
      const { lab } = handle;
      lab.setLink({ endpoints });
      await mirrorWeb(lab, aService({ labels: steering }));
      expect((await standing(lab, 'Service', 'web-west')).metadata.labels).toEqual(owned);
      expect(await labelsOf(lab)).toEqual(expected);
      expect(await slicesOf(lab.source, { namespace: 'shop', name: 'victim' })).toEqual([]);
      await expectInSync(lab);
    });
  });
};
