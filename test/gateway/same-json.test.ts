// Comparing plain values whatever the order of their fields.
import { describe, expect, it } from 'vitest';
import { sameJson } from '../../lib/gateway/same-json.ts';

describe('sameJson', () => {
  it.each([
    [{ a: 1, b: [1, { c: 'x' }] }, { b: [1, { c: 'x' }], a: 1 }, true],
    [[], [], true],
    [1, 1, true],
    [{ a: 1 }, { a: 2 }, false],
    [{ a: 1 }, { b: 1 }, false],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [{ a: 1, b: 2 }, { a: 1 }, false],
    [[1, 2], [2, 1], false],
    [[1], { 0: 1 }, false],
    [[], {}, false],
    [null, {}, false],
    [{ a: null }, { a: {} }, false],
    ['1', 1, false],
  ])('%j and %j: %s', (a, b, same) => {
    expect(sameJson(a, b)).toBe(same);
    expect(sameJson(b, a)).toBe(same);
  });
});
