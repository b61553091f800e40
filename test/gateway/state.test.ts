// The link level: which names are due, seeds, the leave rule, literals, last resort, refusals.
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../lib/gateway/settings.ts';
import {
  dueNames,
  nameKey,
  rememberedNames,
  stepGateway,
  type GatewayResult,
} from '../../lib/gateway/state.ts';
import { EMPTY_GATEWAY_STATE, type GatewayState } from '../../lib/model/gateway.ts';
import type { Family } from '../../lib/model/objects.ts';
import { KEY, NAME, aStep, found, frozen, nothing, said, shown, someRules, unknown } from './support.ts';

type StepParts = NonNullable<Parameters<typeof aStep>[0]>;

const step = (parts: StepParts = {}): GatewayResult => stepGateway(aStep(parts));

/** One step after the other, each from the state of the one before. */
const steps = (...all: readonly StepParts[]): readonly GatewayResult[] => {
  const results: GatewayResult[] = [];
  for (const parts of all)
    results.push(step({ state: results.at(-1)?.state ?? EMPTY_GATEWAY_STATE, ...parts }));
  return results;
};
const last = (...all: readonly StepParts[]): GatewayResult => steps(...all).at(-1) ?? step();

const resolved = step({ answers: { [NAME]: found(['10.0.0.1', '10.0.0.2']) } }).state;
const A_NAME = 'a.example.test';

describe('dueNames', () => {
  const due = (parts: {
    readonly state?: GatewayState;
    readonly hostnames?: readonly string[];
    readonly families?: readonly Family[];
    readonly now?: number;
    readonly createdAt?: number;
    readonly firstLookDelay?: number;
  }): readonly string[] => {
    const { hostnames = [NAME], createdAt, ...rest } = parts;
    const input = {
      state: EMPTY_GATEWAY_STATE,
      families: ['IPv4'] as const,
      now: 0,
      firstLookDelay: 60,
      ...rest,
      declaration: { hostnames, createdAt },
    };
    return dueNames(frozen(input)).map(({ hostname, family }) => nameKey(hostname, family));
  };

  it('are those without a record, in every family', () => {
    expect(due({ hostnames: [A_NAME, NAME], families: ['IPv4', 'IPv6'] })).toEqual([
      'a.example.test|IPv4',
      'a.example.test|IPv6',
      'lb.example.test|IPv4',
      'lb.example.test|IPv6',
    ]);
  });

  it('A9: and those whose TTL has ended, not one second before', () => {
    expect(due({ state: resolved, now: 59 })).toEqual([]);
    expect(due({ state: resolved, now: 60 })).toEqual(['lb.example.test|IPv4']);
  });

  it('A15: a name that is NXDOMAIN waits for its negative TTL', () => {
    const { state } = step({ answers: { [NAME]: nothing(60) } });
    expect(due({ state, now: 59 })).toEqual([]);
    expect(due({ state, now: 60 })).toEqual(['lb.example.test|IPv4']);
  });

  it('A15: ten minutes of NXDOMAIN, looked at every second, are eleven look-ups', () => {
    let state: GatewayState = EMPTY_GATEWAY_STATE;
    let lookUps = 0;
    for (let now = 0; now <= 600; now += 1) {
      const asked = due({ state, now, firstLookDelay: 0 });
      lookUps += asked.length;
      state = step({ state, now, answers: asked.length === 0 ? {} : { [NAME]: nothing(60) } }).state;
    }
    expect(lookUps).toBe(11);
  });

  it('are not those that left the status', () => {
    const { state } = step({
      state: resolved,
      hostnames: [A_NAME],
      now: 60,
      answers: { [A_NAME]: unknown() },
    });
    expect(due({ state, hostnames: [A_NAME], now: 1_000 })).toEqual(['a.example.test|IPv4']);
  });

  it.each([
    ['a Service of 9:59 min', 401, []],
    ['a Service of 10 min', 400, ['lb.example.test|IPv4']],
    ['one of the future, by another clock', 1_100, []],
  ])('A2: first look at a name on %s', (_title, createdAt, expected) => {
    expect(due({ now: 1_000, createdAt })).toEqual(expected);
    expect(due({ now: 1_000, createdAt, firstLookDelay: 0 })).toEqual(['lb.example.test|IPv4']);
  });

  it('A2: on a young Service the delay runs from the first sight of the name', () => {
    const young = { createdAt: 900, firstLookDelay: 60 };
    const { state, refusals, stateChanged } = step({ ...young, now: 1_000 });
    expect(stateChanged).toBe(true);
    expect(said(refusals)).toEqual([
      'GatewayUnresolved: hostname lb.example.test (IPv4): not looked up yet, due at 1970-01-01T00:17:40.000Z; it has no address',
    ]);
    expect(due({ state, ...young, now: 1_059 })).toEqual([]);
    expect(due({ state, ...young, now: 1_060 })).toEqual(['lb.example.test|IPv4']);
    const again = step({ state, ...young, now: 1_030 });
    expect(again).toMatchObject({ state, stateChanged: false });
  });
});

