// The two forms of a mirror's endpoints, and the way from one to the other, through the whole reconcile.
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../support/api.ts';
import { aGateway, aService, aSlice, REMOTE_DISCOVERY } from '../support/builders.ts';
import { endpointsOf, type Lab, slicesOf } from '../support/lab.ts';
import { until } from '../support/until.ts';
import {
  arrangeTarget,
  changeTarget,
  expectInSync,
  gatewayAt,
  type LabHandle,
  setPods,
  standing,
  UNEXPORT,
  WEB,
} from './suite.ts';

const BOTH = ['203.0.113.10', '203.0.113.11'];
const OURS = 'eks-service-mirror';
const COPIES = 'endpointslicemirroring-controller.k8s.io';
const UNCOPIED =
  'nothing copies our Endpoints to EndpointSlices in the source cluster, so proxies and DNS there do not see 1 mirrors: switch the endpointslice-mirroring-controller on, or set endpoints: endpointslices';
const KEPT =
  'our EndpointSlices of 1 mirrors stay (shop/web-west): no copy of their Endpoints lists the same addresses yet';

interface SliceEndpoint {
  readonly addresses: readonly string[];
  readonly conditions?: { readonly ready?: boolean };
}

const readyIn = (slice: KubeObject): readonly string[] => {
  const endpoints: readonly SliceEndpoint[] = slice['endpoints'] ?? [];
  return endpoints
    .filter(({ conditions }) => conditions?.ready !== false)
    .flatMap(({ addresses }) => addresses);
};

const managerOf = ({ metadata }: KubeObject): string | undefined =>
  metadata.labels?.['endpointslice.kubernetes.io/managed-by'];

/** Ready addresses of the mirror in the slices of one writer. */
const readyBy = async (lab: Lab, manager: string): Promise<readonly string[]> =>
  (await slicesOf(lab.source))
    .filter((slice) => managerOf(slice) === manager)
    .flatMap(readyIn)
    .toSorted();

/** What a reader sees who merges every slice of the mirror: kube-proxy, CoreDNS and Linkerd's proxies are such readers. */
const mergedReady = async (lab: Lab): Promise<readonly string[]> => [
  ...new Set((await slicesOf(lab.source)).flatMap(readyIn)),
];

/** Reads as such a reader before and after every write. */
const sampleEveryWrite = (
  lab: Lab,
): { readonly missed: string[]; look(): Promise<void>; count(): number } => {
  const missed: string[] = [];
  let looks = 0;
  const look = async (): Promise<void> => {
    const seen = await mergedReady(lab);
    looks += 1;
    missed.push(...BOTH.filter((address) => !seen.includes(address)));
  };
  for (const on of ['POST', 'PATCH', 'DELETE']) lab.sourceFaults.add({ on, hook: look, afterwards: look });
  return { missed, look, count: () => looks };
};

const mirrorInForm = async (lab: Lab, endpoints: 'endpoints' | 'endpointslices'): Promise<void> => {
  lab.setLink({ endpoints });
  await arrangeTarget(lab, WEB, gatewayAt(...BOTH));
  await lab.sync();
};

const moveGateway = (lab: Lab, ips: readonly string[]): Promise<KubeObject> =>
  lab.target.patchStatus('Service', 'linkerd-multicluster', 'linkerd-gateway', {
    loadBalancer: { ingress: ips.map((ip) => ({ ip })) },
  });

/** A slice as the mirroring controller makes it of the mirror's Endpoints. */
const aCopy = (addresses: readonly string[]): KubeObject =>
  aSlice({
    service: 'web-west',
    name: 'web-west-copy',
    addresses,
    labels: {
      'endpointslice.kubernetes.io/managed-by': COPIES,
      'mirror.linkerd.io/mirrored-service': 'true',
      'mirror.linkerd.io/cluster-name': 'west',
    },
  });

