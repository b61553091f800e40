// What holds for the plan of headless mirrors, whatever stands and whatever their pods do. Pure: no server is asked.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyText } from '../../lib/model/keys.ts';
import type { Change } from '../../lib/model/plan.ts';
import { PURE } from './bounds.ts';
import { planOf, view } from './plans.ts';
import { brokenBy, clusterOf } from './replay.ts';
import { snapshotsOf } from './snapshots.ts';
import { crowdedWorld } from './worlds.ts';

const mirrorsOf = (changes: readonly Change[]): readonly (readonly Change[])[] => [
  ...Map.groupBy(changes, ({ mirror }) => keyText(mirror)).values(),
];

const isOfPod = ({ part, mirror }: Change): boolean =>
  part !== undefined && keyText(part) !== keyText(mirror);

describe('for any headless Services, any leftovers and any gateway', () => {
  it.each([
    ['in the order of the plan', false],
    ['in the other order', true],
  ])(
    'after no change an entry of a root lacks an endpoint mirror with a list, parts written %s',
    (_, isReversed) => {
      fc.assert(
        fc.property(crowdedWorld, view, (given, view) => {
          const snapshots = snapshotsOf(given);
          const { changes } = planOf(given, { snapshots, view });
          expect(brokenBy(changes, clusterOf(snapshots.source), { isReversed })).toEqual([]);
        }),
        PURE,
      );
    },
  );

  it('endpoint mirrors are deleted in a later stage than the root lets go of them', () => {
    fc.assert(
      fc.property(crowdedWorld, view, (given, view) => {
        const { changes } = planOf(given, { snapshots: snapshotsOf(given), view });
        for (const members of mirrorsOf(changes)) {
          const root = members.filter((change) => !isOfPod(change)).map(({ stage = 0 }) => stage);
          // One without an address, which no entry can point to, is made again in its place.
          const madeAgain = new Set(
            members.filter(({ action, kind }) => action === 'create' && kind === 'Service').map(keyText),
          );
          const deleted = members.filter(
            (change) =>
              isOfPod(change) &&
              change.action === 'delete' &&
              change.kind === 'Service' &&
              !madeAgain.has(keyText(change)),
          );
          expect(deleted.filter(({ stage = 0 }) => stage <= Math.max(-1, ...root))).toEqual([]);
        }
      }),
      PURE,
    );
  });
});
