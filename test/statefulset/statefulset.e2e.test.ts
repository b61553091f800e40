// StatefulSets pod by pod across two real clusters: what DNS and the EndpointSlices of the source cluster say after each reconcile.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { arrangeTarget, expectInSync, gatewayAt, sorted } from '../cases/suite.ts';
import { aGateway } from '../support/builders.ts';
import { type Lab, refusalsOf, slicesOf } from '../support/lab.ts';
import { type SetGround, startSetGround } from './ground.ts';
import {
  clusterIPsOf,
  expectAnswers,
  expectListed,
  gatewayIn,
  NXDOMAIN,
  rootOf,
  type Texts,
} from './readers.ts';
import type { Sets } from './sets.ts';

const IP = '203.0.113.10';
const CLUSTER_IP: unknown = expect.stringMatching(/^10\.96\.\d+\.\d+$/);

let ground: SetGround;
let lab: Lab;
let sets: Sets;
beforeAll(async () => {
  ground = await startSetGround();
});
beforeEach(async () => {
  ({ lab, sets } = await ground.open());
});
afterEach(() => lab?.close());
afterAll(() => ground?.close());

/** One reconcile that leaves nothing to the next; returns the ClusterIPs it found or gave. */
const syncOnce = async (): Promise<Texts> => {
  expect(refusalsOf(await lab.sync())).toEqual([]);
  const clusterIPs = await clusterIPsOf(lab);
  await expectInSync(lab);
  return clusterIPs;
};

const byPod = (clusterIPs: Texts, ...pods: readonly string[]): Texts =>
  Object.fromEntries(pods.map((pod) => [pod, clusterIPs[`${pod}-west`] ?? `no Service ${pod}-west`]));

/** The root lists the endpoint mirrors of these pods and no others, in its Endpoints, in the copy, and in DNS. */
const expectPods = async (clusterIPs: Texts, ...pods: readonly string[]): Promise<void> => {
  const expected = byPod(clusterIPs, ...pods);
  expect(await rootOf(lab)).toEqual(expected);
  await expectListed(
    lab,
    'foo-west',
    Object.entries(expected).map(([pod, clusterIP]) => `${pod} ${clusterIP}`),
  );
  const named = Object.entries(expected).map(([pod, clusterIP]) => [`${pod}.foo-west`, clusterIP]);
  await expectAnswers(ground, Object.fromEntries(named));
};

const expectGone = (...names: readonly string[]): Promise<void> =>
  expectAnswers(ground, Object.fromEntries(names.map((name) => [name, NXDOMAIN])));

