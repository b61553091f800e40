// Runs over the same mirrors at the same time, in every order of their single requests.
import { afterAll, describe, expect, it } from 'vitest';
import { AFTER, BEFORE, explorePair, PATIENCE, type Row, tellOrders } from './pairs.ts';

const ROWS: readonly Row[] = [
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

afterAll(tellOrders);

describe('in every order of their requests', () => {
  it.each(ROWS)('%s', PATIENCE, async (_title, pair, terms) => {
    const { orders } = await explorePair(pair, terms);
    expect(orders).toBeGreaterThanOrEqual(terms.orders);
  });
});