describe('A2: a name that does not resolve yet', () => {
  it('publishes nothing and says why and since when, then recovers by itself', () => {
    const [first, second, third] = steps(
      { now: 0, answers: { [NAME]: nothing() } },
      { now: 60, answers: { [NAME]: nothing() } },
      { now: 120, answers: { [NAME]: found(['203.0.113.10']) } },
    );
    const message =
      'GatewayUnresolved: hostname lb.example.test (IPv4): NXDOMAIN since 1970-01-01T00:00:00.000Z; it has no address';
    expect([first, second].map((result) => said(result?.refusals ?? []))).toEqual([[message], [message]]);
    expect([first, second].map((result) => result?.changed)).toEqual([false, false]);
    expect(third).toMatchObject({ changed: true, refusals: [] });
    expect(shown(third?.addresses ?? [])).toEqual(['203.0.113.10']);
  });
});

describe('A4: every address of an answer', () => {
  it('is published, sorted by number; another order changes nothing', () => {
    const [first, second] = steps(
      { answers: { [NAME]: found(['203.0.113.12', '203.0.113.9', '203.0.113.101']) } },
      { now: 60, answers: { [NAME]: found(['203.0.113.101', '203.0.113.12', '203.0.113.9']) } },
    );
    expect(first?.addresses).toEqual([
      { ip: '203.0.113.9', family: 'IPv4', state: 'ready' },
      { ip: '203.0.113.12', family: 'IPv4', state: 'ready' },
      { ip: '203.0.113.101', family: 'IPv4', state: 'ready' },
    ]);
    expect(first).toMatchObject({ changed: true, stateChanged: true });
    expect(second).toMatchObject({ changed: false, stateChanged: true });
  });

  it('over several names: ready in any is ready', () => {
    const names = { hostnames: [A_NAME, NAME] };
    const [, second, third] = steps(
      {
        ...names,
        answers: { [A_NAME]: found(['10.0.0.1', '10.0.0.2']), [NAME]: found(['10.0.0.2', '10.0.0.3']) },
      },
      {
        ...names,
        now: 60,
        answers: { [A_NAME]: found(['10.0.0.1']), [NAME]: found(['10.0.0.2', '10.0.0.3']) },
      },
      { ...names, now: 120, answers: { [A_NAME]: found(['10.0.0.1']), [NAME]: found(['10.0.0.3']) } },
    );
    expect(shown(second?.addresses ?? [])).toEqual(['10.0.0.1', '10.0.0.2', '10.0.0.3']);
    expect(shown(third?.addresses ?? [])).toEqual(['10.0.0.1', '10.0.0.2 draining', '10.0.0.3']);
  });

  it('one bad name changes nothing for the others', () => {
    const { addresses, refusals } = step({
      hostnames: [A_NAME, NAME],
      answers: { [A_NAME]: unknown('timeout'), [NAME]: found(['10.0.0.3']) },
    });
    expect(shown(addresses)).toEqual(['10.0.0.3']);
    expect(said(refusals)).toEqual([
      'GatewayUnresolved: hostname a.example.test (IPv4): timeout since 1970-01-01T00:00:00.000Z; it has no address',
    ]);
  });

  it('A9: in any order gives the same', () => {
    const rows = [
      [`${NAME}|IPv4`, found(['10.0.0.9', '10.0.0.1', '127.0.0.1', '169.254.169.254'])],
      [`${A_NAME}|IPv4`, found(['10.0.0.5'])],
      [`${NAME}|IPv6`, nothing(60, 'NODATA')],
    ] as const;
    const forth = step({
      hostnames: [A_NAME, NAME],
      literals: ['10.0.0.7', '10.0.0.6', '127.0.0.2'],
      families: ['IPv4', 'IPv6'],
      answers: Object.fromEntries(rows),
    });
    const back = step({
      hostnames: [NAME, A_NAME],
      literals: ['127.0.0.2', '10.0.0.6', '10.0.0.7'],
      families: ['IPv6', 'IPv4'],
      answers: Object.fromEntries([
        rows[2],
        rows[1],
        [rows[0][0], found(['169.254.169.254', '127.0.0.1', '10.0.0.1', '10.0.0.9'])],
      ]),
    });
    expect(JSON.stringify(back)).toBe(JSON.stringify(forth));
  });
});

