// The gateway mirror in each of its three shapes, and from each to each.
import { describe, expect, it } from 'vitest';
import type { LinkDocument } from '../../lib/model/link.ts';
import type { KubeObject } from '../support/api.ts';
import { aGateway, GATEWAY_HOST } from '../support/builders.ts';
import { endpointsOf, type Lab, refusalsOf, slicesOf } from '../support/lab.ts';
import { arrangeTarget, expectInSync, type LabHandle } from './suite.ts';

const MIRROR = { namespace: 'linkerd-multicluster', name: 'gateway-west' };
const SLICE = 'gateway-west-76a79620'; // the digits are of the SHA-256 of `west`
const OTHER = 'lb2.example.test';
const PORTS = [
  { name: 'mc-gateway', port: 4143, protocol: 'TCP', targetPort: 4143 },
  { name: 'mc-probe', port: 4191, protocol: 'TCP', targetPort: 4191 },
];

type Shape = NonNullable<LinkDocument['gatewayMirror']>;

const FQDN_NOTE =
  "gateway mirror gateway-west has the shape fqdn: Linkerd's proxies and CoreDNS find no address in an FQDN EndpointSlice; it is for clients that read the slice and resolve the names themselves";
const EXTERNAL_NOTE =
  "gateway mirror gateway-west has the shape externalName: Linkerd's proxies refuse an ExternalName Service and forward plainly: no identity, no failover, no address filter; it is for clients outside of the mesh";

const mirrorService = async (lab: Lab): Promise<KubeObject | undefined> =>
  lab.source.read('Service', MIRROR.namespace, MIRROR.name);

/** What stands of the gateway mirror, in one line for each object. */
const shown = async (lab: Lab): Promise<readonly string[]> => {
  const service = await mirrorService(lab);
  if (service === undefined) return [];
  const { type, clusterIP, externalName } = service['spec'];
  const endpoints = await endpointsOf(lab.source, MIRROR);
  const slices = await slicesOf(lab.source, MIRROR);
  return [
    type === 'ExternalName'
      ? `ExternalName ${externalName}`
      : `${type} ${clusterIP === 'None' ? 'None' : 'with an address'}`,
    ...(endpoints === undefined ? [] : [`Endpoints ${endpoints.ready.join()}`]),
    ...slices.map(
      ({ addressType, endpoints: rows }) =>
        `${addressType} ${rows.flatMap(({ addresses }: { addresses: string[] }) => addresses).join()}`,
    ),
  ];
};

const ENDPOINTS_FORM: Readonly<Record<Shape, readonly string[]>> = {
  addresses: ['ClusterIP with an address', 'Endpoints 203.0.113.10'],
  fqdn: ['ClusterIP None', `FQDN ${GATEWAY_HOST}`],
  externalName: [`ExternalName ${GATEWAY_HOST}`],
  none: [],
};
const SLICES_FORM: typeof ENDPOINTS_FORM = {
  ...ENDPOINTS_FORM,
  addresses: ['ClusterIP with an address', 'IPv4 203.0.113.10'],
};

const SHAPES: readonly Shape[] = ['addresses', 'fqdn', 'externalName', 'none'];
const PAIRS = SHAPES.flatMap((from) => SHAPES.filter((to) => to !== from).map((to) => [from, to] as const));

const arrange = async (lab: Lab, hostnames: readonly string[] = [GATEWAY_HOST]): Promise<void> => {
  await arrangeTarget(lab, [], aGateway({ ingress: hostnames.map((hostname) => ({ hostname })) }));
  lab.dns.set(GATEWAY_HOST, ['203.0.113.10']);
  lab.dns.set(OTHER, ['203.0.113.11']);
};

