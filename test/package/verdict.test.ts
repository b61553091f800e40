// What a bundle is told when it weighs too much, or holds what it should not.
import { describe, expect, it } from 'vitest';
import { BUDGETS, FUNCTION_NAMES } from '../../scripts/bundle/functions.ts';
import { mistakesIn, weightTable } from '../../scripts/bundle/verdict.ts';
import type { Bundle } from '../../scripts/bundle/bundle.ts';

const aBundle = (parts: Partial<Bundle> = {}): Bundle => ({
  name: 'tick',
  bytes: 400_000,
  zipBytes: 100_000,
  packages: new Map([['', 20_000]]),
  ...parts,
});

describe('a bundle against its budget', () => {
  it.each([
    ['as heavy as it may be', { zipBytes: 150_000 }, []],
    ['a byte heavier', { zipBytes: 150_001 }, ['tick: expected at most 150 KB zipped, got 150 KB']],
    [
      'with libraries that it has no use for',
      {
        packages: new Map([
          ['', 1],
          ['undici', 741_275],
          ['zod', 99_000],
        ]),
      },
      ['tick: expected no undici, got 741 KB of it'],
    ],
    [
      'with both',
      { zipBytes: 900_000, packages: new Map([['undici', 741_275]]) },
      ['tick: expected at most 150 KB zipped, got 900 KB', 'tick: expected no undici, got 741 KB of it'],
    ],
  ])('%s', (_case, parts, expected) => {
    expect(
      mistakesIn(aBundle(parts), { zipKB: 150, without: ['undici', '@kubernetes/client-node'] }),
    ).toEqual(expected);
  });

  it('is shown as a table, the heaviest packages first', () => {
    const bundles = [
      aBundle({
        packages: new Map([
          ['', 20_000],
          ['zod', 99_000],
          ['@smithy/core', 136_000],
          ['dns-packet', 1],
        ]),
      }),
      aBundle({ name: 'reconcile', bytes: 2_992_000, zipBytes: 649_400 }),
    ];
    const rows = bundles.map((bundle) => ({ bundle, budget: { zipKB: 800, without: [] } }));
    expect(weightTable(rows)).toBe(
      [
        'function     KB  zip KB   of  heaviest, KB',
        'tick        400     100  800  @smithy/core 136, zod 99, own code 20',
        'reconcile  2992     649  800  own code 20',
      ].join('\n'),
    );
  });
});

describe('the budgets', () => {
  it.each(FUNCTION_NAMES)('let %s weigh 1.5 MB at most', (name) => {
    expect(BUDGETS[name].zipKB).toBeLessThanOrEqual(1500);
  });

  it.each(['tick', 'status'] as const)('keep the clusters out of %s', (name) => {
    const clusters = ['@kubernetes/client-node', 'undici', '@aws-sdk/client-eks', '@aws-sdk/client-sts'];
    expect(BUDGETS[name].without).toEqual(expect.arrayContaining(clusters));
  });
});
