// Headless mirrors by what the target says of their pods: in many slices, with gaps, gone for a while, by the hundred.
import { describe, expect, it } from 'vitest';
import { type Lab, slicesOf } from '../support/lab.ts';
import {
  aPodSlice,
  arrangeDb,
  everything,
  mirrorDb,
  mirrorOf,
  nameless,
  ordinals,
  podMade,
  podRemoved,
  type Pod,
  pods,
  ROOT_LISTED,
  scale,
  unready,
} from './headless.ts';
import { clusterIPsIn, mirrorsIn } from './seen.ts';
import { expectInSync, type LabHandle, sorted, standing } from './suite.ts';
import { watch } from './watcher.ts';

const GONE_AT = 'eks-service-mirror/pod-gone-at';
const V6 = (given: readonly Pod[]): readonly Pod[] =>
  given.map((pod, index) => ({ ...pod, addresses: [`2001:db8::${index + 1}`] }));

const addSlice = (lab: Lab, endpoints: readonly Pod[], given: Parameters<typeof aPodSlice>[1]) =>
  lab.target.create('EndpointSlice', aPodSlice(endpoints, given));

/** Of the endpoints object of an endpoint mirror. */
const goneAt = async (lab: Lab, name: string): Promise<string | undefined> =>
  (await standing(lab, 'Endpoints', name)).metadata.annotations?.[GONE_AT];