export const gatewayMirrorShapeCases = (handle: LabHandle): void => {
  it('fqdn: a headless Service, and the hostname in a slice of its own with identity and ports', async () => {
    const { lab } = handle;
    lab.setLink({ gatewayMirror: 'fqdn' });
    await arrange(lab);
    const run = await lab.sync();
    expect(run.writes).toEqual([
      'POST Service linkerd-multicluster/gateway-west',
      `POST EndpointSlice linkerd-multicluster/${SLICE}-fqdn-0`,
    ]);
    expect(run.report.notes).toEqual([FQDN_NOTE]);
    const [slice] = await slicesOf(lab.source, MIRROR);
    expect(slice).toMatchObject({
      metadata: {
        labels: {
          'eks-service-mirror/gateway-mirror': 'true',
          'mirror.linkerd.io/cluster-name': 'west',
          'endpointslice.kubernetes.io/managed-by': 'eks-service-mirror',
        },
        annotations: { 'mirror.linkerd.io/remote-gateway-identity': 'gw.id' },
        ownerReferences: [{ kind: 'Service', uid: (await mirrorService(lab))?.metadata.uid }],
      },
      addressType: 'FQDN',
      endpoints: [{ addresses: [GATEWAY_HOST], conditions: { ready: true } }],
      ports: PORTS.map(({ targetPort: _, ...port }) => port),
    });
    await expectInSync(lab);
  });

  it('externalName: the hostname, the ports, and nothing that lists anybody', async () => {
    const { lab } = handle;
    lab.setLink({ gatewayMirror: 'externalName' });
    await arrange(lab);
    const run = await lab.sync();
    expect(run.writes).toEqual(['POST Service linkerd-multicluster/gateway-west']);
    expect(run.report.notes).toEqual([EXTERNAL_NOTE]);
    expect((await mirrorService(lab))?.['spec']).toMatchObject({
      type: 'ExternalName',
      externalName: GATEWAY_HOST,
      ports: PORTS,
    });
    await expectInSync(lab);
  });

  it.each(['fqdn', 'externalName'] as const)(
    '%s: an answer of DNS that changes writes nothing',
    async (shape) => {
      const { lab } = handle;
      lab.setLink({ gatewayMirror: shape });
      await arrange(lab);
      await lab.sync();
      lab.dns.set(GATEWAY_HOST, ['203.0.113.77']);
      expect((await lab.syncLater()).writes).toEqual([]);
      expect(await shown(lab)).toEqual(ENDPOINTS_FORM[shape]);
    },
  );

  it('A6, A7: another hostname, identity and port reach both shapes', async () => {
    const { lab } = handle;
    for (const shape of ['fqdn', 'externalName'] as const) {
      lab.setLink({ gatewayMirror: shape });
      await arrange(lab);
      await lab.sync();
      await lab.target.patchStatus('Service', MIRROR.namespace, 'linkerd-gateway', {
        loadBalancer: { ingress: [{ hostname: OTHER }] },
      });
      await lab.target.patch('Service', MIRROR.namespace, 'linkerd-gateway', {
        metadata: { annotations: { 'mirror.linkerd.io/gateway-identity': 'id-2' } },
        spec: { ports: [{ name: 'mc-gateway', port: 4144, protocol: 'TCP' }] },
      });
      await lab.sync();
      expect(await shown(lab)).toEqual(
        shape === 'fqdn' ? ['ClusterIP None', `FQDN ${OTHER}`] : [`ExternalName ${OTHER}`],
      );
      expect((await mirrorService(lab))?.['spec'].ports).toMatchObject([{ name: 'mc-gateway', port: 4144 }]);
      expect(
        (await slicesOf(lab.source, MIRROR)).map(({ metadata, ports }) => [metadata.annotations, ports]),
      ).toEqual(
        shape === 'fqdn'
          ? [
              [
                { 'mirror.linkerd.io/remote-gateway-identity': 'id-2' },
                [{ name: 'mc-gateway', port: 4144, protocol: 'TCP' }],
              ],
            ]
          : [],
      );
      await expectInSync(lab);
      await lab.target.remove('Service', MIRROR.namespace, 'linkerd-gateway');
    }
  });

  it('several hostnames: a slice holds all of them, an ExternalName the first, and says so', async () => {
    const { lab } = handle;
    lab.setLink({ gatewayMirror: 'fqdn' });
    await arrange(lab, [OTHER, GATEWAY_HOST]);
    await lab.sync();
    expect(await shown(lab)).toEqual(['ClusterIP None', `FQDN ${GATEWAY_HOST},${OTHER}`]);
    lab.setLink({ gatewayMirror: 'externalName' });
    const run = await lab.sync();
    expect(await shown(lab)).toEqual([`ExternalName ${GATEWAY_HOST}`]);
    expect(run.report.notes).toEqual([
      EXTERNAL_NOTE,
      `gateway mirror gateway-west: an ExternalName holds one name: ${GATEWAY_HOST} of ${GATEWAY_HOST}, ${OTHER}`,
    ]);
  });

  it.each(['fqdn', 'externalName'] as const)(
    '%s: a gateway that has only IP addresses is refused, and what stands stays',
    async (shape) => {
      const { lab } = handle;
      lab.setLink({ gatewayMirror: 'addresses' });
      await arrangeTarget(lab, [], aGateway({ ingress: [{ ip: '203.0.113.10' }] }));
      await lab.sync();
      lab.setLink({ gatewayMirror: shape });
      const run = await lab.sync();
      expect(run.writes).toEqual([]);
      expect(refusalsOf(run)).toEqual(['Unsupported linkerd-multicluster/linkerd-gateway']);
      expect(run.report.refusals[0]?.message).toBe(
        `gatewayMirror: ${shape}: expected a hostname of gateway Service linkerd-multicluster/linkerd-gateway, found only IP addresses: 203.0.113.10`,
      );
      expect(await shown(lab)).toEqual(ENDPOINTS_FORM.addresses);
    },
  );

  it('a hostname that is not accepted is in no shape', async () => {
    const { lab } = handle;
    lab.setLink({ gatewayMirror: 'externalName', allowedHostnames: ['elsewhere.test'] });
    await arrange(lab);
    const run = await lab.sync();
    expect(run.writes).toEqual([]);
    expect(refusalsOf(run)).toContain('AddressRefused linkerd-multicluster/linkerd-gateway');
    expect(await shown(lab)).toEqual([]);
  });

  for (const [form, expected] of [
    ['endpoints', ENDPOINTS_FORM],
    ['endpointslices', SLICES_FORM],
  ] as const) {
    describe(`from shape to shape, ${form}`, () => {
      it.each(PAIRS)('%s → %s', async (from, to) => {
        const { lab } = handle;
        await arrange(lab);
        lab.setLink({ endpoints: form, gatewayMirror: from });
        await lab.sync();
        expect(await shown(lab)).toEqual(expected[from]);
        lab.setLink({ endpoints: form, gatewayMirror: to });
        await lab.sync();
        expect(await shown(lab)).toEqual(expected[to]);
        await expectInSync(lab);
      });
    });
  }
};