describe('A8: failed look-ups of a gateway that is published', () => {
  it('change nothing, are told, and end without a trace', () => {
    const results = steps(
      { answers: { [NAME]: found(['203.0.113.10']) } },
      ...[60, 75, 105, 165, 285].map((now) => ({ now, answers: { [NAME]: unknown('SERVFAIL') } })),
      { now: 405, answers: { [NAME]: found(['203.0.113.10']) } },
    );
    expect(results.map(({ addresses }) => shown(addresses))).toEqual(Array(7).fill(['203.0.113.10']));
    expect(results.map(({ changed }) => changed)).toEqual([true, false, false, false, false, false, false]);
    const message =
      'GatewayUnresolved: hostname lb.example.test (IPv4): SERVFAIL since 1970-01-01T00:01:00.000Z; its last addresses stay';
    expect(results.map(({ refusals }) => said(refusals))).toEqual([[], ...Array(5).fill([message]), []]);
  });

  it('after a day of them its addresses are down, which is said', () => {
    const { addresses, refusals, changed } = last(
      { answers: { [NAME]: found(['203.0.113.10']) } },
      ...[60, 75, 86_460].map((now) => ({ now, answers: { [NAME]: unknown() } })),
    );
    expect(changed).toBe(true);
    expect(shown(addresses)).toEqual(['203.0.113.10 down']);
    expect(said(refusals)).toEqual([
      'GatewayUnresolved: hostname lb.example.test (IPv4): SERVFAIL since 1970-01-01T00:01:00.000Z; its addresses are down',
    ]);
  });
});

describe('A10: families', () => {
  const both = {
    [`${NAME}|IPv4`]: found(['203.0.113.10']),
    [`${NAME}|IPv6`]: found(['2001:db8::10']),
  };
  const dual = ['IPv4', 'IPv6'] as const;

  it('only those of the source cluster are kept', () => {
    expect(shown(step({ answers: both }).addresses)).toEqual(['203.0.113.10']);
    expect(shown(step({ answers: both, families: ['IPv6'] }).addresses)).toEqual(['2001:db8::10']);
    expect(shown(step({ answers: both, families: dual }).addresses)).toEqual([
      '203.0.113.10',
      '2001:db8::10',
    ]);
    expect(shown(step({ literals: ['2001:db8::1', '10.0.0.1'] }).addresses)).toEqual(['10.0.0.1']);
  });

  it('one that is no longer wanted goes at once', () => {
    const { addresses, state } = last({ answers: both, families: dual }, { now: 10 });
    expect(shown(addresses)).toEqual(['203.0.113.10']);
    expect(state.records.map(({ family }) => family)).toEqual(['IPv4']);
  });

  it('no AAAA beside an A is the normal case, alone it is a refusal', () => {
    const noData = { [`${NAME}|IPv6`]: nothing(60, 'NODATA') };
    expect(step({ families: dual, answers: { ...both, ...noData } }).refusals).toEqual([]);
    expect(said(step({ families: ['IPv6'], answers: noData }).refusals)).toEqual([
      'GatewayUnresolved: hostname lb.example.test (IPv6): NODATA since 1970-01-01T00:00:00.000Z; it has no address',
    ]);
    const failed = { ...both, [`${NAME}|IPv6`]: unknown('timeout') };
    expect(said(step({ families: dual, answers: failed }).refusals)).toEqual([
      'GatewayUnresolved: hostname lb.example.test (IPv6): timeout since 1970-01-01T00:00:00.000Z; it has no address',
    ]);
  });

  it('literals of the wrong family only are a refusal', () => {
    expect(step({ families: ['IPv6'], literals: ['203.0.113.10'] }).refusals).toEqual([
      {
        ...KEY,
        reason: 'NoGatewayAddress',
        message:
          'gateway Service linkerd-multicluster/linkerd-gateway: expected an address of family IPv6, found none',
      },
    ]);
  });
});

