// Chance that comes again: the same seed, the same numbers.

/** From 0 up to 1. */
export type Random = () => number;

/** Mulberry32: 32 bits of state, good enough to shuffle with. */
export const seeded = (seed: number): Random => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** A number from `least` up to `most`. */
export const between = (random: Random, least: number, most: number): number =>
  least + random() * (most - least);

/** `count` of the items, in a random order. */
export const someOf = <T>(random: Random, items: readonly T[], count: number): readonly T[] =>
  items
    .map((item) => ({ item, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .slice(0, count)
    .map(({ item }) => item);