describe('a StatefulSet behind a headless Service', () => {
  beforeEach(() => arrangeTarget(lab, [], gatewayAt(IP)));

  it('D1: the name of a pod answers the ClusterIP of its endpoint mirror, and behind that is the gateway', async () => {
    await sets.create({ name: 'foo', replicas: 2 });
    const clusterIPs = await syncOnce();
    expect(clusterIPs).toEqual({ 'foo-west': 'None', 'foo-0-west': CLUSTER_IP, 'foo-1-west': CLUSTER_IP });
    expect(clusterIPs['foo-0-west']).not.toBe(clusterIPs['foo-1-west']);
    await expectPods(clusterIPs, 'foo-0', 'foo-1');
    await expectAnswers(ground, {
      'foo-0-west': clusterIPs['foo-0-west'] ?? '',
      'foo-west': sorted([clusterIPs['foo-0-west'] ?? '', clusterIPs['foo-1-west'] ?? '']).join(),
      'foo-2.foo-west': NXDOMAIN,
      foo: NXDOMAIN,
    });
    for (const pod of ['foo-0-west', 'foo-1-west']) {
      expect(await gatewayIn(lab, pod)).toBe(`${IP} http:4143`);
      await expectListed(lab, pod, [IP]);
    }
    expect(await slicesOf(lab.source, { namespace: 'default', name: 'foo-0-west' })).toMatchObject([
      {
        metadata: {
          labels: {
            'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io',
            'mirror.linkerd.io/headless-mirror-svc-name': 'foo-west',
          },
          annotations: {
            'mirror.linkerd.io/remote-svc-fq-name': 'foo-0.foo.default.svc.cluster.local',
            'mirror.linkerd.io/remote-gateway-identity': 'gw.id',
          },
        },
        ports: [{ name: 'http', port: 4143, protocol: 'TCP' }],
      },
    ]);
    await expectInSync(lab);
  });

  it('D1: scaled from two pods to three and down to one, pods that stay keep their addresses', async () => {
    await sets.create({ name: 'foo', replicas: 2 });
    const two = await syncOnce();
    await expectPods(two, 'foo-0', 'foo-1');
    await expectGone('foo-2.foo-west', 'foo-2-west');

    await sets.scale('foo', 3);
    const three = await syncOnce();
    expect(three).toEqual({ ...two, 'foo-2-west': CLUSTER_IP });
    await expectPods(three, 'foo-0', 'foo-1', 'foo-2');
    await expectListed(lab, 'foo-2-west', [IP]);

    await sets.scale('foo', 1);
    const one = await syncOnce();
    expect(one).toEqual({ 'foo-west': 'None', 'foo-0-west': two['foo-0-west'] });
    await expectPods(one, 'foo-0');
    await expectGone('foo-1.foo-west', 'foo-2.foo-west', 'foo-1-west', 'foo-2-west');
    await expectListed(lab, 'foo-2-west', []);
    await expectInSync(lab);
  });

  it('D1: scaled to no pod and back, the root stays headless', async () => {
    await sets.create({ name: 'foo', replicas: 2 });
    const before = await syncOnce();
    await expectPods(before, 'foo-0', 'foo-1');

    await sets.scale('foo', 0);
    expect(await syncOnce()).toEqual({ 'foo-west': 'None' });
    await expectPods({});
    await expectGone('foo-west', 'foo-0.foo-west', 'foo-1.foo-west', 'foo-0-west', 'foo-1-west');

    await sets.scale('foo', 2);
    const after = await syncOnce();
    expect(after).toEqual({ 'foo-west': 'None', 'foo-0-west': CLUSTER_IP, 'foo-1-west': CLUSTER_IP });
    await expectPods(after, 'foo-0', 'foo-1');
    await expectListed(lab, 'foo-0-west', [IP]);
    await expectInSync(lab);
  });

  it('D1: pods that start in parallel, from an ordinal of their own on, are named by it', async () => {
    await sets.create({ name: 'foo', replicas: 3, podManagementPolicy: 'Parallel', start: 5 });
    const three = await syncOnce();
    await expectPods(three, 'foo-5', 'foo-6', 'foo-7');
    await expectGone('foo-0.foo-west');

    await sets.scale('foo', 1);
    const one = await syncOnce();
    expect(one).toEqual({ 'foo-west': 'None', 'foo-5-west': three['foo-5-west'] });
    await expectPods(one, 'foo-5');
    await expectGone('foo-6.foo-west', 'foo-7.foo-west');
    await expectInSync(lab);
  });

  it('D2: exported when its pods already run, they are there with the first reconcile', async () => {
    await sets.create({ name: 'foo', replicas: 2, exported: false });
    expect(await syncOnce()).toEqual({});
    await sets.exportService('foo');
    const clusterIPs = await syncOnce();
    await expectPods(clusterIPs, 'foo-0', 'foo-1');
    await expectListed(lab, 'foo-0-west', [IP]);
    await expectInSync(lab);
  });

  it('D15: a pod that is not ready leaves the root until it is, and comes back to its address', async () => {
    await sets.create({ name: 'foo', replicas: 2 });
    const before = await syncOnce();
    await expectPods(before, 'foo-0', 'foo-1');

    await sets.setReady('foo-1', false);
    const during = await syncOnce();
    await expectPods(during, 'foo-0');
    await expectGone('foo-1.foo-west');
    await expectListed(lab, 'foo-1-west', []);

    await sets.setReady('foo-0', false);
    expect(await syncOnce()).toMatchObject({ 'foo-west': 'None' });
    await expectPods({});
    await expectGone('foo-0.foo-west', 'foo-1.foo-west');

    await sets.setReady('foo-0', true);
    await sets.setReady('foo-1', true);
    expect(await syncOnce()).toEqual(before);
    await expectPods(before, 'foo-0', 'foo-1');
    await expectListed(lab, 'foo-1-west', [IP]);
    await expectInSync(lab);
  });

  it('D15: a pod that is not ready stays in the root where the Service publishes such addresses', async () => {
    await sets.create({ name: 'foo', replicas: 2, publishNotReadyAddresses: true });
    await sets.setReady('foo-1', false);
    const clusterIPs = await syncOnce();
    await expectPods(clusterIPs, 'foo-0', 'foo-1');
    expect(await gatewayIn(lab, 'foo-1-west')).toBe(`${IP} http:4143`);
    await expectListed(lab, 'foo-1-west', [IP]);
    await expectInSync(lab);
  });
});