describe('literal addresses', () => {
  it('A5: are ready as soon as the status holds them', () => {
    const declared = [{ ...KEY, reason: 'NoGatewayAddress', message: 'no address yet' }] as const;
    const [before, after] = steps({ hostnames: [], declared }, { now: 60, literals: ['203.0.113.10'] });
    expect(before).toMatchObject({ addresses: [], refusals: [], changed: false }); // the declaration says it
    expect(shown(after?.addresses ?? [])).toEqual(['203.0.113.10']);
    expect(after).toMatchObject({ changed: true, state: { literals: { '203.0.113.10': {} } } });
  });

  it('pass the filter, and are written canonically', () => {
    const { addresses, refusals, state } = step({
      literals: ['169.254.169.254', '2001:DB8:0::A', '10.0.0.1'],
      families: ['IPv4', 'IPv6'],
    });
    expect(shown(addresses)).toEqual(['10.0.0.1', '2001:db8::a']);
    expect(Object.keys(state.literals)).toEqual(['10.0.0.1', '2001:db8::a']);
    expect(said(refusals)).toEqual([
      'AddressRefused: address 169.254.169.254: link-local: instance metadata and node services (169.254.0.0/16)',
    ]);
  });

  it('A6: leave at once when another one is there', () => {
    const { addresses, state } = last(
      { literals: ['10.0.0.1', '10.0.0.2'] },
      { now: 60, literals: ['10.0.0.2'] },
    );
    expect(shown(addresses)).toEqual(['10.0.0.2']);
    expect(state.literals).toEqual({ '10.0.0.2': {} });
  });
});

