// What a run leaves that ends between any two writes of a headless mirror, and how the next one heals it.
import { expect, it } from 'vitest';
import type { Lab } from '../support/lab.ts';
import { aHeadless, arrangeDb, ordinals, replaceDb, scale, setExported } from './headless.ts';
import { mirrorsIn } from './seen.ts';
import { expectInSync, type LabHandle } from './suite.ts';
import { watch } from './watcher.ts';

const LEASE_IS_OVER = 120; // seconds: past the longest time for which a run that died holds it

/** A change of the target that a run is to carry out, and the way back. */
export interface Turn {
  readonly what: string;
  readonly forth: (lab: Lab) => Promise<unknown>;
  readonly back: (lab: Lab) => Promise<unknown>;
  readonly writes: number;
}

const plain = aHeadless({ spec: { clusterIP: '' } });

/** Each begins with `db` and its two pods in the target, not exported, and an empty source cluster. */
export const COLD: Turn = {
  what: 'a cold headless mirror',
  forth: (lab) => setExported(lab, true),
  back: (lab) => setExported(lab, false),
  writes: 6,
};

export const OTHER_TURNS: readonly Turn[] = [
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

/** Declares the tests of one change: every write of it fails once, in every way as Endpoints, in one as slices. */
export const crashes = (handle: LabHandle, form: 'endpoints' | 'endpointslices', turn: Turn): void => {
  const ends: readonly End[] = form === 'endpoints' ? ALL_ENDS : ['the run dies before it'];
  it.each(ends)(
    `${turn.what}, whichever write fails (%s): the next run heals it, and nobody sees a wrong entry`,
    async (end) => {
      const { lab } = handle;
      lab.setLink({ endpoints: form });
      await arrangeDb(lab, ordinals(2), aHeadless({ labels: {} }));
      const restart = async (): Promise<void> => {
        await turn.back(lab);
        await lab.sync();
        await turn.forth(lab);
      };
      await restart();
      const { writes } = await lab.sync();
      const wanted = await mirrorsIn(lab.source);
      expect(writes).toHaveLength(turn.writes);
      for (const write of writes) {
        await restart();
        failAt(lab, write, end);
        const watcher = await watch(lab);
        const { report } = await lab.sync();
        expect(report.outcomes?.some(({ result }) => result !== 'applied')).toBe(true);
        await heal(lab);
        expect(await mirrorsIn(lab.source)).toEqual(wanted);
        expect(watcher.faults()).toEqual([]);
      }
    },
  );
};