describe('a Service that changes its shape', () => {
  beforeEach(() => arrangeTarget(lab, [], gatewayAt(IP)));

  /** One address for all pods, the gateway behind it. */
  const expectAddress = async (clusterIPs: Texts): Promise<void> => {
    expect(clusterIPs).toEqual({ 'foo-west': CLUSTER_IP });
    await expectListed(lab, 'foo-west', [IP]);
    await expectAnswers(ground, { 'foo-west': clusterIPs['foo-west'] ?? '' });
    await expectGone('foo-0.foo-west', 'foo-0-west', 'foo-1.foo-west', 'foo-1-west');
    // Endpoints that the source cluster's own controllers took away would be missed now.
    expect(await gatewayIn(lab, 'foo-west')).toBe(`${IP} http:4143`);
    await expectInSync(lab);
  };

  it('D14: from ClusterIP to headless and back, one reconcile each, with nothing left behind', async () => {
    await sets.create({ name: 'foo', replicas: 2, headless: false });
    await expectAddress(await syncOnce());

    await sets.replaceService('foo', { headless: true });
    const pods = await syncOnce();
    expect(pods).toEqual({ 'foo-west': 'None', 'foo-0-west': CLUSTER_IP, 'foo-1-west': CLUSTER_IP });
    await expectPods(pods, 'foo-0', 'foo-1');
    await expectListed(lab, 'foo-0-west', [IP]);
    await expectInSync(lab);

    await sets.replaceService('foo', { headless: false });
    await expectAddress(await syncOnce());
  });

  it('D14: from headless to ClusterIP and back, pods are named again', async () => {
    await sets.create({ name: 'foo', replicas: 2 });
    const before = await syncOnce();
    await expectPods(before, 'foo-0', 'foo-1');

    await sets.replaceService('foo', { headless: false });
    await expectAddress(await syncOnce());

    await sets.replaceService('foo', { headless: true });
    const after = await syncOnce();
    expect(Object.keys(after)).toEqual(Object.keys(before));
    await expectPods(after, 'foo-0', 'foo-1');
    await expectListed(lab, 'foo-1-west', [IP]);
    await expectInSync(lab);
  });
});

describe('behind a gateway whose load balancer has only a hostname', () => {
  const records = (...ips: readonly string[]): readonly string[] => ips.map((ip) => `lb 2 IN A ${ip}`);
  const gateways = () => Promise.all(['foo-0-west', 'foo-1-west'].map((name) => gatewayIn(lab, name)));

  beforeEach(async () => {
    await arrangeTarget(lab, [], aGateway());
    await ground.publish(records(IP));
    await sets.create({ name: 'foo', replicas: 2 });
  });

  it('A3: endpoint mirrors follow its new address, first beside the old one, then alone; the root is not written', async () => {
    const clusterIPs = await syncOnce();
    await expectPods(clusterIPs, 'foo-0', 'foo-1');
    await ground.publish(records('203.0.113.77'));
    const expectStep = async (published: readonly string[]): Promise<void> => {
      expect(sorted((await lab.syncLater()).writes)).toEqual([
        'PATCH Endpoints default/foo-0-west',
        'PATCH Endpoints default/foo-1-west',
      ]);
      const listed = `${published.join(' ')} http:4143`;
      expect(await gateways()).toEqual([listed, listed]);
      await expectListed(lab, 'foo-0-west', published);
      await expectListed(lab, 'foo-1-west', published);
    };
    await expectStep([IP, '203.0.113.77']);
    await expectStep(['203.0.113.77']);
    expect((await lab.syncLater()).writes).toEqual([]);
    expect(await clusterIPsOf(lab)).toEqual(clusterIPs);
    await expectPods(clusterIPs, 'foo-0', 'foo-1');
  });

  it('A10: of a name with addresses of both families, endpoint mirrors list that of their Service alone', async () => {
    await ground.publish([...records(IP), 'lb 2 IN AAAA 2001:db8::10']);
    const clusterIPs = await syncOnce();
    expect(await gateways()).toEqual([`${IP} http:4143`, `${IP} http:4143`]);
    await expectPods(clusterIPs, 'foo-0', 'foo-1');
    for (const name of ['foo-0-west', 'foo-1-west', 'foo-west'])
      expect(
        (await slicesOf(lab.source, { namespace: 'default', name })).map(({ addressType }) => addressType),
      ).toEqual(['IPv4']);
  });
});