describe('the leave rule', () => {
  const gone = { hostnames: [] };

  it('A6: a name leaves at once when the new one has an address', () => {
    const { addresses, state } = step({
      state: resolved,
      now: 60,
      hostnames: [A_NAME],
      answers: { [A_NAME]: found(['198.51.100.5']) },
    });
    expect(shown(addresses)).toEqual(['198.51.100.5']);
    expect(state.records.map(({ hostname }) => hostname)).toEqual([A_NAME]);
  });

  it('A6: a literal address is as good as a name', () => {
    const { addresses } = step({ state: resolved, now: 60, literals: ['198.51.100.5'] });
    expect(shown(addresses)).toEqual(['198.51.100.5']);
  });

  it('a new name whose only answer is refused is no replacement', () => {
    const { addresses } = step({
      state: resolved,
      now: 60,
      hostnames: [A_NAME],
      answers: { [A_NAME]: found(['127.0.0.1']) },
    });
    expect(shown(addresses)).toEqual(['10.0.0.1', '10.0.0.2']);
  });

  it.each([
    ['no name at all', gone],
    ['a name that is not there yet', { hostnames: [A_NAME], answers: { [A_NAME]: nothing() } }],
  ])('with %s the old addresses stay for 600 s, as the last resort', (_title, parts) => {
    const first = step({ state: resolved, now: 60, ...parts });
    const late = step({ state: first.state, now: 659, ...parts });
    const end = step({ state: late.state, now: 660, ...parts });
    expect(first).toMatchObject({ changed: false });
    expect(first.state.records.find(({ hostname }) => hostname === NAME)?.departedAt).toBe(60);
    expect(shown(late.addresses)).toEqual(['10.0.0.1', '10.0.0.2']);
    expect(shown(end.addresses)).toEqual([]);
    expect(end.changed).toBe(true);
    expect(end.state.records.map(({ hostname }) => hostname)).toEqual(parts.hostnames);
  });

  it('literals stay and go alike', () => {
    const [, first, late, end] = steps(
      { literals: ['10.0.0.1'] },
      { ...gone, now: 60 },
      { ...gone, now: 659 },
      { ...gone, now: 660 },
    );
    expect(first?.state.literals).toEqual({ '10.0.0.1': { departedAt: 60 } });
    expect(shown(late?.addresses ?? [])).toEqual(['10.0.0.1']);
    expect(end).toMatchObject({ addresses: [], state: { records: [], literals: {} } });
  });

  it('a name that comes back goes on where it was', () => {
    const { state, addresses } = last({ state: resolved, now: 60, ...gone }, { now: 120 });
    expect(shown(addresses)).toEqual(['10.0.0.1', '10.0.0.2']);
    expect(state).toEqual(resolved);
  });

  it('down addresses stay down when their name leaves', () => {
    const failed = last(
      { answers: { [NAME]: found(['10.0.0.1']) } },
      ...[60, 75, 86_460].map((now) => ({ now, answers: { [NAME]: unknown() } })),
    );
    const { addresses } = step({ state: failed.state, now: 86_500, ...gone });
    expect(shown(addresses)).toEqual(['10.0.0.1 down']);
  });

  it('answers for a name that left are ignored', () => {
    const { state } = step({ state: resolved, now: 60, ...gone, answers: { [NAME]: found(['10.9.9.9']) } });
    expect(Object.keys(state.records[0]?.addresses ?? {})).toEqual(['10.0.0.1', '10.0.0.2']);
  });

  it('B7: while the target cannot be reached, the remembered names go on', () => {
    const { state } = step({
      state: resolved,
      now: 60,
      hostnames: [A_NAME],
      literals: [],
      answers: { [A_NAME]: unknown() },
    });
    expect(rememberedNames(frozen(state), KEY)).toEqual({
      key: KEY,
      hostnames: [A_NAME],
      literals: [],
      createdAt: undefined,
      refusals: [],
    });
    const { declaration } = { declaration: rememberedNames(resolved, KEY) };
    const after = stepGateway({ ...aStep({ state: resolved, now: 10_000 }), declaration });
    expect(after).toMatchObject({ changed: false, stateChanged: false });
    const literal = step({ literals: ['10.0.0.1'] }).state;
    expect(rememberedNames(literal, KEY)).toMatchObject({ hostnames: [], literals: ['10.0.0.1'] });
  });
});

