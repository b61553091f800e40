// Addresses that come and go: the hold-down of one, the rotation of many.
import { describe, expect, it } from 'vitest';
import { after, found, rounds, states, tell, type Told } from './support.ts';

const [A, B, C] = ['10.0.1.1', '10.0.2.1', '10.0.3.1'] as const;

describe('hold-down of a flapping address', () => {
  const flapping = rounds(0, [[A, C], [A], [A, C], [A], [A, C], [A], [A, C]]); // returns at 120, 240, 360

  it('the third return within 600 s has to be seen in three answers running', () => {
    const held1 = after(...flapping);
    expect(held1.addresses[C]).toMatchObject({ state: 'draining', misses: 0, streak: 1 });
    const held2 = tell(held1, [420, found([A, C])]);
    expect(states(held2)).toEqual({ [A]: 'ready', [C]: 'draining' });
    expect(states(tell(held2, [480, found([A, C])]))).toEqual({ [A]: 'ready', [C]: 'ready' });
  });

  it('the count starts anew when it is missing again', () => {
    const record = tell(after(...flapping), ...rounds(420, [[A, C], [A], [A, C], [A, C]]));
    expect(states(record)).toEqual({ [A]: 'ready', [C]: 'draining' });
    expect(states(tell(record, [660, found([A, C])]))).toEqual({ [A]: 'ready', [C]: 'ready' });
  });

  it('a repeated copy is not one of the three', () => {
    const record = tell(after(...flapping), [380, found([A, C], 40)], [400, found([A, C], 20)]);
    expect(states(record)).toEqual({ [A]: 'ready', [C]: 'draining' });
  });

  it('does not end because the window moves on', () => {
    const held1 = after(...flapping);
    const late = tell(held1, [900, found([A, C])]);
    expect(states(late)).toEqual({ [A]: 'ready', [C]: 'draining' });
  });

  it.each([
    [600, 'draining'],
    [601, 'ready'],
  ])('the third return %i s after the first is %s', (span, state) => {
    const record = after(
      [0, found([A, C])],
      [60, found([A])],
      [120, found([A, C])],
      [180, found([A])],
      [240, found([A, C])],
      [60 + span, found([A])],
      [120 + span, found([A, C])],
    );
    expect(record.addresses[C]?.state).toBe(state);
  });

  it('slower returns than three in 600 s are taken at once', () => {
    const record = after(
      [0, found([A, C])],
      ...[300, 660, 1_020].flatMap((t): readonly Told[] => [
        [t, found([A])],
        [t + 60, found([A, C])],
      ]),
    );
    expect(record.addresses[C]).toMatchObject({ state: 'ready', returns: [720, 1_080] });
  });

  it('never applies to the only address there is', () => {
    const before = after(...flapping.slice(0, 6));
    const beside = tell(before, [360, found([C])]); // a third return, disjoint from what is ready
    expect(states(beside)).toEqual({ [A]: 'ready', [C]: 'draining' });
    const alone = tell(beside, [420, found([C])]); // the second miss of the other one
    expect(states(alone)).toEqual({ [A]: 'draining', [C]: 'ready' });
    expect(alone.addresses[C]?.streak).toBe(2);
  });
});

describe('A9: rotating answers', () => {
  it('two disjoint sets that return within 600 s: misses stop draining', () => {
    const record = after(...rounds(0, [[A], [B], [A], [B]]));
    expect(record.rotatingUntil).toBe(180 + 3_600);
    expect(states(record)).toEqual({ [A]: 'ready', [B]: 'ready' });
    const later = tell(record, ...rounds(240, [[A], [B], [A], [B], [A], [B], [A], [B]]));
    expect(states(later)).toEqual({ [A]: 'ready', [B]: 'ready' });
    expect(later.rotatingUntil).toBe(660 + 3_600);
  });

  it('takes back at once what a hold-down would keep out', () => {
    const flapped = after(...rounds(0, [[A, B, C], [A, B], [A, B, C], [A, B], [A, B, C], [A], [A, B]]));
    expect(flapped.rotatingUntil).toBe(360 + 3_600); // {C} at 120 and 240, {B} at 360
    expect(flapped.addresses[C]).toMatchObject({ state: 'draining', returns: [120, 240] });
    expect(states(tell(flapped, [420, found([A, B, C])]))).toEqual({
      [A]: 'ready',
      [B]: 'ready',
      [C]: 'ready',
    });
  });

  it('one flapping zone is no rotation', () => {
    expect(after(...rounds(0, [[A, C], [A], [A, C], [A], [A, C]])).rotatingUntil).toBeUndefined();
  });

  it('returns more than 600 s apart are no rotation', () => {
    const record = after(
      [0, found([A, B, C])],
      [60, found([A, B])],
      [120, found([A, B, C])],
      [680, found([A, C])],
      [721, found([A, B, C])],
    );
    expect(record.rotatingUntil).toBeUndefined();
    expect(record.returnEvents).toEqual([{ at: 721, addresses: [B] }]);
  });

  it('ends an hour after the last pair', () => {
    const record = after(...rounds(0, [[A], [B], [A], [B]]));
    const ended = tell(record, [3_780, found([A])]);
    expect(ended.rotatingUntil).toBeUndefined();
    expect(states(ended)).toEqual({ [A]: 'ready', [B]: 'draining' });
  });

  it('removes after five misses and 300 s, without draining', () => {
    const record = tell(after(...rounds(0, [[A], [B], [A], [B]])), ...rounds(240, [[B], [B], [B], [B]]));
    expect(record.addresses[A]).toMatchObject({ state: 'ready', misses: 5, missingSince: 180 });
    expect(states(tell(record, [480, found([B])]))).toEqual({ [B]: 'ready' }); // 300 s
  });
});
