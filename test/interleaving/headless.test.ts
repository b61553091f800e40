// Runs over a headless mirror at the same time, while its pods come, go, and get or lose their names.
import { afterAll, describe, expect, it } from 'vitest';
import { AFTER, BEFORE, explorePair, PATIENCE, type Row, tellOrders } from './pairs.ts';

const ROWS: readonly Row[] = [
  [
    'D1: a reconcile, and another one after a pod came',
    ['reconcile', 'reconcile'],
    { scene: 'aPodComes', moves: true, interruptions: 2, ends: BEFORE, orders: 100 },
  ],
  [
    'D1: a sync from elsewhere, and a reconcile after a pod came, with nothing but preconditions between them',
    ['sync', 'reconcile'],
    { scene: 'aPodComes', moves: true, interruptions: 2, ends: BEFORE, orders: 65, withoutLease: true },
  ],
  [
    'D1: a reconcile, and another one after a pod went',
    ['reconcile', 'reconcile'],
    { scene: 'aPodGoes', moves: true, interruptions: 2, ends: BEFORE, orders: 80 },
  ],
  [
    'D1: a sync from elsewhere, and a reconcile after a pod went, with nothing but preconditions between them',
    ['sync', 'reconcile'],
    { scene: 'aPodGoes', moves: true, interruptions: 2, ends: BEFORE, orders: 55, withoutLease: true },
  ],
  [
    'A3, D1: a refresh, and a reconcile after a pod came',
    ['refresh', 'reconcile'],
    { scene: 'aPodComes', moves: true, interruptions: 2, ends: AFTER, orders: 80 },
  ],
  [
    'A3, D1: a refresh, and a reconcile after a pod went',
    ['refresh', 'reconcile'],
    { scene: 'aPodGoes', moves: true, interruptions: 2, ends: AFTER, orders: 75 },
  ],
  [
    'D14: a reconcile, and a resync after the pods got names',
    ['reconcile', 'resync'],
    { scene: 'podsGetNames', moves: true, interruptions: 1, ends: AFTER, orders: 10 },
  ],
  [
    'D14: a reconcile, and a resync after the pods lost their names',
    ['reconcile', 'resync'],
    { scene: 'podsLoseNames', moves: true, interruptions: 1, ends: AFTER, orders: 10 },
  ],
  [
    'A3, D14: a refresh, and a reconcile after the pods got names',
    ['refresh', 'reconcile'],
    { scene: 'podsGetNames', moves: true, interruptions: 1, ends: AFTER, orders: 10 },
  ],
  [
    'D14: a sync from elsewhere and a reconcile when the pods have got names, with nothing but preconditions between them',
    ['sync', 'reconcile'],
    { scene: 'podsGetNames', interruptions: 1, ends: BEFORE, orders: 10, withoutLease: true },
  ],
  [
    'E11: a reconcile after a pod came, and the end of its link',
    ['unlink', 'reconcile'],
    { scene: 'aPodComes', moves: true, interruptions: 2, ends: undefined, orders: 50 },
  ],
];

afterAll(tellOrders);

describe('in every order of their requests', () => {
  it.each(ROWS)('%s', PATIENCE, async (_title, pair, terms) => {
    const { orders } = await explorePair(pair, terms);
    expect(orders).toBeGreaterThanOrEqual(terms.orders);
  });
});
