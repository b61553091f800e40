// The answer sequences of test/fixtures/dns-vectors.json: through one record, through a whole link, and through the command.
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { advance, newRecord } from '../../lib/gateway/record.ts';
import { stepGateway, type GatewayResult } from '../../lib/gateway/state.ts';
import { EMPTY_GATEWAY_STATE, type GatewayRecord, type GatewayState } from '../../lib/model/gateway.ts';
import type { Answer } from '../../lib/ports.ts';
import { replayCase, settingsOf, vectorFile, type Difference } from '../../scripts/dns-replay.ts';
import { aStep, at, found, frozen, held, nothing, shown, unknown } from './support.ts';

const FIXTURE = join(import.meta.dirname, '../fixtures/dns-vectors.json');
const { cases } = vectorFile.parse(JSON.parse(readFileSync(FIXTURE, 'utf8')));
const rowsOf = (id: number): (typeof cases)[number]['rows'] =>
  cases.find((vector) => vector.id === id)?.rows ?? [];

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (raw: unknown): Fields => {
  if (typeof raw !== 'object' || raw === null)
    throw new TypeError(`expected an object, found ${String(raw)}`);
  return Object.fromEntries(Object.entries(raw));
};

const textsOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/** The answer of a row that speaks of one name and one family. */
const answerOf = (raw: unknown): Answer => {
  const { k, a, ttl, why } = fieldsOf(raw);
  if (k === 'ok') return found([...new Set(textsOf(a))], Number(ttl));
  return k === 'neg' ? nothing(Number(ttl)) : unknown(String(why));
};

const answersByFamily = (raw: unknown): Readonly<Record<string, Answer>> => {
  const { A, AAAA } = fieldsOf(raw);
  return {
    ...(A === null ? {} : { 'gw.test|IPv4': answerOf(A) }),
    ...(AAAA === null ? {} : { 'gw.test|IPv6': answerOf(AAAA) }),
  };
};

const sorted = (values: readonly string[]): readonly string[] => [...values].sort();

/** Cases of one name and one family; 17 and 19 need the link. */
const single = cases.filter(({ id }) => id !== 17 && id !== 19);
const CASE_IDS: Readonly<Record<string, string>> = {
  1: 'A9',
  4: 'A4',
  6: 'A3',
  10: 'A8',
  13: 'A2',
  14: 'A8',
};

it('there are fourteen cases, twelve of one record', () => {
  expect(cases.map(({ id }) => id)).toEqual([1, 2, 3, 4, 6, 7, 8, 10, 11, 13, 14, 15, 17, 19]);
  expect(single).toHaveLength(12);
});

describe('through one record', () => {
  const titled = single.map((row) => ({
    ...row,
    title: `${CASE_IDS[String(row.id)] ?? 'vector'}: ${row.id} ${row.title}`,
  }));

  it.each(titled)('$title', ({ rows }) => {
    let record: GatewayRecord = newRecord('lb.example.test', 'IPv4', 0);
    for (const row of rows) {
      record = advance(frozen(record), answerOf(row.raw), at(row.t));
      expect({
        t: row.t,
        ready: sorted(held(record, 'ready')),
        draining: sorted(held(record, 'draining')),
        down: sorted(held(record, 'down')),
        state: record.state,
        next: record.nextCheckAt,
      }).toEqual({ ...row, ready: sorted(row.ready), raw: undefined });
    }
  });

  it('1: one write in all', () => {
    const rows = rowsOf(1);
    let state: GatewayState = EMPTY_GATEWAY_STATE;
    const changes = rows.map((row) => {
      const result = stepGateway(
        aStep({ state, now: row.t, answers: { 'lb.example.test': answerOf(row.raw) } }),
      );
      state = result.state;
      return result.changed;
    });
    expect(changes).toEqual([true, false, false]);
  });
});

