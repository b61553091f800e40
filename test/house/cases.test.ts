// What `npm run cases` says about the tests of each case.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseCatalogue } from '../../scripts/cases/catalogue.ts';
import { judge } from '../../scripts/cases/judge.ts';
import type { RunResults } from '../../scripts/cases/results.ts';
import { casesNamedBy } from '../../scripts/cases/titles.ts';
import { OUR_ROOT, aProject, runScript } from './project.ts';
import { aResult, aRun, resultFiles } from './results.ts';

const CATALOGUE = `# Cases

| milestone | state | cases |
| --- | --- | --- |
| first | due | A1, B2 |
| second | later | C3 |

### A1 One thing
Text.

### B2 Another
### C3 A third
`;

describe('the catalogue', () => {
  it('lists the cases with what is due', () => {
    expect(parseCatalogue(CATALOGUE)).toEqual([
      { id: 'A1', title: 'One thing', milestone: 'first', due: true },
      { id: 'B2', title: 'Another', milestone: 'first', due: true },
      { id: 'C3', title: 'A third', milestone: 'second', due: false },
    ]);
  });

  it('reports all mistakes together', () => {
    const text = CATALOGUE.replace('due |', 'done |').replace('C3 |', 'A1, D4 |').replace('### B2', '### A1');
    expect(() => parseCatalogue(text)).toThrow(
      [
        'docs/cases.md:',
        'first: expected the state due or later, found done',
        'first: B2 has no heading',
        'second: D4 has no heading',
        'A1 has two headings',
        'A1: expected one milestone, found first, second',
        'A1: expected one milestone, found first, second',
        'C3: expected one milestone, found none',
      ].join('\n  '),
    );
  });

  it('needs its table', () => {
    expect(() => parseCatalogue('### A1 One thing\n')).toThrow('expected a table of milestones, found none');
  });

  it('of this project can be read', () => {
    const cases = parseCatalogue(readFileSync(join(OUR_ROOT, 'docs/cases.md'), 'utf8'));
    expect(cases).toHaveLength(82);
    expect(cases.find(({ id }) => id === 'A1')).toMatchObject({
      milestone: 'one link end to end',
      due: true,
    });
  });
});

describe('the cases that titles name', () => {
  const rows: readonly (readonly [titles: readonly string[], ids: readonly string[]])[] = [
    [['A1: a hostname'], ['A1']],
    [['A1, A5: both'], ['A1', 'A5']],
    [['A1,A5 and K3: three'], ['A1', 'A5', 'K3']],
    [['A12/A13: two'], ['A12', 'A13']],
    [['J1 (one link): a part'], ['J1']],
    [['E8'], ['E8']],
    [['F1: by describe', 'with a row'], ['F1']],
    [
      ['F1: by describe', 'F2: and F1 by title'],
      ['F1', 'F2'],
    ],
    [['B2: outside', 'B2: inside'], ['B2']],
    [['the words of A1'], []],
    [['K8s and its kin'], []],
    [['A1x: no id'], []],
    [['A1-like things'], []],
    [['IPv4: no id'], []],
    [['L1: no letter of ours'], []],
  ];

  it.each(rows)('%j: %j', (titles, ids) => {
    expect(casesNamedBy(titles)).toEqual(ids);
  });
});

describe('the judgement', () => {
  const readBack = aResult('B2: read back', { readBack: true });

  function problemsWith(...runs: readonly RunResults[]) {
    return judge(parseCatalogue(CATALOGUE), runs).cases.map(({ id, problem }) => [id, problem]);
  }

  const rows: readonly (readonly [situation: string, run: RunResults, problem: string | undefined])[] = [
    ['no test', aRun('unit', [readBack]), 'no test names it'],
    [
      'a skipped test',
      aRun('unit', [readBack, aResult('A1: s', { state: 'skipped', readBack: true })]),
      'no test of it passes',
    ],
    [
      'a failed test',
      aRun('unit', [readBack, aResult('A1: f', { state: 'failed', readBack: true })]),
      'no test of it passes',
    ],
    [
      'nothing read back',
      aRun('unit', [readBack, aResult('A1: p')]),
      'no passing test of it asserts objects read back from an API server',
    ],
    [
      'only a failed test that read back',
      aRun('unit', [readBack, aResult('A1: p'), aResult('A1: f', { state: 'failed', readBack: true })]),
      'no passing test of it asserts objects read back from an API server',
    ],
    ['a test that read back', aRun('unit', [readBack, aResult('A1: p', { readBack: true })]), undefined],
    ['the same end to end', aRun('e2e', [readBack, aResult('A1: p', { readBack: true })]), undefined],
  ];

  it.each(rows)('of a case that is due, with %s', (_situation, run, problem) => {
    expect(problemsWith(run)).toEqual([
      ['A1', problem],
      ['B2', undefined],
      ['C3', undefined],
    ]);
  });

  it('joins both runs', () => {
    const unit = aRun('unit', [readBack, aResult('A1: p'), aResult('A1: q', { state: 'skipped' })]);
    const e2e = aRun('e2e', [aResult(['A1: d', 'p'], { readBack: true })]);
    const [first] = judge(parseCatalogue(CATALOGUE), [unit, e2e]).cases;
    expect(first?.counts).toEqual({
      unit: { passed: 1, failed: 0, skipped: 1 },
      e2e: { passed: 1, failed: 0, skipped: 0 },
    });
    expect(first?.tests.map(({ kind, titles }) => [kind, titles])).toEqual([
      ['unit', ['A1: p']],
      ['unit', ['A1: q']],
      ['e2e', ['A1: d', 'p']],
    ]);
    expect(first?.problem).toBeUndefined();
  });

  it('names ids that no case has', () => {
    const { unknown } = judge(parseCatalogue(CATALOGUE), [aRun('unit', [aResult('A1, A9: p')])]);
    expect(unknown.map(({ id, test }) => [id, test.titles])).toEqual([['A9', ['A1, A9: p']]]);
  });
});

