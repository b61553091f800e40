// How headless mirrors are written: how often, in which form, and what a first run leaves that ends between any two writes.
import { describe, expect, it } from 'vitest';
import { type Lab, slicesOf } from '../support/lab.ts';
import { until } from '../support/until.ts';
import { COLD, crashes } from './headless-crashes.ts';
import {
  everything,
  expectQuiet,
  mirrorDb,
  mirrorOf,
  ordinals,
  podMade,
  podRemoved,
  ROOT_LISTED,
  scale,
} from './headless.ts';
import { clusterIPsIn, mirrorsIn, objectsIn, seenOf, told } from './seen.ts';
import { changeTarget, expectInSync, type LabHandle } from './suite.ts';
import { watch } from './watcher.ts';

const FORMS = ['endpoints', 'endpointslices'] as const;

const sliceName = async (lab: Lab, name: string): Promise<string | undefined> =>
  (await slicesOf(lab.source, { namespace: 'shop', name }))[0]?.metadata.name;

export const headlessWritingCases = (handle: LabHandle): void => {
  describe.each(FORMS)('writes of a headless mirror, as %s', (form) => {
    it('one more pod is three writes, and one less is three', async () => {
      const { lab } = handle;
      lab.setLink({ endpoints: form });
      await mirrorDb(lab);
      await scale(lab, ordinals(3));
      const more = (await lab.sync()).writes;
      const [pod, root] = [await sliceName(lab, 'db-2-west'), await sliceName(lab, 'db-west')];
      expect(more).toEqual(
        form === 'endpoints'
          ? [...podMade('db-2'), ROOT_LISTED]
          : [
              'POST Service shop/db-2-west',
              `POST EndpointSlice shop/${pod}`,
              `PATCH EndpointSlice shop/${root}`,
            ],
      );
      await scale(lab, ordinals(2));
      expect((await lab.sync()).writes).toEqual(
        form === 'endpoints'
          ? [ROOT_LISTED, ...podRemoved('db-2')]
          : [
              `PATCH EndpointSlice shop/${root}`,
              `DELETE EndpointSlice shop/${pod}`,
              'DELETE Service shop/db-2-west',
            ],
      );
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0', 'db-1'));
    });

    it('nothing changed: no write, whatever passes', async () => {
      const { lab } = handle;
      lab.setLink({ endpoints: form });
      await mirrorDb(lab, ordinals(5));
      const before = await everything(lab);
      expect(before).toHaveLength(12);
      await expectQuiet(lab);
      await changeTarget(lab, 'db', { spec: { sessionAffinity: 'ClientIP' } });
      await expectQuiet(lab);
      expect(await everything(lab)).toEqual(before);
    });

    crashes(handle, form, COLD);
  });

  describe('another form for a headless mirror', () => {
    it.each([
      { from: 'endpoints', to: 'endpointslices' },
      { from: 'endpointslices', to: 'endpoints' },
    ] as const)('from $from to $to: the new lists are there before the old ones go', async ({ from, to }) => {
      const { lab } = handle;
      lab.setLink({ endpoints: from });
      await mirrorDb(lab);
      const ips = await clusterIPsIn(lab.source);
      const watcher = await watch(lab);
      lab.setLink({ endpoints: to });
      await lab.sync();
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0', 'db-1'));
      expect(await clusterIPsIn(lab.source)).toEqual(ips);
      expect(watcher.faults()).toEqual([]);
      const bare = watcher.looks.flatMap((seen) =>
        [...seen.values()].filter(({ list = [] }) => list.length === 0),
      );
      expect(bare).toEqual([]);
      await expectInSync(lab);
    });
  });

  handle.mirrored(() => {
    const LISTED = mirrorOf('db-0', 'db-1');
    const bySlices = async (lab: Lab): Promise<readonly string[]> =>
      told(seenOf({ ...(await objectsIn(lab.source)), endpoints: [] }));
    const missing = async (lab: Lab): Promise<readonly string[]> =>
      (await bySlices(lab)).filter((line) => !LISTED.includes(line));

    it('headless: copies of the root and of endpoint mirrors reach readers of slices', async () => {
      const { lab } = handle;
      await mirrorDb(lab);
      await until('copies of every list', async () => (await missing(lab)).length === 0);
      expect((await lab.sync()).report.notes).toEqual([]);
      await scale(lab, ordinals(1));
      await lab.sync();
      const left = mirrorOf('db-0');
      await until('the copy of the shorter root', async () => (await bySlices(lab)).join() === left.join());
      await expectInSync(lab);
    });

    it('headless, to slices and back to Endpoints: who merges slices misses no entry of the root and no gateway', async () => {
      const { lab } = handle;
      await mirrorDb(lab);
      await until('copies of every list', async () => (await missing(lab)).length === 0);
      const missed: string[] = [];
      let looks = 0;
      const look = async (): Promise<void> => {
        looks += 1;
        missed.push(...(await missing(lab)));
      };
      lab.sourceFaults.afterEveryWrite(look);
      lab.setLink({ endpoints: 'endpointslices' });
      expect((await lab.sync()).writes).toHaveLength(6);
      expect(await lab.source.list('Endpoints', 'shop')).toEqual([]);
      await until('the copies gone', async () => {
        await look();
        return (await lab.source.list('EndpointSlice', 'shop')).length === 3;
      });
      await expectInSync(lab);
      lab.setLink({ endpoints: 'endpoints' });
      await until('our slices gone', async () => {
        await lab.sync();
        await look();
        const slices = await lab.source.list('EndpointSlice', 'shop');
        return slices.every(
          ({ metadata }) =>
            metadata.labels?.['endpointslice.kubernetes.io/managed-by'] !== 'eks-service-mirror',
        );
      });
      await look();
      expect(missed).toEqual([]);
      expect(looks).toBeGreaterThan(12);
      await expectInSync(lab);
    });
  });
};