describe('through a whole link', () => {
  it('A10: 17: neither family empties the other', () => {
    const rows = rowsOf(17);
    let state: GatewayState = EMPTY_GATEWAY_STATE;
    for (const row of rows) {
      const answers = answersByFamily(row.raw);
      const families = ['IPv4', 'IPv6'] as const;
      const result = stepGateway(aStep({ state, hostnames: ['gw.test'], families, now: row.t, answers }));
      state = result.state;
      expect(shown(result.addresses)).toEqual(row.ready);
      expect(state.records.map((record) => record.state).join(' / ')).toBe(row.state);
      expect(Math.min(...state.records.map(({ nextCheckAt }) => nextCheckAt))).toBe(row.next);
    }
    expect(rows).toHaveLength(7);
  });

  it('A6: 19: the old name serves as a last resort until the new one answers', () => {
    const rows = rowsOf(19);
    let state: GatewayState = EMPTY_GATEWAY_STATE;
    const published: (readonly string[])[] = [];
    for (const row of rows) {
      const { status, ...raw } = fieldsOf(row.raw);
      const answers = Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, answerOf(value)]));
      const result: GatewayResult = stepGateway(
        aStep({ state, hostnames: textsOf(status), now: row.t, answers }),
      );
      state = result.state;
      published.push(shown(result.addresses));
      const current = state.records.filter(({ departedAt }) => departedAt === undefined);
      expect(current.map((record) => [record.state, record.nextCheckAt])).toEqual([[row.state, row.next]]);
    }
    const old = ['10.20.1.10', '10.20.2.10'];
    expect(published).toEqual([old, old, old, old, ['10.20.1.77', '10.20.2.77']]);
  });
});

const replay = (file: unknown): readonly (Difference | undefined)[] => {
  const parsed = vectorFile.parse(file);
  return parsed.cases.map((vector) => replayCase(vector, settingsOf(parsed).settings));
};
const none = { ready: [], draining: [], down: [] };
const oneCase = (rows: readonly object[], rest: object = {}): object => ({
  cases: [{ id: 'x', title: 'made up', rows }],
  ...rest,
});
/** The fixture with one row of case 4 expecting something else. */
const doctored = (change: object): object => ({
  cases: cases.map((vector) =>
    vector.id === 4
      ? { ...vector, rows: vector.rows.map((row) => (row.t === 60 ? { ...row, ...change } : row)) }
      : vector,
  ),
});

describe('replaying a file', () => {
  it.each([
    ['ready', { ready: ['10.20.1.10'] }, '10.20.1.10', '10.20.1.10 10.20.2.10'],
    ['draining', { draining: [] }, 'none', '10.20.3.10'],
    ['down', { down: ['10.20.3.10'] }, '10.20.3.10', 'none'],
    ['state', { state: 'STALE' }, 'STALE', 'FRESH'],
    ['next', { next: 121 }, '121', '120'],
  ])('names the first difference: %s', (field, change, expected, actual) => {
    const differences = replay(doctored(change));
    expect(differences).toHaveLength(14);
    expect(differences.filter((difference) => difference !== undefined)).toEqual([
      { t: 60, field, expected, found: actual },
    ]);
  });

  it('knows families, names of the status, literal and refused addresses, and rows without a check', () => {
    const both = { A: { k: 'ok', a: ['10.0.0.1', '127.0.0.1'], ttl: 60 }, AAAA: { k: 'neg' } };
    const rows = [
      {
        t: 0,
        raw: { status: ['a.test'], 'a.test': both },
        ...none,
        ready: ['10.0.0.1'],
        state: 'FRESH / PENDING',
        next: 60,
      },
      { t: 5, raw: { status: ['a.test'], 'a.test': null }, ...none, ready: ['10.0.0.1'], next: 60 },
      { t: 60, raw: { status: [] }, ...none, draining: ['10.0.0.1'] },
      { t: 70, raw: { status: ['10.0.0.9'] }, ...none, ready: ['10.0.0.9'], state: 'FRESH' },
    ];
    expect(replay(oneCase(rows))).toEqual([undefined]);
  });

  it('takes the settings of the file', () => {
    const rows = [
      { t: 0, raw: { k: 'ok', a: ['10.0.0.1'], ttl: 1 }, ...none, ready: ['10.0.0.1'], next: 33 },
    ];
    expect(replay(oneCase(rows, { defaults: { minRefresh: 33 } }))).toEqual([undefined]);
    expect(replay(oneCase(rows))).toEqual([{ t: 0, field: 'next', expected: '33', found: '10' }]);
  });
});