describe('B2: seeds, when nothing is stored', () => {
  const seeds = ['10.0.0.2', '10.0.0.1'];

  it.each([
    ['unknown', unknown(), ['10.0.0.1', '10.0.0.2'], false],
    ['nothing', nothing(), ['10.0.0.1', '10.0.0.2'], false],
    ['the same addresses', found(['10.0.0.1', '10.0.0.2']), ['10.0.0.1', '10.0.0.2'], false],
    ['other addresses', found(['10.0.0.9']), ['10.0.0.1', '10.0.0.2', '10.0.0.9'], true],
    ['some of them', found(['10.0.0.1']), ['10.0.0.1', '10.0.0.2 draining'], true],
    ['refused addresses', found(['127.0.0.1']), ['10.0.0.1', '10.0.0.2'], false],
  ])('a first answer of %s', (_title, answer, expected, changed) => {
    const result = step({ seeds, answers: { [NAME]: answer } });
    expect(shown(result.addresses)).toEqual(expected);
    expect(result.changed).toBe(changed);
  });

  it('stay while the first look waits', () => {
    const { addresses, state } = step({ seeds, now: 1_000, createdAt: 900, firstLookDelay: 60 });
    expect(shown(addresses)).toEqual(['10.0.0.1', '10.0.0.2']);
    expect(state.records[0]).toMatchObject({ state: 'STALE', nextCheckAt: 1_060 });
  });

  it('of several names belong to any of them', () => {
    const { addresses } = step({
      hostnames: [A_NAME, NAME],
      seeds,
      answers: { [A_NAME]: found(['10.0.0.1']), [NAME]: found(['10.0.0.2']) },
    });
    expect(shown(addresses)).toEqual(['10.0.0.1', '10.0.0.2']);
  });

  it('A5: with no name and no address in the status they leave by the leave rule', () => {
    const [first, late, end] = steps(
      { hostnames: [], seeds },
      { hostnames: [], now: 599 },
      { hostnames: [], now: 600 },
    );
    expect(shown(first?.addresses ?? [])).toEqual(['10.0.0.1', '10.0.0.2']);
    expect(first).toMatchObject({ changed: false, state: { literals: { '10.0.0.1': { departedAt: 0 } } } });
    expect(shown(late?.addresses ?? [])).toEqual(['10.0.0.1', '10.0.0.2']);
    expect(shown(end?.addresses ?? [])).toEqual([]);
  });

  it('go at once when the status holds a literal address', () => {
    const { addresses, state } = step({ literals: ['10.0.0.9'], seeds });
    expect(shown(addresses)).toEqual(['10.0.0.9']);
    expect(state.literals).toEqual({ '10.0.0.9': {} });
  });

  it('pass the filter', () => {
    const { addresses, refusals } = step({
      seeds: ['127.0.0.1', '10.0.0.1'],
      answers: { [NAME]: unknown() },
    });
    expect(shown(addresses)).toEqual(['10.0.0.1']);
    expect(said(refusals)).toEqual(
      [
        'AddressRefused: address 127.0.0.1: loopback (127.0.0.0/8)',
        'GatewayUnresolved: hostname lb.example.test (IPv4): SERVFAIL since 1970-01-01T00:00:00.000Z; its last addresses stay',
      ].toReversed(),
    );
  });

  it('of the other family are left out', () => {
    const mixed = { seeds: ['10.0.0.1', '2001:db8::1'], answers: { [NAME]: unknown() } };
    expect(shown(step(mixed).addresses)).toEqual(['10.0.0.1']);
    expect(shown(step({ ...mixed, families: ['IPv4', 'IPv6'] }).addresses)).toEqual([
      '10.0.0.1',
      '2001:db8::1',
    ]);
  });

  it('mean nothing when something is stored', () => {
    const { addresses } = step({
      state: resolved,
      seeds: ['10.7.7.7'],
      now: 60,
      answers: { [NAME]: unknown() },
    });
    expect(shown(addresses)).toEqual(['10.0.0.1', '10.0.0.2']);
  });
});

describe('the last resort', () => {
  it('is per family, so that neither empties the other', () => {
    const dual = ['IPv4', 'IPv6'] as const;
    const answers = {
      [`${NAME}|IPv4`]: found(['10.0.0.1']),
      [`${NAME}|IPv6`]: found(['2001:db8::1', '2001:db8::2']),
    };
    const halved = last(
      { families: dual, answers },
      { families: dual, now: 60, answers: { [`${NAME}|IPv6`]: found(['2001:db8::2']) } },
    );
    expect(shown(halved.addresses)).toEqual(['10.0.0.1', '2001:db8::1 draining', '2001:db8::2']);
    const rules = someRules({ serviceAddresses: new Set(['2001:db8::2']) }); // the rules changed meanwhile
    const refused = step({ state: halved.state, families: dual, now: 61, rules });
    expect(shown(refused.addresses)).toEqual(['10.0.0.1', '2001:db8::1']);
  });
});

