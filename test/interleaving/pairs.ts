// Plays a pair of runs in every order of their single requests and judges each: whatever the order, nothing is lost, nothing of anybody
// else is touched, and one undisturbed run later all is as if they had come one after the other.
import { expect } from 'vitest';
import { linkOf } from '../support/lab.ts';
import { markReadBack } from '../support/read-back.ts';
import { FORMER, type Ground, groundFor, KEPT, LEARNT } from './ground.ts';
import type { KindName } from './runs.ts';
import { SCENES, type SceneName } from './scenes.ts';
import { type Explored, explore, type Gate } from './scheduler.ts';
import type { Rules } from './watch.ts';

export type Pair = readonly [KindName, KindName];

export interface Terms {
  readonly scene?: SceneName; // default: services
  readonly moves?: boolean; // the target moves on right before the second run, while the first one is at work
  readonly interruptions: number;
  readonly ends: readonly string[] | undefined; // what the mirror lists at last; undefined: it is gone
  readonly orders: number; // at the least
  readonly withoutLease?: true; // the source cluster has no namespace for it
}

export const BEFORE = [KEPT, FORMER];
export const AFTER = [KEPT, LEARNT];

export type Row = readonly [title: string, Pair, Terms];

const rulesFor = (pair: Pair): Rules => ({
  ...(pair.includes('unlink') ? {} : { kept: KEPT }),
  ...(pair.includes('sync') ? {} : { deployment: { learnt: LEARNT } }),
});

/** Lets everything through. */
const OPEN: Gate = (_touch, send) => send();

const explored: Explored[] = [];

/** Says after all pairs of a file how many orders they had. */
export const tellOrders = (): void => {
  const sum = (field: keyof Explored): number => explored.reduce((total, row) => total + row[field], 0);
  // oxlint-disable-next-line no-console -- the number that this suite is about
  console.log(
    `${sum('orders')} interleavings of ${explored.length} pairs of runs, ${sum('requests')} requests`,
  );
};

/** What the runs come to one after the other, with nobody beside them. */
const endOf = async (
  lay: () => Promise<Ground>,
  pair: Pair,
  { moves = false }: Partial<Terms>,
): Promise<Readonly<Record<string, unknown>>> => {
  const ground = await lay();
  if (moves) await ground.moveOn(OPEN);
  for (const kind of [...pair, 'reconcile'] as const) await ground.run(kind, OPEN, kind);
  return ground.state();
};

/** An answer that changed the gateway's addresses is in every mirror, or a message waits that brings it. */
const expectFollowed = (ground: Ground, scene: SceneName): void => {
  if (ground.work.waiting().length > 0) return;
  for (const mirror of SCENES[scene].mirrors) expect(ground.ready(mirror) ?? AFTER).toEqual(AFTER);
};

/** @throws what the first order that ends otherwise than it should has to say */
export const explorePair = async (pair: Pair, terms: Terms): Promise<Explored> => {
  const { scene = 'services', moves = false } = terms;
  const link = linkOf(terms.withoutLease === true ? { namespace: 'nowhere' } : {});
  const lay = await groundFor({ link, scene, isMoving: moves, rules: rulesFor(pair) });
  const expected = await endOf(lay, pair, terms);
  const row = await explore(async () => {
    const ground = await lay();
    const [first, second] = pair;
    return {
      runs: [
        (gate) => ground.run(first, gate, 'run A'),
        async (gate) => {
          if (moves) await ground.moveOn(gate);
          await ground.run(second, gate, 'run B');
        },
      ],
      judge: async () => {
        expect(ground.offences()).toEqual([]);
        if (pair.includes('refresh') && !pair.includes('unlink')) expectFollowed(ground, scene);
        await ground.run('reconcile', OPEN, 'undisturbed');
        expect(ground.state()).toEqual(expected);
        expect(ground.ready(SCENES[scene].mirrors[0])).toEqual(terms.ends);
        expect(ground.offences()).toEqual([]);
      },
    };
  }, terms);
  explored.push(row);
  markReadBack();
  return row;
};

export const PATIENCE = { timeout: 120_000 };