describe('npm run cases', () => {
  const proven = aRun('unit', [
    aResult('A1: p', { readBack: true }),
    aResult(['B2: d', 'q'], { readBack: true }),
  ]);
  const e2e = aRun('e2e', []);

  function cases(
    runs: readonly RunResults[],
    { args = [], ci }: { readonly args?: readonly string[]; readonly ci?: string } = {},
  ) {
    const root = aProject({ 'docs/cases.md': CATALOGUE, 'lib/x.ts': '', ...resultFiles(...runs) });
    return runScript('cases.ts', { root, args, env: ci === undefined ? {} : { CI: ci } });
  }

  it('lists every case with its tests, and succeeds when all that is due is proven', () => {
    const { code, stdout, stderr } = cases([proven, e2e], { ci: 'true' });
    expect(stdout).toBe(`first (due)
  A1   One thing (unit 1 passed)
         ✓ unit test/some.test.ts › A1: p [read back]
  B2   Another (unit 1 passed)
         ✓ unit test/some.test.ts › B2: d › q [read back]
second (later)
  C3   A third (no test)
`);
    expect(stderr).toBe('2 cases are due, 2 of them are shown to hold\n');
    expect(code).toBe(0);
  });

  it('fails when one that is due is not', () => {
    const { code, stderr } = cases([aRun('unit', [aResult('A1: p', { readBack: true })]), e2e]);
    expect(stderr).toBe('✗ B2 Another: no test names it\n2 cases are due, 1 of them are shown to hold\n');
    expect(code).toBe(1);
  });

  it('fails on an unknown id', () => {
    const { code, stderr } = cases([proven, aRun('e2e', [aResult('H9: p')])]);
    expect(stderr).toContain('✗ H9 is no case of docs/cases.md: test/some.test.ts › H9: p\n');
    expect(code).toBe(1);
  });

  it('cannot say anything without results, and says what makes them', () => {
    const { code, stdout, stderr } = cases([]);
    expect(stderr).toBe('no results yet: run npm test and npm run test:e2e first\n');
    expect([code, stdout]).toEqual([2, '']);
  });

  it('does not understand other flags', () => {
    const { code, stderr } = cases([proven, e2e], { args: ['--yaml'] });
    expect(stderr).toContain("Unknown option '--yaml'");
    expect(code).toBe(2);
  });

  it('does not understand a result file of another form', () => {
    const root = aProject({ 'docs/cases.md': CATALOGUE, '.cache/cases/unit.json': '{"tests": 3}' });
    const { code, stderr } = runScript('cases.ts', { root });
    expect(stderr).toContain('unit.json is no result file; `npm test` makes it anew');
    expect(code).toBe(2);
  });

  const incomplete: readonly (readonly [situation: string, runs: readonly RunResults[], warning: string])[] =
    [
      ['missing', [proven], 'WARNING: no e2e results: `npm run test:e2e` makes them\n'],
      [
        'outdated',
        [proven, aRun('e2e', [], { finishedAt: '2001-01-01T00:00:00.000Z' })],
        'WARNING: the e2e results are older than lib/x.ts: run `npm run test:e2e`\n',
      ],
    ];

  it.each(incomplete)('warns of results that are %s, and fails for it in CI', (_situation, runs, warning) => {
    expect(cases(runs)).toMatchObject({ code: 0, stderr: expect.stringContaining(warning) });
    expect(cases(runs, { ci: 'true' })).toMatchObject({ code: 1, stderr: expect.stringContaining(warning) });
  });

  it('prints JSON', () => {
    const { code, stdout } = cases([proven], { args: ['--json'] });
    expect(JSON.parse(stdout)).toMatchObject({
      cases: [
        {
          id: 'A1',
          milestone: 'first',
          due: true,
          counts: { unit: { passed: 1 } },
          tests: [{ titles: ['A1: p'] }],
        },
        { id: 'B2' },
        { id: 'C3', due: false, tests: [] },
      ],
      unknown: [],
      warnings: ['no e2e results: `npm run test:e2e` makes them'],
    });
    expect(code).toBe(0);
  });
});

describe('npm run totals', () => {
  const rows: readonly (readonly [runs: readonly RunResults[], line: string, code: number])[] = [
    [[aRun('unit', [aResult('a'), aResult('b')]), aRun('e2e', [aResult('c')])], '3 passed, 0 failed\n', 0],
    [
      [aRun('unit', [aResult('a', { state: 'failed' })]), aRun('e2e', [aResult('c')])],
      '1 passed, 1 failed\n',
      1,
    ],
    [
      [aRun('unit', [aResult('a', { state: 'skipped' })]), aRun('e2e', [aResult('c')])],
      '1 passed, 0 failed, 1 skipped\n',
      1,
    ],
    [
      [aRun('unit', [aResult('a')], { errors: [{ file: 'x', message: 'no' }] }), aRun('e2e', [])],
      '1 passed, 1 failed\n',
      1,
    ],
    [[aRun('unit', [aResult('a')])], '1 passed, 0 failed\n', 1],
    [[aRun('unit', []), aRun('e2e', [])], '0 passed, 0 failed\n', 1],
    [[], '0 passed, 0 failed\n', 1],
  ];

  it.each(rows)('%#: %j', (runs, line, code) => {
    const root = aProject(resultFiles(...runs));
    expect(runScript('totals.ts', { root })).toMatchObject({ stdout: line, code });
  });
});
