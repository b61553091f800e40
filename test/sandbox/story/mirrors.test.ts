// What is there against what should be there.
import { describe, expect, it } from 'vitest';
import {
  compare,
  troubleText,
  type Expectation,
  type Mirror,
  type PresentMirror,
} from '../../../sandbox/story/mirrors.ts';

const A: Mirror = { name: 'shop/a-west', addresses: ['192.0.2.1', '192.0.2.2'], ports: ['http:4143'] };
const B: Mirror = { name: 'shop/b-west', addresses: 'elsewhere', ports: [] };
const EXPECTED: Expectation = { mirrors: [A, B], absent: ['shop/c-west'] };

const present = (mirror: Mirror, given: Partial<PresentMirror> = {}): PresentMirror => ({
  ...mirror,
  clusterIP: '10.96.0.9',
  version: '1/1',
  ...given,
});

interface More {
  readonly expected?: Partial<Expectation>;
  readonly before?: readonly PresentMirror[];
}

type Row = readonly [
  title: string,
  present: readonly PresentMirror[],
  trouble: string,
  why: string,
  more?: More,
];

const rows: readonly Row[] = [
  ['all there', [present(A), present(B)], '', ''],
  ['nothing there', [], 'missing: shop/a-west, shop/b-west', ''],
  [
    'other addresses',
    [present(A, { addresses: ['192.0.2.1'] }), present(B)],
    'stale: shop/a-west',
    'other addresses',
  ],
  ['no addresses', [present(A, { addresses: [] }), present(B)], 'stale: shop/a-west', 'other addresses'],
  [
    'endpoints where there should be none',
    [present(A), present(B, { addresses: [] })],
    'stale: shop/b-west',
    'other addresses',
  ],
  ['other ports', [present(A, { ports: ['x:80'] }), present(B)], 'stale: shop/a-west', 'ports x:80'],
  [
    'one that should be gone',
    [present(A), present(B), present(A, { name: 'shop/c-west' })],
    'left over: shop/c-west',
    '',
  ],
  [
    'one that nobody expects',
    [present(A), present(B), present(A, { name: 'shop/z-west' })],
    'left over: shop/z-west',
    '',
  ],
  [
    'another cluster IP than before',
    [present(A), present(B)],
    'stale: shop/a-west',
    'ClusterIP was 10.96.0.8, is 10.96.0.9',
    { before: [present(A, { clusterIP: '10.96.0.8' })] },
  ],
  [
    'written to, which it may be',
    [present(A, { version: '2/1' }), present(B)],
    '',
    '',
    { before: [present(A)] },
  ],
  [
    'written to, which it may not be',
    [present(A, { version: '1/2' }), present(B)],
    'stale: shop/a-west',
    'it was written to',
    { before: [present(A), present(B)], expected: { untouched: true } },
  ],
  [
    'untouched',
    [present(A), present(B)],
    '',
    '',
    { before: [present(A), present(B)], expected: { untouched: true } },
  ],
  [
    'everything wrong',
    [present(A, { addresses: [] }), present(A, { name: 'shop/c-west' })],
    'missing: shop/b-west; stale: shop/a-west; left over: shop/c-west',
    'other addresses',
  ],
];

describe('mirrors compared', () => {
  it.each(rows.map((row) => ({ title: row[0], row })))('$title', ({ row }) => {
    const [, there, trouble, why, { expected = {}, before = [] } = {}] = row;
    const findings = compare({ ...EXPECTED, ...expected }, there, before);
    expect(troubleText(findings)).toBe(trouble);
    expect(findings.flatMap((finding) => finding.why ?? []).join()).toBe(why);
  });

  it('names what is expected to be absent, though it is', () => {
    const findings = compare(EXPECTED, [present(A), present(B)], []);
    expect(findings.map(({ name, kind }) => [name, kind])).toStrictEqual([
      ['shop/a-west', 'ok'],
      ['shop/b-west', 'ok'],
      ['shop/c-west', 'ok'],
    ]);
  });
});
