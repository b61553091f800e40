// The words of the journal for a changed set of published addresses: one row for each thing that can change it.
import { describe, expect, it } from 'vitest';
import { changeReasons } from '../../lib/gateway/change-words.ts';
import type { GatewayState } from '../../lib/model/gateway.ts';
import type { AddressLiveness } from '../../lib/model/liveness.ts';
import type { Answer } from '../../lib/ports.ts';
import { found, last, NAME, nothing, OTHER_NAME, RESOLVED, type StepParts, unknown } from './support.ts';

interface Row {
  readonly before: GatewayState | undefined;
  readonly after: GatewayState;
  readonly answers?: Readonly<Record<string, Answer>>;
  readonly isPinned?: boolean;
}

/** What the last of some steps did, the first of which begins with `from`. */
const through = (from: GatewayState | undefined, ...all: readonly StepParts[]): Row => {
  const start = from === undefined ? {} : { state: from };
  const told = all.map((parts, index) => (index === 0 ? { ...start, ...parts } : parts));
  const before = told.length === 1 ? from : last(...told.slice(0, -1)).state;
  const answers = told.at(-1)?.answers;
  return { before, after: last(...told).state, ...(answers !== undefined && { answers }) };
};

const reasons = ({ before, after, answers = {}, isPinned = false }: Row): readonly string[] | undefined =>
  changeReasons({
    before,
    after,
    answers: new Map(Object.entries(answers).map(([name, answer]) => [`${name}|IPv4`, answer])),
    isPinned,
  });

const answered = (now: number, answer: Answer): StepParts => ({ now, answers: { [NAME]: answer } });
const BOTH = ['10.0.0.1', '10.0.0.2'];

const live = (state: AddressLiveness['state'], why?: string): AddressLiveness => ({
  state,
  failures: state === 'dead' ? 3 : 0,
  since: 60,
  lastProbeAt: 60,
  ...(why !== undefined && { lastWhy: why }),
});
const dead = live('dead', 'connection refused');
const guarded = (allowedCIDRs: readonly string[]): NonNullable<GatewayState['guarded']> => ({
  allowedCIDRs,
  serviceRanges: [],
  apiServers: [],
});

