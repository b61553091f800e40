// The scheduler itself, on runs so small that their orders can be counted by hand.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Attempt, explore, type Gate, type Run, type Touch } from './scheduler.ts';

const reads = (what: string): Touch => ({ what, writes: false });
const writes = (what: string): Touch => ({ what, writes: true });

/** Plays runs of these requests and collects what was done in each order: `A1 B1 …`. */
const ordersOf = async (lists: readonly (readonly Touch[])[], interruptions: number) => {
  const seen: string[] = [];
  const explored = await explore(
    async (): Promise<Attempt> => {
      const done: string[] = [];
      const runs = lists.map((touches, lane): Run => async (gate: Gate) => {
        for (const [index, touch] of touches.entries())
          await gate(touch, async () => done.push(`${'AB'[lane]}${index + 1}`));
      });
      return { runs, judge: async () => void seen.push(done.join(' ')) };
    },
    { interruptions },
  );
  return { ...explored, seen };
};

const SAME = [writes('x'), writes('x')];

const OBJECTS = ['x/1', 'x/2', 'y/1'];

/** What the requests of one order got to see: a request that does not meet another sees the same before and after it. */
const seenIn = (order: readonly string[], lists: readonly (readonly Touch[])[]): string => {
  const writers = new Map(OBJECTS.map((object) => [object, '']));
  const seen = order.map((step) => {
    const touch = lists['AB'.indexOf(step.slice(0, 1))]?.[Number(step.slice(1)) - 1] ?? reads('');
    const met = OBJECTS.filter((object) => object.startsWith(touch.what));
    const before = met.map((object) => writers.get(object)).join(',');
    if (touch.writes) for (const object of met) writers.set(object, step);
    return `${step}: ${before}`;
  });
  return [...seen.toSorted(), ...writers.values()].join('; ');
};

interface Course {
  readonly done: readonly [a: number, b: number];
  readonly last?: number;
  readonly interruptions: number; // that are left
}

/** Every order of so many requests of A and of B, found without any cleverness. */
const everyOrder = (ends: readonly [number, number], course: Course): readonly (readonly string[])[] => {
  const { done, last, interruptions } = course;
  const lanes = ([0, 1] as const).filter((lane) => done[lane] < ends[lane]);
  if (lanes.length === 0) return [[]];
  return lanes.flatMap((lane) => {
    const left = interruptions - (lanes.length === 2 && last === 1 - lane ? 1 : 0);
    if (left < 0) return [];
    const [a, b] = done;
    const after = lane === 0 ? ([a + 1, b] as const) : ([a, b + 1] as const);
    return everyOrder(ends, { done: after, last: lane, interruptions: left }).map((rest) => [
      `${'AB'[lane]}${done[lane] + 1}`,
      ...rest,
    ]);
  });
};

describe('explore', () => {
  it('plays every order of requests that meet, each once', async () => {
    const { orders, seen } = await ordersOf([SAME, SAME], 9);
    expect(seen.toSorted()).toEqual([
      'A1 A2 B1 B2',
      'A1 B1 A2 B2',
      'A1 B1 B2 A2',
      'B1 A1 A2 B2',
      'B1 A1 B2 A2',
      'B1 B2 A1 A2',
    ]);
    expect(orders).toBe(6);
  });

  it.each([
    [0, 2],
    [1, 4],
    [2, 6],
  ])('with %i interruptions it plays %i of them', async (interruptions, expected) => {
    expect((await ordersOf([SAME, SAME], interruptions)).orders).toBe(expected);
  });

  it('plays 924 orders of six requests each', async () => {
    const six = Array.from({ length: 6 }, () => writes('x'));
    const { orders, seen } = await ordersOf([six, six], 99);
    expect([orders, new Set(seen).size]).toEqual([924, 924]); // 12 over 6
  });

  it.each([
    ['reads of the same', [reads('x'), reads('x')], [reads('x'), reads('x')]],
    ['writes of others', [writes('x'), writes('x')], [writes('y'), writes('y')]],
  ])('does not tell apart orders that differ in %s alone', async (_what, a, b) => {
    expect((await ordersOf([a, b], 9)).seen).toEqual(['A1 A2 B1 B2', 'B1 B2 A1 A2']);
  });

  it('lets a list of all meet a write of one, and plays it before and after', async () => {
    const { seen } = await ordersOf([[reads('Service/'), reads('y')], [writes('Service/shop/web')]], 9);
    expect(seen).toEqual(['A1 A2 B1', 'B1 A1 A2']);
  });

  it('leaves out no order that anybody could tell apart, whatever the requests and interruptions', async () => {
    const touch = fc.record({ what: fc.constantFrom(...OBJECTS, 'x/'), writes: fc.boolean() });
    const list = fc.array(touch, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(list, list, fc.integer({ min: 0, max: 3 }), async (a, b, interruptions) => {
        const { seen } = await ordersOf([a, b], interruptions);
        const all = everyOrder([a.length, b.length], { done: [0, 0], interruptions });
        const outcomes = (orders: readonly (readonly string[])[]) =>
          [...new Set(orders.map((order) => seenIn(order, [a, b])))].toSorted();
        expect(outcomes(seen.map((order) => order.split(' ')))).toEqual(outcomes(all));
      }),
      { numRuns: 200 },
    );
  });

  it('tells the order in which a run or the judge threw', async () => {
    const attempt = async (): Promise<Attempt> => ({
      runs: [(gate) => gate(writes('x'), () => Promise.reject(new Error('no')))],
      judge: () => Promise.resolve(),
    });
    await expect(explore(attempt, { interruptions: 0 })).rejects.toThrow(
      'after this order of requests:\n  A writes x',
    );
  });

  it('says so when a run waits for something else', async () => {
    const attempt = async (): Promise<Attempt> => ({
      runs: [() => new Promise(() => {})],
      judge: () => Promise.resolve(),
    });
    await expect(explore(attempt, { interruptions: 0 })).rejects.toThrow('does not go through its gate');
  });
});
