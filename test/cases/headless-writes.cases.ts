// How headless mirrors are written: how often, in which form, and what a run leaves that ends between any two writes.
import { describe, expect, it } from 'vitest';
import { type Lab, slicesOf } from '../support/lab.ts';
import { until } from '../support/until.ts';
import {
  aHeadless,
  arrangeDb,
  everything,
  expectQuiet,
  mirrorDb,
  mirrorOf,
  ordinals,
  podMade,
  podRemoved,
  replaceDb,
  ROOT_LISTED,
  scale,
  setExported,
} from './headless.ts';
import { clusterIPsIn, mirrorsIn, seenIn, told } from './seen.ts';
import { changeTarget, expectInSync, type LabHandle } from './suite.ts';
import { watch } from './watcher.ts';

const FORMS = ['endpoints', 'endpointslices'] as const;
type Form = (typeof FORMS)[number];
const LEASE_IS_OVER = 120; // seconds: past the longest time for which a run that died holds it

const sliceName = async (lab: Lab, name: string): Promise<string | undefined> =>
  (await slicesOf(lab.source, { namespace: 'shop', name }))[0]?.metadata.name;

/** A change of the target that a run is to carry out, and the way back. */
interface Turn {
  readonly what: string;
  readonly forth: (lab: Lab) => Promise<unknown>;
  readonly back: (lab: Lab) => Promise<unknown>;
  readonly writes: number;
}

const plain = aHeadless({ spec: { clusterIP: '' } });

/** Each begins with `db` and its two pods in the target, not exported, and an empty source cluster. */
const TURNS: readonly Turn[] = [
  {
    what: 'a cold headless mirror',
    forth: (lab) => setExported(lab, true),
    back: (lab) => setExported(lab, false),
    writes: 6,
  },
  {
    what: 'the end of a headless mirror',
    forth: (lab) => setExported(lab, false),
    back: (lab) => setExported(lab, true),
    writes: 6,
  },
  {
    what: 'from two pods to two others',
    forth: (lab) => scale(lab, ordinals(4).slice(2)),
    back: async (lab) => {
      await setExported(lab, true);
      await scale(lab, ordinals(2));
    },
    writes: 9,
  },
  {
    what: 'from ClusterIP to headless',
    forth: (lab) => replaceDb(lab, aHeadless(), ordinals(2)),
    back: (lab) => replaceDb(lab, plain, ordinals(2)),
    writes: 8,
  },
  {
    what: 'from headless to ClusterIP',
    forth: (lab) => replaceDb(lab, plain, ordinals(2)),
    back: (lab) => replaceDb(lab, aHeadless(), ordinals(2)),
    writes: 8,
  },
];

const ENDS = {
  'the run dies before it': { kind: 'unreachable', when: 'before', isLast: true },
  'the run dies after it': { kind: 'unreachable', when: 'lost', isLast: true },
  'it is refused': { kind: 'denied', when: 'before', isLast: false },
} as const;
type End = keyof typeof ENDS;
const ALL_ENDS: readonly End[] = ['the run dies before it', 'the run dies after it', 'it is refused'];

/** Lets one write fail, and all that comes after it where the run dies. */
const failAt = (lab: Lab, write: string, end: End): void => {
  const { kind, when, isLast } = ENDS[end];
  lab.sourceFaults.add({
    on: write,
    times: 1,
    hook: () => {
      if (isLast) lab.sourceFaults.add({ on: '', fail: { kind: 'unreachable', when: 'before' } });
    },
    fail: { kind, when },
  });
};

/** Runs until there is nothing left to do; two runs must be enough. */
const heal = async (lab: Lab): Promise<void> => {
  lab.sourceFaults.clear();
  lab.sourceFaults.passTime(LEASE_IS_OVER);
  await lab.sync();
  await expectInSync(lab);
};

export const headlessWritingCases = (handle: LabHandle): void => {
  describe.each(FORMS)('writes of a headless mirror, as %s', (form: Form) => {
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

    const ends: readonly End[] = form === 'endpoints' ? ALL_ENDS : ['the run dies before it'];
    const rows = TURNS.flatMap((turn) => ends.map((end) => ({ ...turn, end })));
    it.each(rows)(
      '$what, whichever write fails ($end): the next run heals it, and nobody sees a wrong entry',
      async (row) => {
        const { lab } = handle;
        lab.setLink({ endpoints: form });
        await arrangeDb(lab, ordinals(2), aHeadless({ labels: {} }));
        const restart = async (): Promise<void> => {
          await row.back(lab);
          await lab.sync();
          await row.forth(lab);
        };
        await restart();
        const { writes } = await lab.sync();
        const wanted = await mirrorsIn(lab.source);
        expect(writes).toHaveLength(row.writes);
        for (const write of writes) {
          await restart();
          failAt(lab, write, row.end);
          const watcher = await watch(lab);
          const { report } = await lab.sync();
          expect(report.outcomes?.some(({ result }) => result !== 'applied')).toBe(true);
          await heal(lab);
          expect(await mirrorsIn(lab.source)).toEqual(wanted);
          expect(watcher.faults()).toEqual([]);
        }
      },
    );
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
      told(await seenIn(lab.source, 'shop', 'slices'));
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