describe('addresses that the filter refuses', () => {
  const mixed = found(['10.0.0.1', '169.254.169.254', '127.0.0.1']);

  it('never arrive, are named with their reason, and are named until the next answer', () => {
    const [first, second, third, fourth] = steps(
      { answers: { [NAME]: mixed } },
      { now: 30 },
      { now: 60, answers: { [NAME]: unknown() } },
      { now: 75, answers: { [NAME]: found(['10.0.0.1']) } },
    );
    const named = [
      'AddressRefused: address 127.0.0.1 of lb.example.test: loopback (127.0.0.0/8)',
      'AddressRefused: address 169.254.169.254 of lb.example.test: link-local: instance metadata and node services (169.254.0.0/16)',
    ];
    expect(said(first?.refusals ?? [])).toEqual(named);
    expect(shown(first?.addresses ?? [])).toEqual(['10.0.0.1']);
    expect(said(second?.refusals ?? [])).toEqual(named);
    expect(said(third?.refusals ?? []).filter((line) => line.startsWith('AddressRefused'))).toEqual(named);
    expect(fourth?.refusals).toEqual([]);
  });

  it('all of them: "don\'t know", what was there stays', () => {
    const { addresses, refusals, state } = step({
      state: resolved,
      now: 60,
      answers: { [NAME]: found(['169.254.169.254']) },
    });
    expect(shown(addresses)).toEqual(['10.0.0.1', '10.0.0.2']);
    expect(state.records[0]).toMatchObject({ state: 'STALE', failCount: 1, nextCheckAt: 75 });
    expect(said(refusals)).toEqual([
      'GatewayUnresolved: hostname lb.example.test (IPv4): every address was refused since 1970-01-01T00:01:00.000Z; its last addresses stay',
      'AddressRefused: address 169.254.169.254 of lb.example.test: link-local: instance metadata and node services (169.254.0.0/16)',
    ]);
  });

  it('count for the size of an answer: seven good ones and a bad one may be a part', () => {
    const seven = Array.from({ length: 7 }, (_, index) => `10.0.0.${index + 1}`);
    const { addresses } = last(
      { answers: { [NAME]: found([...seven, '10.0.0.99']) } },
      { now: 60, answers: { [NAME]: found([...seven, '127.0.0.1']) } },
    );
    expect(shown(addresses)).toEqual([...seven, '10.0.0.99']);
  });

  it('because the rules changed are taken out at once, though remembered', () => {
    const rules = someRules({ allowedCIDRs: ['10.0.0.1/32'] });
    const narrowed = step({ state: resolved, now: 10, rules });
    expect(shown(narrowed.addresses)).toEqual(['10.0.0.1']);
    expect(said(narrowed.refusals)).toEqual(['AddressRefused: address 10.0.0.2: outside allowedCIDRs']);
    expect(shown(step({ state: narrowed.state, now: 20 }).addresses)).toEqual(['10.0.0.1', '10.0.0.2']);
  });

  it('are remembered up to sixteen of one answer', () => {
    const bad = Array.from(
      { length: 2_000 },
      (_, index) => `127.0.${Math.floor(index / 250)}.${index % 250}`,
    );
    const { state } = step({ answers: { [NAME]: found(['10.0.0.1', ...bad]) } });
    expect(state.records[0]?.refused).toHaveLength(16);
    expect(JSON.stringify(state).length).toBeLessThan(2_000);
  });

  it('a 65th address is refused as one too many', () => {
    const many = Array.from({ length: 65 }, (_, index) => `10.1.0.${index + 1}`);
    const { addresses, refusals } = step({ answers: { [NAME]: found([...many].reverse()) } });
    expect(shown(addresses)).toEqual(many.slice(0, 64));
    expect(said(refusals)).toEqual([
      'AddressRefused: address 10.1.0.65 of lb.example.test: more than 64 addresses for one name',
    ]);
  });
});

describe('what is returned', () => {
  it('keeps identity and target of the state', () => {
    const state: GatewayState = { ...resolved, targetUid: 'uid-9', identity: 'gw.example' };
    expect(step({ state, now: 10 }).state).toEqual(state);
  });

  it('a step without an answer changes nothing', () => {
    expect(step({ state: resolved, now: 10 })).toMatchObject({
      state: resolved,
      changed: false,
      stateChanged: false,
    });
  });

  it('a state whose fields a store has reordered is the same state', () => {
    const reordered = JSON.parse(
      JSON.stringify({ literals: resolved.literals, records: resolved.records, schema: resolved.schema }),
    ) as GatewayState;
    expect(step({ state: reordered, now: 10 }).stateChanged).toBe(false);
  });

  it('follows other settings', () => {
    const { state } = step({
      answers: { [NAME]: found(['10.0.0.1'], 1) },
      settings: { ...SETTINGS, minRefresh: 33 },
    });
    expect(state.records[0]?.nextCheckAt).toBe(33);
  });
});
