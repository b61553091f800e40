// Cases of selection and modes (F), through the whole reconcile.
import { expect, it } from 'vitest';
import { InputError } from '../../lib/errors.ts';
import type { LinkDocument } from '../../lib/model/link.ts';
import { aService, aSlice, REMOTE_DISCOVERY } from '../support/builders.ts';
import { endpointsOf, type Lab, refusalsOf, slicesOf } from '../support/lab.ts';
import {
  arrangeTarget,
  changeTarget,
  expectInSync,
  gatewayAt,
  type LabHandle,
  mirrorWeb,
  setPods,
  sorted,
  standing,
} from './suite.ts';

type Selector = NonNullable<LinkDocument['selector']>;

const FILLED = { ready: ['203.0.113.10'], notReady: [], ports: ['http:4143'] };
const OWNERSHIP = {
  'mirror.linkerd.io/mirrored-service': 'true',
  'mirror.linkerd.io/cluster-name': 'west',
};
const DISCOVERY = {
  ...OWNERSHIP,
  'multicluster.linkerd.io/remote-discovery': 'west',
  'multicluster.linkerd.io/remote-service': 'web',
};

const mirrorsIn = async (lab: Lab): Promise<readonly string[]> =>
  (await lab.source.list('Service', 'shop')).map(({ metadata }) => metadata.name);

const setMode = (lab: Lab, value: string | null) =>
  changeTarget(lab, 'web', { metadata: { labels: { 'mirror.linkerd.io/exported': value } } });

/** Services by the labels they carry. */
const LABELLED = {
  none: { expose: 'yes' },
  a: { expose: 'yes', tier: 'a' },
  b: { expose: 'yes', tier: 'b' },
} as const;

const OPERATORS: readonly (readonly [NonNullable<Selector['matchExpressions']>, readonly string[]])[] = [
  [[{ key: 'tier', operator: 'In', values: ['a', 'c'] }], ['a-west']],
  [[{ key: 'tier', operator: 'NotIn', values: ['a'] }], ['b-west', 'none-west']],
  [[{ key: 'tier', operator: 'Exists' }], ['a-west', 'b-west']],
  [[{ key: 'tier', operator: 'DoesNotExist' }], ['none-west']],
];

const EMPTY_SELECTORS = [
  {},
  { matchLabels: {} },
  { matchExpressions: [] },
  { matchLabels: {}, matchExpressions: [] },
] as const satisfies readonly Selector[];