describe('a changed set', () => {
  it.each<[string, Row, readonly string[]]>([
    [
      'the first answer of all',
      through(undefined, answered(0, found(BOTH))),
      ['nothing remembered → 10.0.0.1, 10.0.0.2', `${NAME}: 10.0.0.1 10.0.0.2, TTL 60`],
    ],
    [
      'an address more',
      through(RESOLVED, answered(60, found([...BOTH, '10.0.0.9'], 30))),
      ['10.0.0.1, 10.0.0.2 → 10.0.0.1, 10.0.0.2, 10.0.0.9', `${NAME}: 10.0.0.1 10.0.0.2 10.0.0.9, TTL 30`],
    ],
    [
      'A3: a disjoint answer heard twice',
      through(RESOLVED, answered(60, found(['10.0.0.9'])), answered(121, found(['10.0.0.9']))),
      [
        '10.0.0.1, 10.0.0.2, 10.0.0.9 → 10.0.0.1 (draining), 10.0.0.2 (draining), 10.0.0.9',
        `${NAME}: 10.0.0.9, TTL 60`,
      ],
    ],
    [
      'A7: NXDOMAIN of a second copy',
      through(RESOLVED, answered(60, nothing()), answered(181, nothing())),
      ['10.0.0.1, 10.0.0.2 → none', `${NAME}: NXDOMAIN, confirmed`],
    ],
    [
      'A8: silence past its bound',
      through(
        RESOLVED,
        answered(86_461, unknown('timeout')),
        answered(86_800, unknown('timeout')),
        answered(87_200, unknown()),
      ),
      [
        '10.0.0.1, 10.0.0.2 → 10.0.0.1 (down), 10.0.0.2 (down)',
        `${NAME}: SERVFAIL, no good answer since 1970-01-01T00:00:00.000Z`,
      ],
    ],
    [
      'A10: another hostname in the status, which answers',
      through(RESOLVED, { now: 60, hostnames: [OTHER_NAME], answers: { [OTHER_NAME]: found(['10.0.0.9']) } }),
      [
        '10.0.0.1, 10.0.0.2 → 10.0.0.9',
        `${NAME} left the status`,
        `${OTHER_NAME} came into the status`,
        `${OTHER_NAME}: 10.0.0.9, TTL 60`,
      ],
    ],
    [
      'a hostname that left for good',
      through(RESOLVED, { now: 60, hostnames: [] }, { now: 700, hostnames: [] }),
      ['10.0.0.1, 10.0.0.2 → none', `${NAME} is dropped, it left at 1970-01-01T00:01:00.000Z`],
    ],
    [
      'an address in the status instead of a name',
      through(RESOLVED, { now: 60, literals: ['10.0.0.9'] }),
      ['10.0.0.1, 10.0.0.2 → 10.0.0.9', `${NAME} left the status`, '10.0.0.9 came into the status'],
    ],
    [
      'an address pinned instead of a name',
      { ...through(RESOLVED, { now: 60, literals: ['10.0.0.9'] }), isPinned: true },
      ['10.0.0.1, 10.0.0.2 → 10.0.0.9', `${NAME} is not pinned`, '10.0.0.9 is pinned'],
    ],
    [
      'B1: a dead address',
      { before: RESOLVED, after: { ...RESOLVED, liveness: { '10.0.0.1': dead } } },
      ['10.0.0.1, 10.0.0.2 → 10.0.0.1 (down), 10.0.0.2', '10.0.0.1 dead: 3 failures (connection refused)'],
    ],
    [
      'one that is alive again',
      {
        before: { ...RESOLVED, liveness: { '10.0.0.1': dead } },
        after: { ...RESOLVED, liveness: { '10.0.0.1': live('alive') } },
      },
      ['10.0.0.1 (down), 10.0.0.2 → 10.0.0.1, 10.0.0.2', '10.0.0.1 is alive again'],
    ],
    [
      'a dead one that nobody probes any more',
      { before: { ...RESOLVED, liveness: { '10.0.0.1': dead } }, after: RESOLVED },
      ['10.0.0.1 (down), 10.0.0.2 → 10.0.0.1, 10.0.0.2', '10.0.0.1 is not probed any more'],
    ],
    [
      'a narrower filter',
      { before: RESOLVED, after: { ...RESOLVED, guarded: guarded(['10.0.0.2/32']) } },
      ['10.0.0.1, 10.0.0.2 → 10.0.0.2', '10.0.0.1 refused: outside allowedCIDRs'],
    ],
    [
      'a wider one',
      { before: { ...RESOLVED, guarded: guarded(['10.0.0.2/32']) }, after: RESOLVED },
      ['10.0.0.2 → 10.0.0.1, 10.0.0.2', '10.0.0.1 passes the filter now'],
    ],
  ])('%s', (_, row, lines) => {
    expect(reasons(row)).toStrictEqual(lines);
  });

  it('of an answer of a thousand addresses tells 64 of them, and how many are left', () => {
    const many = Array.from({ length: 1000 }, (_, index) => `10.1.${index >> 8}.${index & 255}`);
    const [, line = ''] = reasons(through(RESOLVED, answered(60, found(many)))) ?? [];
    expect(line).toMatch(/^lb\.example\.test: 10\.1\.0\.0 10\.1\.0\.1 .* 10\.1\.0\.63 and 936 more, TTL 60$/);
  });
});

describe('the same set', () => {
  it.each<[string, Row]>([
    ['by the same answer', through(RESOLVED, answered(60, found(BOTH)))],
    ['in another order', through(RESOLVED, answered(60, found(['10.0.0.2', '10.0.0.1'])))],
    ['while the resolver is silent', through(RESOLVED, answered(60, unknown()))],
    ['after one NXDOMAIN', through(RESOLVED, answered(60, nothing()))],
    ['of a name that never resolved', through(undefined, answered(0, unknown()))],
    [
      'with an address that failed once',
      { before: RESOLVED, after: { ...RESOLVED, liveness: { '10.0.0.1': live('unknown', 'timeout') } } },
    ],
  ])('%s', (_, row) => {
    expect(reasons(row)).toBeUndefined();
  });
});