export const outputCases = (handle: LabHandle): void => {
  describe('EndpointSlices', () => {
    it('hold a hundred addresses each; one that is not needed any more goes', async () => {
      const { lab } = handle;
      const ips = Array.from({ length: 101 }, (_unused, index) => `203.0.113.${index + 1}`);
      const hostnames = ['a.example.test', 'b.example.test', 'c.example.test'];
      for (const [index, name] of hostnames.entries())
        lab.dns.set(name, ips.slice(50 * index, 50 * (index + 1)));
      lab.setLink({ endpoints: 'endpointslices' });
      await arrangeTarget(lab, WEB, aGateway({ ingress: hostnames.map((hostname) => ({ hostname })) }));
      await lab.sync();
      const slices = await slicesOf(lab.source);
      expect(slices.map((slice) => readyIn(slice).length)).toEqual([100, 1]);
      expect(slices.flatMap(readyIn)).toEqual(ips);
      await expectInSync(lab);
      await lab.target.patchStatus('Service', 'linkerd-multicluster', 'linkerd-gateway', {
        loadBalancer: { ingress: hostnames.slice(0, 2).map((hostname) => ({ hostname })) },
      });
      const surplus = slices[1]?.metadata.name;
      expect((await lab.sync()).writes).toEqual([`DELETE EndpointSlice shop/${surplus}`]);
      expect((await slicesOf(lab.source)).flatMap(readyIn)).toEqual(ips.slice(0, 100));
      await expectInSync(lab);
    });

    it('come with the mirror Service and go with it', async () => {
      const { lab } = handle;
      await mirrorInForm(lab, 'endpointslices');
      const [slice] = await slicesOf(lab.source);
      expect(readyIn(slice ?? aCopy([]))).toEqual(BOTH);
      await changeTarget(lab, 'web', UNEXPORT);
      expect((await lab.sync()).writes).toEqual([
        `DELETE EndpointSlice shop/${slice?.metadata.name}`,
        'DELETE Service shop/web-west',
      ]);
      expect(await lab.source.list('EndpointSlice', 'shop')).toEqual([]);
      await expectInSync(lab);
    });
  });

  describe('without the mirroring controller', () => {
    it('a note says that nothing copies our Endpoints, as long as they are the form and list somebody', async () => {
      const { lab } = handle;
      await mirrorInForm(lab, 'endpoints');
      expect((await lab.sync()).report.notes).toEqual([UNCOPIED]);
      expect(await mergedReady(lab)).toEqual([]);
      await lab.source.create('EndpointSlice', aCopy(BOTH));
      expect((await lab.sync()).report.notes).toEqual([]);
      await lab.source.remove('EndpointSlice', 'shop', 'web-west-copy');
      await setPods(lab, []);
      await lab.sync();
      expect((await lab.sync()).report.notes).toEqual([]);
      await setPods(lab, [{ addresses: ['10.1.0.1'] }]);
      lab.setLink({ endpoints: 'endpointslices' });
      await lab.sync();
      expect((await lab.sync()).report.notes).toEqual([]);
      expect(await mergedReady(lab)).toEqual(BOTH);
    });

    it('a mirror in remote-discovery mode needs no copies, and no note', async () => {
      const { lab } = handle;
      await arrangeTarget(lab, [['Service', aService({ labels: REMOTE_DISCOVERY })]], gatewayAt(...BOTH));
      await lab.sync();
      expect((await lab.sync()).report.notes).toEqual([]);
      expect((await standing(lab, 'Service', 'web-west')).metadata.name).toBe('web-west');
    });

    it('from Endpoints to EndpointSlices: the slice is there before the Endpoints go', async () => {
      const { lab } = handle;
      await mirrorInForm(lab, 'endpoints');
      const { uid } = (await standing(lab, 'Service', 'web-west')).metadata;
      lab.setLink({ endpoints: 'endpointslices' });
      const run = await lab.sync();
      const [slice] = await slicesOf(lab.source);
      expect(run.writes).toEqual([
        `POST EndpointSlice shop/${slice?.metadata.name}`,
        'DELETE Endpoints shop/web-west',
      ]);
      expect(await readyBy(lab, OURS)).toEqual(BOTH);
      expect(await endpointsOf(lab.source)).toBeUndefined();
      expect((await standing(lab, 'Service', 'web-west')).metadata.uid).toBe(uid);
      await expectInSync(lab);
    });

    it('from Endpoints to EndpointSlices: when the slice cannot be made the Endpoints stay', async () => {
      const { lab } = handle;
      await mirrorInForm(lab, 'endpoints');
      lab.setLink({ endpoints: 'endpointslices' });
      lab.sourceFaults.add({ on: 'POST EndpointSlice', times: 1, fail: { kind: 'denied', when: 'before' } });
      expect((await lab.sync()).writes).toHaveLength(1);
      expect((await endpointsOf(lab.source))?.ready).toEqual(BOTH);
      await lab.sync();
      expect(await endpointsOf(lab.source)).toBeUndefined();
      expect(await readyBy(lab, OURS)).toEqual(BOTH);
    });

    it('back to Endpoints: our slices stay beside them, and follow the gateway and the pods', async () => {
      const { lab } = handle;
      await mirrorInForm(lab, 'endpointslices');
      const name = (await slicesOf(lab.source))[0]?.metadata.name;
      lab.setLink({ endpoints: 'endpoints' });
      const first = await lab.sync();
      expect(first.writes).toEqual(['POST Endpoints shop/web-west']);
      expect(first.report.notes).toEqual([KEPT]);
      const second = await lab.sync();
      expect(second.writes).toEqual([]);
      expect(second.report.notes).toEqual([KEPT, UNCOPIED]);
      expect(await readyBy(lab, OURS)).toEqual(BOTH);
      await moveGateway(lab, ['203.0.113.12']);
      const both = ['PATCH Endpoints shop/web-west', `PATCH EndpointSlice shop/${name}`];
      expect((await lab.sync()).writes).toEqual(both);
      expect((await endpointsOf(lab.source))?.ready).toEqual(['203.0.113.12']);
      expect(await readyBy(lab, OURS)).toEqual(['203.0.113.12']);
      await setPods(lab, []);
      expect((await lab.sync()).writes).toEqual(both);
      await expectInSync(lab);
      await setPods(lab, [{ addresses: ['10.1.0.1'] }]);
      expect((await lab.sync()).writes).toEqual(both);
      expect(await readyBy(lab, OURS)).toEqual(['203.0.113.12']);
      await changeTarget(lab, 'web', UNEXPORT);
      expect((await lab.sync()).writes).toEqual([
        `DELETE EndpointSlice shop/${name}`,
        'DELETE Endpoints shop/web-west',
        'DELETE Service shop/web-west',
      ]);
      expect(await lab.source.list('EndpointSlice', 'shop')).toEqual([]);
    });

    it('back to Endpoints: our slices go when a copy lists the same addresses, not a part of them', async () => {
      const { lab } = handle;
      await mirrorInForm(lab, 'endpointslices');
      const name = (await slicesOf(lab.source))[0]?.metadata.name;
      lab.setLink({ endpoints: 'endpoints' });
      await lab.sync();
      await lab.source.create('EndpointSlice', aCopy(['203.0.113.10']));
      const partly = await lab.sync();
      expect(partly.writes).toEqual([]);
      expect(partly.report.notes).toEqual([KEPT]);
      await lab.source.patch('EndpointSlice', 'shop', 'web-west-copy', {
        endpoints: aCopy(BOTH)['endpoints'],
      });
      const covered = await lab.sync();
      expect(covered.writes).toEqual([`DELETE EndpointSlice shop/${name}`]);
      expect(covered.report.notes).toEqual([]);
      expect(await readyBy(lab, OURS)).toEqual([]);
      expect(await mergedReady(lab)).toEqual(BOTH);
      await expectInSync(lab);
    });

    it("back to Endpoints: an unready copy, or another writer's slice, is no copy of them", async () => {
      const { lab } = handle;
      await mirrorInForm(lab, 'endpointslices');
      lab.setLink({ endpoints: 'endpoints' });
      await lab.sync();
      const unready = BOTH.map((address) => ({ addresses: [address], conditions: { ready: false } }));
      await lab.source.create('EndpointSlice', { ...aCopy([]), endpoints: unready });
      await lab.source.create('EndpointSlice', {
        ...aSlice({ service: 'web-west', name: 'another', addresses: BOTH }),
      });
      expect((await lab.sync()).writes).toEqual([]);
      expect(await readyBy(lab, OURS)).toEqual(BOTH);
    });
  });

  handle.mirrored(() => {
    it('our Endpoints reach readers of slices, and there is no note', async () => {
      const { lab } = handle;
      await mirrorInForm(lab, 'endpoints');
      await until('copies of the Endpoints', async () => (await readyBy(lab, COPIES)).length === 2);
      expect(await readyBy(lab, COPIES)).toEqual(BOTH);
      expect((await lab.sync()).report.notes).toEqual([]);
      await expectInSync(lab);
    });

    it('from Endpoints to EndpointSlices a reader who merges slices never misses an address', async () => {
      const { lab } = handle;
      await mirrorInForm(lab, 'endpoints');
      await until('copies of the Endpoints', async () => (await readyBy(lab, COPIES)).length === 2);
      const samples = sampleEveryWrite(lab);
      lab.setLink({ endpoints: 'endpointslices' });
      expect((await lab.sync()).writes).toHaveLength(2);
      await until('the copies gone', async () => {
        await samples.look();
        return (await readyBy(lab, COPIES)).length === 0;
      });
      await samples.look();
      expect(samples.count()).toBeGreaterThan(4);
      expect(samples.missed).toEqual([]);
      expect(await readyBy(lab, OURS)).toEqual(BOTH);
      expect(await endpointsOf(lab.source)).toBeUndefined();
      await expectInSync(lab);
    });

    it('back to Endpoints neither: our slices stay until the copies list the same addresses', async () => {
      const { lab } = handle;
      await mirrorInForm(lab, 'endpointslices');
      const name = (await slicesOf(lab.source))[0]?.metadata.name;
      const samples = sampleEveryWrite(lab);
      lab.setLink({ endpoints: 'endpoints' });
      const first = await lab.sync();
      expect(first.writes).toEqual(['POST Endpoints shop/web-west']);
      expect(first.report.notes).toEqual([KEPT]);
      const writes: string[] = [];
      await until('our slices gone', async () => {
        const run = await lab.sync();
        writes.push(...run.writes);
        await samples.look();
        return (await readyBy(lab, OURS)).length === 0;
      });
      expect(writes).toEqual([`DELETE EndpointSlice shop/${name}`]);
      expect(samples.count()).toBeGreaterThan(4);
      expect(samples.missed).toEqual([]);
      expect(await readyBy(lab, COPIES)).toEqual(BOTH);
      expect((await endpointsOf(lab.source))?.ready).toEqual(BOTH);
      expect((await lab.sync()).report.notes).toEqual([]);
      await expectInSync(lab);
    });

    it('to and fro with a gateway that moves in between, a reader is never left without an address', async () => {
      const { lab } = handle;
      await mirrorInForm(lab, 'endpoints');
      await until('copies of the Endpoints', async () => (await readyBy(lab, COPIES)).length === 2);
      const empty: string[] = [];
      const look = async (): Promise<void> => {
        if ((await mergedReady(lab)).length === 0) empty.push('no address');
      };
      for (const on of ['POST', 'PATCH', 'DELETE'])
        lab.sourceFaults.add({ on, hook: look, afterwards: look });
      for (const [form, ip] of [
        ['endpointslices', '203.0.113.21'],
        ['endpoints', '203.0.113.22'],
        ['endpointslices', '203.0.113.23'],
      ] as const) {
        lab.setLink({ endpoints: form });
        await moveGateway(lab, [ip]);
        await until(`${ip} alone`, async () => {
          await lab.sync();
          await look();
          return (await mergedReady(lab)).join() === ip;
        });
      }
      expect(empty).toEqual([]);
      expect(await mergedReady(lab)).toEqual(['203.0.113.23']);
    });
  });
};