export const headlessPodCases = (handle: LabHandle): void => {
  describe('pods in several slices', () => {
    it('are one root', async () => {
      const { lab } = handle;
      await arrangeDb(lab, pods('db-0'));
      await addSlice(lab, pods('db-1'), { name: 'db-fghij' });
      await addSlice(lab, pods('db-2'), { name: 'db-klmno' });
      await lab.sync();
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0', 'db-1', 'db-2'));
      await lab.target.remove('EndpointSlice', 'shop', 'db-fghij');
      await lab.sync();
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0', 'db-2'));
      await expectInSync(lab);
    });

    it('of two families are named once each; a pod in one family alone is named too', async () => {
      const { lab } = handle;
      await arrangeDb(lab, ordinals(2));
      await addSlice(lab, V6(pods('db-0', 'db-1', 'db-2')), { name: 'db-v6', family: 'IPv6' });
      const run = await lab.sync();
      expect(run.report.refusals).toEqual([]);
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0', 'db-1', 'db-2'));
      await lab.target.remove('EndpointSlice', 'shop', 'db-abcde');
      expect((await lab.sync()).writes).toEqual([]);
    });

    it('of two families without a hostname are counted once each', async () => {
      const { lab } = handle;
      const [first, ...others] = ordinals(3);
      const mixed = [...(first === undefined ? [] : [first]), ...nameless(others)];
      await arrangeDb(lab, mixed);
      await addSlice(lab, V6(mixed), { name: 'db-v6', family: 'IPv6' });
      const { report } = await lab.sync();
      expect(report.refusals.map(({ message }) => message)).toEqual([
        '2 of 3 pods have no hostname, so they have no endpoint mirror and are not in the root',
      ]);
    });

    it.each([
      ['db-aaaaa', 'db-zzzzz'],
      ['db-zzzzz', 'db-aaaaa'],
    ])('that disagree (%s ready, %s not): the one with the ready pod is believed', async (ready, not) => {
      const { lab } = handle;
      await arrangeDb(lab, []);
      await addSlice(lab, unready(pods('db-0')), {
        name: not,
        ports: [{ name: 'pg', port: 9999, protocol: 'TCP' }],
      });
      await addSlice(lab, pods('db-0'), { name: ready });
      await lab.sync();
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0'));
      await lab.target.remove('EndpointSlice', 'shop', ready);
      await lab.sync();
      expect(await mirrorsIn(lab.source)).toEqual([
        'db-0-west pg:5432 of db-west → nobody',
        'db-west pg:5432 headless → nobody',
      ]);
      await expectInSync(lab);
    });

    it.each(['endpoints', 'endpointslices'] as const)(
      'with ports of their own: each entry of the root keeps the ports of its pod, as %s',
      async (endpoints) => {
        const { lab } = handle;
        lab.setLink({ endpoints });
        await arrangeDb(lab, pods('db-0', 'db-1'));
        await addSlice(lab, pods('db-2'), {
          name: 'db-canary',
          ports: [{ name: 'pg', port: 6543, protocol: 'TCP' }],
        });
        await lab.sync();
        const [, , , root] = await mirrorsIn(lab.source);
        expect(root).toBe(
          'db-west pg:5432 headless → db-0=db-0-west, db-1=db-1-west at pg:5432; db-2=db-2-west at pg:6543',
        );
        await expectInSync(lab);
      },
    );

    it('a change of what no mirror shows is no reason to write: addresses, order, the slice a pod stands in', async () => {
      const { lab } = handle;
      await mirrorDb(lab, ordinals(3));
      const moved = ordinals(3).map((pod) => ({
        ...pod,
        addresses: [pod.addresses[0]?.replace('10.1', '10.9') ?? ''],
      }));
      await scale(lab, moved.toReversed().slice(0, 1));
      await addSlice(lab, moved.slice(0, 2), { name: 'db-fghij' });
      expect((await lab.sync()).writes).toEqual([]);
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0', 'db-1', 'db-2'));
    });
  });

  describe('as many pods as there are', () => {
    it('ordinals with gaps', async () => {
      const { lab } = handle;
      await mirrorDb(lab, pods('db-3', 'db-17', 'db-4'));
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-3', 'db-17', 'db-4'));
      await scale(lab, pods('db-17', 'db-5'));
      const { writes } = await lab.sync();
      expect(writes.slice(0, 3)).toEqual([...podMade('db-5'), ROOT_LISTED]);
      expect(sorted(writes.slice(3))).toEqual(sorted([...podRemoved('db-3'), ...podRemoved('db-4')]));
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-17', 'db-5'));
      await expectInSync(lab);
    });

    it('none, then three, then none: the root stays and its list says nobody', async () => {
      const { lab } = handle;
      await mirrorDb(lab, []);
      await scale(lab, ordinals(3));
      await lab.sync();
      const { uid } = (await standing(lab, 'Service', 'db-west')).metadata;
      await scale(lab, []);
      await lab.sync();
      expect(await mirrorsIn(lab.source)).toEqual(['db-west pg:5432 headless → nobody']);
      await expectInSync(lab);
      await scale(lab, ordinals(3));
      await lab.sync();
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0', 'db-1', 'db-2'));
      expect((await standing(lab, 'Service', 'db-west')).metadata.uid).toBe(uid);
    });

    it.each(['endpoints', 'endpointslices'] as const)(
      'one, then a hundred, then three, as %s',
      async (endpoints) => {
        const { lab } = handle;
        lab.setLink({ endpoints });
        await mirrorDb(lab, ordinals(1));
        const one = await clusterIPsIn(lab.source);
        await scale(lab, ordinals(100));
        expect((await lab.sync()).writes).toHaveLength(99 * 2 + 1);
        const names = ordinals(100).map(({ hostname = '' }) => hostname);
        expect(await mirrorsIn(lab.source)).toEqual(mirrorOf(...names));
        const hundred = await clusterIPsIn(lab.source);
        expect(hundred).toMatchObject(one);
        await scale(lab, ordinals(3));
        expect((await lab.sync()).writes).toHaveLength(97 * 2 + 1);
        expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0', 'db-1', 'db-2'));
        expect(hundred).toMatchObject(await clusterIPsIn(lab.source));
        expect(await slicesOf(lab.source, { namespace: 'shop', name: 'db-west' })).toHaveLength(
          endpoints === 'endpoints' ? 0 : 1,
        );
        await expectInSync(lab);
      },
    );
  });

  describe('a pod that is gone, with an hour of grace', () => {
    const KEPT = [
      'db-0-west pg:5432 of db-west → 203.0.113.10 at pg:4143',
      'db-1-west pg:5432 of db-west → nobody',
      'db-west pg:5432 headless → db-0=db-0-west at pg:5432',
    ];

    const withoutOne = async (lab: Lab): Promise<void> => {
      lab.setLink({ endpointMirrorGrace: 3600 });
      await mirrorDb(lab);
      await scale(lab, ordinals(1));
    };

    it('keeps its ClusterIP, and has it again when it comes back', async () => {
      const { lab } = handle;
      await withoutOne(lab);
      const ips = await clusterIPsIn(lab.source);
      expect((await lab.sync()).writes).toEqual([ROOT_LISTED, 'PATCH Endpoints shop/db-1-west']);
      expect(await mirrorsIn(lab.source)).toEqual(KEPT);
      expect(await goneAt(lab, 'db-1-west')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      await expectInSync(lab);
      lab.sourceFaults.passTime(3500);
      await expectInSync(lab);
      await scale(lab, ordinals(2));
      expect((await lab.sync()).writes).toEqual(['PATCH Endpoints shop/db-1-west', ROOT_LISTED]);
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0', 'db-1'));
      expect(await clusterIPsIn(lab.source)).toEqual(ips);
      expect(await goneAt(lab, 'db-1-west')).toBeUndefined();
      lab.sourceFaults.passTime(3800);
      await expectInSync(lab);
    });

    it('is removed when the grace is over, by a run that remembers nothing', async () => {
      const { lab } = handle;
      await withoutOne(lab);
      await lab.sync();
      lab.forget();
      lab.sourceFaults.passTime(3700);
      expect((await lab.sync()).writes).toEqual(podRemoved('db-1'));
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0'));
      await expectInSync(lab);
    });

    it('has a new hour each time it goes', async () => {
      const { lab } = handle;
      await withoutOne(lab);
      await lab.sync();
      const first = await goneAt(lab, 'db-1-west');
      lab.sourceFaults.passTime(3000);
      await scale(lab, ordinals(2));
      await lab.sync();
      await scale(lab, ordinals(1));
      await lab.sync();
      expect(Date.parse((await goneAt(lab, 'db-1-west')) ?? '') - Date.parse(first ?? '')).toBeGreaterThan(
        2_900_000,
      );
      lab.sourceFaults.passTime(1000);
      await expectInSync(lab);
      lab.sourceFaults.passTime(2700);
      expect((await lab.sync()).writes).toEqual(podRemoved('db-1'));
    });

    it('goes at once when the link takes the grace back', async () => {
      const { lab } = handle;
      await withoutOne(lab);
      await lab.sync();
      lab.setLink({ endpointMirrorGrace: 0 });
      expect((await lab.sync()).writes).toEqual(podRemoved('db-1'));
    });

    it('holds nothing back at the end of the export', async () => {
      const { lab } = handle;
      await withoutOne(lab);
      await lab.sync();
      await lab.target.remove('Service', 'shop', 'db');
      await lab.sync();
      expect(await everything(lab)).toEqual([]);
    });

    it('is kept in slices too', async () => {
      const { lab } = handle;
      lab.setLink({ endpointMirrorGrace: 3600, endpoints: 'endpointslices' });
      await mirrorDb(lab);
      await scale(lab, ordinals(1));
      const watcher = await watch(lab);
      await lab.sync();
      expect(await mirrorsIn(lab.source)).toEqual(KEPT);
      await expectInSync(lab);
      await scale(lab, ordinals(2));
      await lab.sync();
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0', 'db-1'));
      await expectInSync(lab);
      expect(watcher.faults().filter((fault) => !fault.includes('listed nobody'))).toEqual([]);
    });

    it('a pod that was never listed leaves no endpoint mirror, whatever the grace', async () => {
      const { lab } = handle;
      lab.setLink({ endpointMirrorGrace: 3600 });
      await mirrorDb(lab, [...ordinals(1), ...unready(pods('db-9'))]);
      await scale(lab, ordinals(1));
      expect((await lab.sync()).writes).toEqual([]);
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0'));
    });
  });
};
