// What is there against what should be there.
import { describe, expect, it } from 'vitest';
import {
  compare,
  troubleText,
  type Expectation,
  type Mirror,
  type PresentMirror,
} from '../../../sandbox/story/mirrors.ts';

/** A mirror that is there, without what every one has. */
type Present = Omit<PresentMirror, 'clusterIP' | 'version'>;

const A: Present = { name: 'shop/a-west', addresses: ['192.0.2.1', '192.0.2.2'], ports: ['http:4143'] };
const B: Present = { name: 'shop/b-west', addresses: 'elsewhere', ports: [] };
const EXPECTED: Expectation = { mirrors: [A, B], absent: ['shop/c-west'] };

const present = (mirror: Present, given: Partial<PresentMirror> = {}): PresentMirror => ({
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

const ROOT: Mirror = {
  name: 'shop/db-west',
  addresses: {
    pods: [
      { hostname: 'db-0', mirror: 'shop/db-0-west' },
      { hostname: 'db-1', mirror: 'shop/db-1-west' },
    ],
  },
  ports: ['sql:5432'],
};
const POD_0: Present = { ...A, name: 'shop/db-0-west' };
const POD_1: Present = { ...A, name: 'shop/db-1-west' };
const HEADLESS: Partial<Expectation> = { mirrors: [ROOT, POD_0, POD_1], absent: [] };

const presentRoot = (given: Partial<PresentMirror> = {}): PresentMirror => ({
  name: 'shop/db-west',
  addresses: ['db-0=10.96.0.7', 'db-1=10.96.0.8'],
  ports: ['sql:5432'],
  clusterIP: 'None',
  version: '1/1',
  ...given,
});
const PODS: readonly PresentMirror[] = [
  present(POD_0, { clusterIP: '10.96.0.7' }),
  present(POD_1, { clusterIP: '10.96.0.8' }),
];

const headlessRows: readonly Row[] = [
  ['a headless mirror and its endpoint mirrors', [presentRoot(), ...PODS], '', ''],
  [
    'it lists a ClusterIP that no endpoint mirror has',
    [presentRoot({ addresses: ['db-0=10.96.0.7', 'db-1=10.96.0.9'] }), ...PODS],
    'stale: shop/db-west',
    'other addresses',
  ],
  [
    'it lists a pod by the ClusterIP of another',
    [presentRoot({ addresses: ['db-0=10.96.0.8', 'db-1=10.96.0.7'] }), ...PODS],
    'stale: shop/db-west',
    'other addresses',
  ],
  [
    'an endpoint mirror is missing',
    [presentRoot({ addresses: ['db-0=10.96.0.7', 'db-1=10.96.0.8'] }), ...PODS.slice(0, 1)],
    'missing: shop/db-1-west; stale: shop/db-west',
    'other addresses',
  ],
  [
    'it has a ClusterIP',
    [presentRoot({ clusterIP: '10.96.0.6' }), ...PODS],
    'stale: shop/db-west',
    'it is not headless',
  ],
  [
    'an endpoint mirror has none',
    [presentRoot(), present(POD_0, { clusterIP: 'None' }), ...PODS.slice(1)],
    'stale: shop/db-west, shop/db-0-west',
    'other addresses,it is headless',
  ],
  [
    'it had a ClusterIP before',
    [presentRoot(), ...PODS],
    '',
    '',
    { before: [presentRoot({ clusterIP: '10.96.0.6' })] },
  ],
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
    { before: [present(A), present(B)], expected: { untouched: ['shop/a-west'] } },
  ],
  [
    'untouched',
    [present(A), present(B)],
    '',
    '',
    { before: [present(A), present(B)], expected: { untouched: ['shop/a-west'] } },
  ],
  [
    'everything wrong',
    [present(A, { addresses: [] }), present(A, { name: 'shop/c-west' })],
    'missing: shop/b-west; stale: shop/a-west; left over: shop/c-west',
    'other addresses',
  ],
];

describe('mirrors compared', () => {
  it.each(headlessRows.map((row) => ({ title: row[0], row })))('pod by pod: $title', ({ row }) => {
    const [, there, trouble, why, { before = [] } = {}] = row;
    const findings = compare({ ...EXPECTED, ...HEADLESS }, there, before);
    expect(troubleText(findings)).toBe(trouble);
    expect(findings.flatMap((finding) => finding.why ?? []).join()).toBe(why);
  });

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
