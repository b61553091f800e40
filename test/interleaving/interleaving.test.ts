// Runs over the same mirrors at the same time, in every order of their single requests: whatever the order, nothing is lost, nothing
// of anybody else is touched, and one undisturbed run later all is as if they had come one after the other.
import { afterAll, describe, expect, it } from 'vitest';
import { linkOf } from '../support/lab.ts';
import { markReadBack } from '../support/read-back.ts';
import { FORMER, type Ground, groundFor, KEPT, LEARNT } from './ground.ts';
import type { KindName } from './runs.ts';
import { type Explored, explore, type Gate } from './scheduler.ts';
import type { Rules } from './watch.ts';

type Pair = readonly [KindName, KindName];

interface Terms {
  readonly interruptions: number;
  readonly ends: readonly string[] | undefined; // what the mirror lists at last; undefined: it is gone
  readonly orders: number; // at the least
  readonly withoutLease?: true; // the source cluster has no namespace for it
}

const BEFORE = [KEPT, FORMER];
const AFTER = [KEPT, LEARNT];

const ROWS: readonly (readonly [title: string, Pair, Terms])[] = [
  ['K3: two reconciles', ['reconcile', 'reconcile'], { interruptions: 2, ends: BEFORE, orders: 120 }],
  [
    'K3: two reconciles without a Lease',
    ['reconcile', 'reconcile'],
    { interruptions: 2, ends: BEFORE, orders: 120, withoutLease: true },
  ],
  [
    'K3: a sync from elsewhere and a reconcile, with nothing but the Lease between them',
    ['sync', 'reconcile'],
    { interruptions: 2, ends: BEFORE, orders: 70 },
  ],
  [
    'K3: a sync from elsewhere and a reconcile, with nothing but preconditions between them',
    ['sync', 'reconcile'],
    { interruptions: 2, ends: BEFORE, orders: 110, withoutLease: true },
  ],
  [
    'K3: a reconcile with an older state of the gateway and one that asks its name anew',
    ['reconcile', 'resync'],
    { interruptions: 2, ends: AFTER, orders: 180 },
  ],
  ['A3: a refresh and a reconcile', ['refresh', 'reconcile'], { interruptions: 3, ends: AFTER, orders: 170 }],
  ['A3: a timer that goes off twice', ['refresh', 'refresh'], { interruptions: 3, ends: AFTER, orders: 4 }],
  [
    'E11: a reconcile and the end of its link',
    ['reconcile', 'unlink'],
    { interruptions: 3, ends: undefined, orders: 85 },
  ],
  [
    'E11: a reconcile and the end of its link, without a Lease',
    ['reconcile', 'unlink'],
    { interruptions: 3, ends: undefined, orders: 85, withoutLease: true },
  ],
  [
    'E11: a refresh and the end of its link',
    ['refresh', 'unlink'],
    { interruptions: 3, ends: undefined, orders: 30 },
  ],
];

const rulesFor = (pair: Pair): Rules => ({
  ...(pair.includes('unlink') ? {} : { kept: KEPT }),
  ...(pair.includes('sync') ? {} : { deployment: { learnt: LEARNT } }),
});

/** Lets everything through. */
const OPEN: Gate = (_touch, send) => send();

const explored: Explored[] = [];
afterAll(() => {
  const sum = (field: keyof Explored): number => explored.reduce((total, row) => total + row[field], 0);
  // oxlint-disable-next-line no-console -- the number that this suite is about
  console.log(
    `${sum('orders')} interleavings of ${explored.length} pairs of runs, ${sum('requests')} requests`,
  );
});

/** What the runs come to one after the other, with nobody beside them. */
const endOf = async (lay: () => Promise<Ground>, pair: Pair): Promise<Readonly<Record<string, unknown>>> => {
  const ground = await lay();
  for (const kind of [...pair, 'reconcile'] as const) await ground.run(kind, OPEN, kind);
  return ground.state();
};

/** An answer that changed the gateway's addresses is in every mirror, or a message waits that brings it. */
const expectFollowed = (ground: Ground): void => {
  if (ground.work.waiting().length > 0) return;
  expect(ground.ready('web-west')).toEqual(AFTER);
  expect(ground.ready('new-west') ?? AFTER).toEqual(AFTER);
};

describe('in every order of their requests', () => {
  it.each(ROWS)('%s', { timeout: 120_000 }, async (_title, pair, terms) => {
    const link = linkOf(terms.withoutLease === true ? { namespace: 'nowhere' } : {});
    const lay = await groundFor(link, rulesFor(pair));
    const expected = await endOf(lay, pair);
    const row = await explore(async () => {
      const ground = await lay();
      return {
        runs: pair.map((kind, index) => (gate) => ground.run(kind, gate, `run ${'AB'[index]}`)),
        judge: async () => {
          expect(ground.offences()).toEqual([]);
          if (pair.includes('refresh') && !pair.includes('unlink')) expectFollowed(ground);
          await ground.run('reconcile', OPEN, 'undisturbed');
          expect(ground.state()).toEqual(expected);
          expect(ground.ready('web-west')).toEqual(terms.ends);
          expect(ground.offences()).toEqual([]);
        },
      };
    }, terms);
    explored.push(row);
    expect(row.orders).toBeGreaterThanOrEqual(terms.orders);
    markReadBack();
  });
});
