// Both families: links that ask for them, on a source cluster that has them.
import { describe, expect, it } from 'vitest';
import { aGateway, aService, aSlice, GATEWAY_HOST } from '../support/builders.ts';
import { endpointsOf, type Lab, slicesOf } from '../support/lab.ts';
import { until } from '../support/until.ts';
import { arrangeTarget, expectInSync, type LabHandle, standing, WEB } from './suite.ts';

const V4 = '203.0.113.10';
const V6 = '2001:db8::10';
const MORE_V6 = '2001:db8::11';
const COPIES = 'endpointslicemirroring-controller.k8s.io';
const PORTS = [{ name: 'http', port: 4143, protocol: 'TCP' }];

const DB = [
  ['Service', aService({ name: 'db', spec: { clusterIP: 'None', selector: { app: 'db' } } })],
  [
    'EndpointSlice',
    {
      ...aSlice({ service: 'db' }),
      endpoints: ['db-0', 'db-1'].map((hostname, index) => ({
        addresses: [`10.1.0.${index + 1}`],
        hostname,
        conditions: { ready: true },
      })),
    },
  ],
] as const;

const DUAL_GATEWAY = aGateway({ ingress: [{ ip: V4 }, { ip: V6 }] });

interface Row {
  readonly addresses: readonly string[];
  readonly hostname?: string;
  readonly conditions?: { readonly ready?: boolean };
}

/** `IPv4 203.0.113.10` for each ready entry of each slice of a Service, by writer. */
const listedBy = async (lab: Lab, name: string, manager = 'eks-service-mirror'): Promise<readonly string[]> =>
  (await slicesOf(lab.source, { namespace: 'shop', name }))
    .filter(({ metadata }) => metadata.labels?.['endpointslice.kubernetes.io/managed-by'] === manager)
    .flatMap((slice) => {
      const rows: readonly Row[] = slice['endpoints'] ?? [];
      return rows
        .filter(({ conditions }) => conditions?.ready !== false)
        .map(
          ({ addresses, hostname }) =>
            `${slice['addressType']} ${addresses.join()}${hostname === undefined ? '' : ` ${hostname}`}`,
        );
    })
    .toSorted();

const addressesOf = async (lab: Lab, name: string): Promise<readonly string[]> =>
  (await standing(lab, 'Service', name))['spec'].clusterIPs;

const subsetsOf = async (lab: Lab, name: string): Promise<readonly object[]> =>
  (await standing(lab, 'Endpoints', name))['subsets'] ?? [];

const podLines = async (lab: Lab): Promise<readonly string[]> => {
  const pods = await Promise.all(
    ['db-0', 'db-1'].map(async (pod) =>
      (await addressesOf(lab, `${pod}-west`)).map(
        (ip) => `${ip.includes(':') ? 'IPv6' : 'IPv4'} ${ip} ${pod}`,
      ),
    ),
  );
  return pods.flat().toSorted();
};