export const selectionCases = (handle: LabHandle): void => {
  it('F1: the value of the label decides: "false" is not mirrored, and true → false removes', async () => {
    const { lab } = handle;
    const no = aService({ name: 'no', labels: { 'mirror.linkerd.io/exported': 'false' } });
    await arrangeTarget(lab, [
      ['Service', no],
      ['EndpointSlice', aSlice({ service: 'no' })],
    ]);
    await lab.target.create('Service', aService());
    await lab.sync();
    expect(await mirrorsIn(lab)).toEqual(['web-west']);
    await setMode(lab, 'false');
    expect((await lab.sync()).writes).toEqual([
      'DELETE Endpoints shop/web-west',
      'DELETE Service shop/web-west',
    ]);
    expect(await mirrorsIn(lab)).toEqual([]);
    await expectInSync(lab);
    await setMode(lab, 'true');
    await lab.sync();
    expect(await mirrorsIn(lab)).toEqual(['web-west']);
  });

  it.each(OPERATORS)('F1: a selector may use operators: %j selects %j', async (matchExpressions, mirrors) => {
    const { lab } = handle;
    lab.setLink({ selector: { matchLabels: { expose: 'yes' }, matchExpressions } });
    const services = Object.entries(LABELLED).map(
      ([name, labels]) => ['Service', aService({ name, labels })] as const,
    );
    await arrangeTarget(lab, [...services, ['Service', aService({ name: 'unlabelled', labels: {} })]]);
    await lab.sync();
    expect(await mirrorsIn(lab)).toEqual(mirrors);
    await expectInSync(lab);
  });

  it('F1: a link whose selector cannot be read does not run, so nothing goes', async () => {
    const { lab } = handle;
    await mirrorWeb(lab);
    const selector = { matchExpressions: [{ key: 'tier', operator: 'Near', values: ['a'] }] };
    // @ts-expect-error the operator does not exist
    expect(() => lab.setLink({ selector })).toThrow(
      new InputError([
        'selector.matchExpressions[0].operator: expected one of In, NotIn, Exists, DoesNotExist, got "Near"',
      ]),
    );
    expect(await endpointsOf(lab.source)).toEqual(FILLED);
  });

  it.each(EMPTY_SELECTORS)('F2: an empty selector selects nothing: %j', async (empty) => {
    const { lab } = handle;
    lab.setLink({ selector: empty, remoteDiscoverySelector: empty, federatedServiceSelector: empty });
    await arrangeTarget(lab, ALL_MODES, gatewayAt('203.0.113.10'));
    const run = await lab.sync();
    expect(run.report.refusals).toEqual([]);
    expect(run.writes).toEqual([]);
    expect(await mirrorsIn(lab)).toEqual([]);
    lab.setLink({});
    const twin = await lab.sync();
    expect(refusalsOf(twin)).toEqual(['Unsupported shop/fed']);
    expect(await mirrorsIn(lab)).toEqual(['disc-west', 'web-west']);
  });

  it('F2: each of the selectors is empty for itself', async () => {
    const { lab } = handle;
    await arrangeTarget(lab, ALL_MODES, gatewayAt('203.0.113.10'));
    lab.setLink({ selector: {}, federatedServiceSelector: {} });
    expect((await lab.sync()).report.refusals).toEqual([]);
    expect(await mirrorsIn(lab)).toEqual(['disc-west']);
    lab.setLink({ remoteDiscoverySelector: {} });
    expect(refusalsOf(await lab.sync())).toEqual(['Unsupported shop/fed']);
    expect(await mirrorsIn(lab)).toEqual(['web-west']);
  });

  it('F3: a link without a gateway mirrors remote discovery only, and says so of the others', async () => {
    const { lab } = handle;
    lab.setLink({ gateway: 'none' });
    await arrangeTarget(lab, ALL_MODES, gatewayAt('203.0.113.10'));
    const run = await lab.sync();
    expect(refusalsOf(run)).toEqual(['Unsupported shop/fed', 'NoGatewayAddress shop/web']);
    expect(run.writes).toEqual(['POST Service shop/disc-west']);
    expect(await mirrorsIn(lab)).toEqual(['disc-west']);
    expect(await lab.source.list('Endpoints', 'linkerd-multicluster')).toEqual([]);
    expect(await lab.source.list('Service', 'linkerd-multicluster')).toEqual([]);
    expect(lab.dns.asked).toEqual([]);
    await expectInSync(lab);
  });

  it('F3: mirrors that a link had while it had a gateway stay as they are', async () => {
    const { lab } = handle;
    await mirrorWeb(lab);
    const before = await standing(lab, 'Endpoints', 'web-west');
    lab.setLink({ gateway: 'none' });
    expect(refusalsOf(await lab.sync())).toEqual(['NoGatewayAddress shop/web']);
    expect(await standing(lab, 'Endpoints', 'web-west')).toEqual(before);
    await expectInSync(lab);
  });

  it('F4: from gateway mode to remote discovery and back, the ClusterIP stays', async () => {
    const { lab } = handle;
    await mirrorWeb(lab);
    const { uid } = (await standing(lab, 'Service', 'web-west')).metadata;
    const { clusterIP } = (await standing(lab, 'Service', 'web-west'))['spec'];
    await setMode(lab, 'remote-discovery');
    expect((await lab.sync()).writes).toEqual([
      'PATCH Service shop/web-west',
      'DELETE Endpoints shop/web-west',
    ]);
    const discovery = await standing(lab, 'Service', 'web-west');
    expect(discovery.metadata.labels).toEqual(DISCOVERY);
    expect(await endpointsOf(lab.source)).toBeUndefined();
    await expectInSync(lab);
    await setMode(lab, 'true');
    await setPods(lab, []);
    expect((await lab.sync()).writes).toEqual([
      'PATCH Service shop/web-west',
      'POST Endpoints shop/web-west',
    ]);
    const back = await standing(lab, 'Service', 'web-west');
    expect(back.metadata.labels).toEqual(OWNERSHIP);
    expect(await endpointsOf(lab.source)).toEqual({ ready: [], notReady: [], ports: [] });
    for (const service of [discovery, back])
      expect([service.metadata.uid, service['spec'].clusterIP]).toEqual([uid, clusterIP]);
    await expectInSync(lab);
  });

  it('F4: the same in the form of EndpointSlices', async () => {
    const { lab } = handle;
    lab.setLink({ endpoints: 'endpointslices' });
    await mirrorWeb(lab);
    const { clusterIP } = (await standing(lab, 'Service', 'web-west'))['spec'];
    const name = (await slicesOf(lab.source))[0]?.metadata.name;
    await setMode(lab, 'remote-discovery');
    expect((await lab.sync()).writes).toEqual([
      'PATCH Service shop/web-west',
      `DELETE EndpointSlice shop/${name}`,
    ]);
    expect(await slicesOf(lab.source)).toEqual([]);
    await setMode(lab, 'true');
    expect((await lab.sync()).writes).toEqual([
      'PATCH Service shop/web-west',
      `POST EndpointSlice shop/${name}`,
    ]);
    expect((await slicesOf(lab.source)).map((slice) => slice['endpoints'])).toMatchObject([
      [{ addresses: ['203.0.113.10'] }],
    ]);
    expect((await standing(lab, 'Service', 'web-west'))['spec'].clusterIP).toBe(clusterIP);
    await expectInSync(lab);
  });

  it('F7: topology, node ports, affinity and load balancer settings do not travel', async () => {
    const { lab } = handle;
    const annotations = {
      'service.kubernetes.io/topology-mode': 'Auto',
      'service.kubernetes.io/topology-aware-hints': 'Auto',
      'service.beta.kubernetes.io/aws-load-balancer-type': 'external',
      note: 'kept',
    };
    const spec = {
      type: 'LoadBalancer',
      loadBalancerClass: 'service.k8s.aws/nlb',
      loadBalancerSourceRanges: ['192.0.2.0/24'],
      internalTrafficPolicy: 'Local',
      externalTrafficPolicy: 'Local',
      sessionAffinity: 'ClientIP',
      publishNotReadyAddresses: true,
      selector: { app: 'web' },
      trafficDistribution: 'PreferClose',
    };
    await mirrorWeb(lab, aService({ annotations, spec }));
    const exported = await lab.target.read('Service', 'shop', 'web');
    expect(exported?.['spec'].ports[0].nodePort).toBeGreaterThan(0);
    const mirror = await standing(lab, 'Service', 'web-west');
    const { clusterIP } = mirror['spec'];
    expect(mirror['spec']).toEqual({
      type: 'ClusterIP',
      clusterIP,
      clusterIPs: [clusterIP],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
      sessionAffinity: 'None',
      ports: [{ name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' }],
    });
    expect(mirror.metadata.annotations).toEqual({
      note: 'kept',
      'mirror.linkerd.io/remote-svc-fq-name': 'web.shop.svc.cluster.local',
      'mirror.linkerd.io/remote-resource-version': exported?.metadata.resourceVersion,
    });
    expect(
      sorted(Object.keys((await standing(lab, 'Endpoints', 'web-west')).metadata.annotations ?? {})),
    ).toEqual(['mirror.linkerd.io/remote-gateway-identity', 'mirror.linkerd.io/remote-svc-fq-name']);
    await expectInSync(lab);
  });
};

const ALL_MODES = [
  ['Service', aService()],
  ['EndpointSlice', aSlice()],
  ['Service', aService({ name: 'disc', labels: REMOTE_DISCOVERY })],
  ['EndpointSlice', aSlice({ service: 'disc' })],
  ['Service', aService({ name: 'fed', labels: { 'mirror.linkerd.io/federated': 'member' } })],
  ['Service', aService({ name: 'plain', labels: {} })],
] as const;