describe('scripts/dns-vectors.ts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dns-vectors-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const script = join(import.meta.dirname, '../../scripts/dns-vectors.ts');
  const run = (
    ...files: readonly string[]
  ): Pick<SpawnSyncReturns<string>, 'status' | 'stdout' | 'stderr'> => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...files], { encoding: 'utf8' });
    return { status, stdout, stderr };
  };
  const fileWith = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };

  it('exits 0 when every case passes', () => {
    const { status, stdout } = run(FIXTURE);
    expect(status).toBe(0);
    expect(stdout).toContain('case 8 (CLB with 12 nodes, 8 per answer; later it shrinks to 8): pass\n');
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('14 of 14 cases pass');
  });

  it('exits 1 at a difference, and names settings that mean nothing', () => {
    const file = { ...doctored({ next: 121 }), defaults: { colour: 1 } };
    const { status, stdout, stderr } = run(fileWith('doctored.json', JSON.stringify(file)));
    expect(status).toBe(1);
    expect(stdout).toContain('then returns): FAIL at t=60: next expected 121, found 120\n');
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('13 of 14 cases pass');
    expect(stderr).toBe('defaults.colour is no setting of the state machine: ignored\n');
  });

  it.each([
    ['no argument', [], 'expected one argument: the file of answer sequences'],
    [
      'no file',
      ['/nowhere/x.json'],
      "/nowhere/x.json: ENOENT: no such file or directory, open '/nowhere/x.json'",
    ],
  ])('exits 2: %s', (_title, files, message) => {
    expect(run(...files)).toEqual({ status: 2, stdout: '', stderr: `${message}\n` });
  });

  it.each([
    ['no JSON', '{', 'JSON'],
    [
      'a row without a time',
      JSON.stringify(oneCase([{ raw: { k: 'neg' }, ...none }])),
      'at cases[0].rows[0].t',
    ],
  ])('exits 2 and says where: %s', (title, text, where) => {
    const { status, stdout, stderr } = run(fileWith(`bad ${title}.json`, text));
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(where);
    expect(stderr).not.toContain('    at '); // no stack: a person made the mistake
  });

  it.each([
    ['no cases', { cases: [] }, ['cases']],
    ['a case without rows', oneCase([]), ['cases', 0, 'rows']],
    [
      'an unknown kind of answer',
      oneCase([{ t: 0, raw: { k: 'maybe' }, ...none }]),
      ['cases', 0, 'rows', 0, 'raw'],
    ],
    [
      'an answer without a TTL',
      oneCase([{ t: 0, raw: { k: 'ok', a: [] }, ...none }]),
      ['cases', 0, 'rows', 0, 'raw'],
    ],
    [
      'no expectation',
      oneCase([{ t: 0, raw: null, ready: [], down: [] }]),
      ['cases', 0, 'rows', 0, 'draining'],
    ],
    [
      'a bad setting',
      oneCase([{ t: 0, raw: null, ...none }], { defaults: { negMin: 'x' } }),
      ['defaults', 'negMin'],
    ],
  ])('refuses %s', (_title, file, path) => {
    const parsed = vectorFile.safeParse(file);
    expect(parsed.error?.issues.map((issue) => issue.path)).toEqual([path]);
  });
});