describe('a link that writes EndpointSlices', () => {
  /** Of the slices of a Service: who writes them, and that no Endpoints stand beside them. */
  const writerOf = async (name: string): Promise<readonly unknown[]> => {
    expect(await lab.source.read('Endpoints', 'default', name)).toBeUndefined();
    const slices = await slicesOf(lab.source, { namespace: 'default', name });
    return slices.map(({ metadata }) => metadata.labels?.['endpointslice.kubernetes.io/managed-by']);
  };

  const expectSlices = async (clusterIPs: Texts, ...pods: readonly string[]): Promise<void> => {
    const expected = Object.entries(byPod(clusterIPs, ...pods));
    await expectListed(
      lab,
      'foo-west',
      expected.map(([pod, clusterIP]) => `${pod} ${clusterIP}`),
    );
    await expectAnswers(
      ground,
      Object.fromEntries(expected.map(([pod, clusterIP]) => [`${pod}.foo-west`, clusterIP])),
    );
    for (const name of ['foo-west', ...pods.map((pod) => `${pod}-west`)])
      expect(await writerOf(name)).toEqual(['eks-service-mirror']);
    for (const pod of pods) await expectListed(lab, `${pod}-west`, [IP]);
    await expectInSync(lab);
  };

  beforeEach(async () => {
    lab.setLink({ endpoints: 'endpointslices' });
    await arrangeTarget(lab, [], gatewayAt(IP));
  });

  it('D1: names pods in slices of its own, as the StatefulSet is scaled', async () => {
    await sets.create({ name: 'foo', replicas: 2 });
    const two = await syncOnce();
    await expectSlices(two, 'foo-0', 'foo-1');

    await sets.scale('foo', 3);
    const three = await syncOnce();
    expect(three).toEqual({ ...two, 'foo-2-west': CLUSTER_IP });
    await expectSlices(three, 'foo-0', 'foo-1', 'foo-2');

    await sets.scale('foo', 1);
    const one = await syncOnce();
    expect(one).toEqual({ 'foo-west': 'None', 'foo-0-west': two['foo-0-west'] });
    await expectSlices(one, 'foo-0');
    await expectGone('foo-1.foo-west', 'foo-2.foo-west', 'foo-1-west', 'foo-2-west');
  });

  it('D14: names pods in slices of its own when the Service becomes headless, and none when it is no more', async () => {
    await sets.create({ name: 'foo', replicas: 1, headless: false });
    await syncOnce();
    await expectListed(lab, 'foo-west', [IP]);

    await sets.replaceService('foo', { headless: true });
    await expectSlices(await syncOnce(), 'foo-0');

    await sets.replaceService('foo', { headless: false });
    expect(await syncOnce()).toEqual({ 'foo-west': CLUSTER_IP });
    await expectListed(lab, 'foo-west', [IP]);
    expect(await writerOf('foo-west')).toEqual(['eks-service-mirror']);
    await expectGone('foo-0.foo-west', 'foo-0-west');
    await expectInSync(lab);
  });
});