export const dualStackCases = (handle: LabHandle): void => {
  it('A10: a mirror that asks for both families has both, each in subsets of its own', async () => {
    const { lab } = handle;
    lab.setLink({ ipFamilies: 'dual' });
    await arrangeTarget(lab, WEB);
    lab.dns.set(GATEWAY_HOST, [V4, V6]);
    await lab.sync();
    const { spec } = await standing(lab, 'Service', 'web-west');
    expect(spec).toMatchObject({ ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv4', 'IPv6'] });
    expect(await subsetsOf(lab, 'web-west')).toEqual([
      { addresses: [{ ip: V4 }], ports: PORTS },
      { addresses: [{ ip: V6 }], ports: PORTS },
    ]);
    await expectInSync(lab);
  });

  it('A10: as EndpointSlices, one of each family and never mixed', async () => {
    const { lab } = handle;
    lab.setLink({ ipFamilies: 'dual', endpoints: 'endpointslices' });
    await arrangeTarget(lab, WEB, DUAL_GATEWAY);
    const run = await lab.sync();
    expect(run.writes).toEqual([
      'POST Service shop/web-west',
      'POST EndpointSlice shop/web-west-76a79620-v4-0',
      'POST EndpointSlice shop/web-west-76a79620-v6-0',
    ]);
    expect(await listedBy(lab, 'web-west')).toEqual([`IPv4 ${V4}`, `IPv6 ${V6}`]);
    await expectInSync(lab);
  });

  it('A10: a mirror that asks for one family lists that family alone, on a cluster of both', async () => {
    const { lab } = handle;
    await arrangeTarget(lab, WEB, DUAL_GATEWAY);
    await lab.sync();
    const { spec } = await standing(lab, 'Service', 'web-west');
    expect(spec).toMatchObject({ ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4'] });
    expect((await endpointsOf(lab.source))?.ready).toEqual([V4]);
    await expectInSync(lab);
  });

  it('A10: a gateway that resolves to one family only is listed in that one', async () => {
    const { lab } = handle;
    lab.setLink({ ipFamilies: 'dual', endpoints: 'endpointslices' });
    await arrangeTarget(lab, WEB);
    lab.dns.set(GATEWAY_HOST, [V4]);
    const run = await lab.sync();
    expect(run.report.refusals).toEqual([]);
    expect(await listedBy(lab, 'web-west')).toEqual([`IPv4 ${V4}`]);
    lab.dns.set(GATEWAY_HOST, [V4, V6]);
    await lab.syncLater();
    expect(await listedBy(lab, 'web-west')).toEqual([`IPv4 ${V4}`, `IPv6 ${V6}`]);
  });

  it('A3, A10: each family follows its own answer', async () => {
    const { lab } = handle;
    lab.setLink({ ipFamilies: 'dual', endpoints: 'endpointslices' });
    await arrangeTarget(lab, WEB);
    lab.dns.set(GATEWAY_HOST, [V4, V6]);
    await lab.sync();
    lab.dns.set(GATEWAY_HOST, [V4, MORE_V6]);
    expect((await lab.syncLater()).writes).toEqual(['PATCH EndpointSlice shop/web-west-76a79620-v6-0']);
    // The former one drains; as an EndpointSlice can say that, it is not ready any more.
    expect(await listedBy(lab, 'web-west')).toEqual([`IPv4 ${V4}`, `IPv6 ${MORE_V6}`]);
  });

  for (const endpoints of ['endpoints', 'endpointslices'] as const) {
    it(`upgrades standing mirrors and goes back, keeping their first addresses: ${endpoints}`, async () => {
      const { lab } = handle;
      lab.setLink({ endpoints });
      await arrangeTarget(lab, [...WEB, ...DB], DUAL_GATEWAY);
      await lab.sync();
      const names = ['web-west', 'db-0-west', 'db-1-west'];
      const before = await Promise.all(names.map((name) => addressesOf(lab, name)));
      expect(before.map(({ length }) => length)).toEqual([1, 1, 1]);
      lab.setLink({ endpoints, ipFamilies: 'dual' });
      await lab.sync();
      const both = await Promise.all(names.map((name) => addressesOf(lab, name)));
      expect(both.map(({ length }) => length)).toEqual([2, 2, 2]);
      expect(both.map(([first]) => [first])).toEqual(before);
      await expectInSync(lab);
      lab.setLink({ endpoints });
      await lab.sync();
      expect(await Promise.all(names.map((name) => addressesOf(lab, name)))).toEqual(before);
      await expectInSync(lab);
    });
  }

  it("the endpoints of the chart's probe Service are of its own family alone", async () => {
    const { lab } = handle;
    lab.setLink({ ipFamilies: 'dual' });
    const place = { namespace: 'linkerd-multicluster', name: 'probe-west' };
    await lab.source.create('Service', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { ...place, labels: { 'mirror.linkerd.io/cluster-name': 'west' } },
      spec: { ports: [{ name: 'mc-probe', port: 4191, protocol: 'TCP' }] },
    });
    await arrangeTarget(lab, [], DUAL_GATEWAY);
    await lab.sync();
    expect((await endpointsOf(lab.source, place))?.ready).toEqual([V4]);
    await expectInSync(lab);
  });

  it('a policy that somebody else set on a mirror is theirs, when the link asks for one family', async () => {
    const { lab } = handle;
    await arrangeTarget(lab, WEB, DUAL_GATEWAY);
    await lab.sync();
    await lab.source.patch('Service', 'shop', 'web-west', { spec: { ipFamilyPolicy: 'PreferDualStack' } });
    expect((await lab.sync()).writes).toEqual([]);
    expect(await addressesOf(lab, 'web-west')).toHaveLength(2);
  });

  describe('a headless mirror', () => {
    it('A10: root and endpoint mirrors in both families, as EndpointSlices', async () => {
      const { lab } = handle;
      lab.setLink({ ipFamilies: 'dual', endpoints: 'endpointslices' });
      await arrangeTarget(lab, DB, DUAL_GATEWAY);
      await lab.sync();
      expect(await podLines(lab)).toHaveLength(4);
      expect(await listedBy(lab, 'db-west')).toEqual(await podLines(lab));
      expect(await listedBy(lab, 'db-0-west')).toEqual([`IPv4 ${V4}`, `IPv6 ${V6}`]);
      await expectInSync(lab);
    });

    it('A10: an upgrade lists the new addresses in the run that gets them', async () => {
      const { lab } = handle;
      lab.setLink({ endpoints: 'endpointslices' });
      await arrangeTarget(lab, DB, DUAL_GATEWAY);
      await lab.sync();
      expect(await podLines(lab)).toHaveLength(2);
      lab.setLink({ ipFamilies: 'dual', endpoints: 'endpointslices' });
      await lab.sync();
      expect(await podLines(lab)).toHaveLength(4);
      expect(await listedBy(lab, 'db-west')).toEqual(await podLines(lab));
    });
  });

  handle.mirrored(() => {
    it('A10: Kubernetes copies both families of our Endpoints, of a root and of its endpoint mirrors', async () => {
      const { lab } = handle;
      lab.setLink({ ipFamilies: 'dual' });
      await arrangeTarget(lab, DB, DUAL_GATEWAY);
      await lab.sync();
      await until('copies of both families', async () => {
        const copies = [await listedBy(lab, 'db-west', COPIES), await listedBy(lab, 'db-0-west', COPIES)];
        return copies[0]?.length === 4 && copies[1]?.length === 2;
      });
      expect(await listedBy(lab, 'db-west', COPIES)).toEqual(await podLines(lab));
      expect(await listedBy(lab, 'db-0-west', COPIES)).toEqual([`IPv4 ${V4}`, `IPv6 ${V6}`]);
      await expectInSync(lab);
    });
  });
};

/** On a cluster of IPv6 alone. */
export const onlyIPv6Cases = (handle: LabHandle): void => {
  it('A10: lists IPv6 addresses of a gateway that has both', async () => {
    const { lab } = handle;
    await arrangeTarget(lab, [...WEB, ...DB], DUAL_GATEWAY);
    await lab.sync();
    expect((await endpointsOf(lab.source))?.ready).toEqual([V6]);
    expect((await endpointsOf(lab.source, { namespace: 'shop', name: 'db-0-west' }))?.ready).toEqual([V6]);
    expect((await endpointsOf(lab.source, { namespace: 'shop', name: 'db-west' }))?.ready).toEqual(
      (await Promise.all(['db-0-west', 'db-1-west'].map((name) => addressesOf(lab, name)))).flat(),
    );
    await expectInSync(lab);
  });

  it('A10: a gateway with IPv4 answers alone leaves the mirror empty, and why is said', async () => {
    const { lab } = handle;
    await arrangeTarget(lab, WEB);
    lab.dns.set(GATEWAY_HOST, [V4]);
    const run = await lab.sync();
    expect((await endpointsOf(lab.source))?.ready).toEqual([]);
    expect(run.report.refusals).toMatchObject([{ reason: 'GatewayUnresolved' }]);
    expect(run.report.refusals[0]?.message).toContain('IPv6');
    expect((await standing(lab, 'Service', 'web-west')).metadata.labels).toMatchObject({
      'mirror.linkerd.io/cluster-name': 'west',
    });
  });
};
