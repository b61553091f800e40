// The link level: merge, families, literals, last resort, refusals of names.
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../lib/gateway/settings.ts';
import type { GatewayState } from '../../lib/model/gateway.ts';
import {
  KEY,
  NAME,
  OTHER_NAME,
  RESOLVED,
  found,
  last,
  nothing,
  said,
  shown,
  someRules,
  step,
  steps,
  unknown,
} from './support.ts';

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
    const names = { hostnames: [OTHER_NAME, NAME] };
    const [, second, third] = steps(
      {
        ...names,
        answers: { [OTHER_NAME]: found(['10.0.0.1', '10.0.0.2']), [NAME]: found(['10.0.0.2', '10.0.0.3']) },
      },
      {
        ...names,
        now: 60,
        answers: { [OTHER_NAME]: found(['10.0.0.1']), [NAME]: found(['10.0.0.2', '10.0.0.3']) },
      },
      { ...names, now: 120, answers: { [OTHER_NAME]: found(['10.0.0.1']), [NAME]: found(['10.0.0.3']) } },
    );
    expect(shown(second?.addresses ?? [])).toEqual(['10.0.0.1', '10.0.0.2', '10.0.0.3']);
    expect(shown(third?.addresses ?? [])).toEqual(['10.0.0.1', '10.0.0.2 draining', '10.0.0.3']);
  });

  it('one bad name changes nothing for the others', () => {
    const { addresses, refusals } = step({
      hostnames: [OTHER_NAME, NAME],
      answers: { [OTHER_NAME]: unknown('timeout'), [NAME]: found(['10.0.0.3']) },
    });
    expect(shown(addresses)).toEqual(['10.0.0.3']);
    expect(said(refusals)).toEqual([
      'GatewayUnresolved: hostname a.example.test (IPv4): timeout since 1970-01-01T00:00:00.000Z; it has no address',
    ]);
  });

  it('A9: in any order gives the same', () => {
    const rows = [
      [`${NAME}|IPv4`, found(['10.0.0.9', '10.0.0.1', '127.0.0.1', '169.254.169.254'])],
      [`${OTHER_NAME}|IPv4`, found(['10.0.0.5'])],
      [`${NAME}|IPv6`, nothing(60, 'NODATA')],
    ] as const;
    const forth = step({
      hostnames: [OTHER_NAME, NAME],
      literals: ['10.0.0.7', '10.0.0.6', '127.0.0.2'],
      families: ['IPv4', 'IPv6'],
      answers: Object.fromEntries(rows),
    });
    const back = step({
      hostnames: [NAME, OTHER_NAME],
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
    expect(results.map(({ addresses }) => shown(addresses))).toEqual(
      Array.from({ length: 7 }, () => ['203.0.113.10']),
    );
    expect(results.map(({ changed }) => changed)).toEqual([true, false, false, false, false, false, false]);
    const message =
      'GatewayUnresolved: hostname lb.example.test (IPv4): SERVFAIL since 1970-01-01T00:01:00.000Z; its last addresses stay';
    expect(results.map(({ refusals }) => said(refusals))).toEqual([
      [],
      ...Array.from({ length: 5 }, () => [message]),
      [],
    ]);
  });

  it('after a "no" are told since the first failure', () => {
    const { refusals } = last(
      { answers: { [NAME]: found(['203.0.113.10']) } },
      { now: 60, answers: { [NAME]: nothing() } },
      { now: 120, answers: { [NAME]: unknown('timeout') } },
    );
    expect(said(refusals)).toEqual([
      'GatewayUnresolved: hostname lb.example.test (IPv4): timeout since 1970-01-01T00:02:00.000Z; its last addresses stay',
    ]);
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

  it('a family that loses its answer is told though the other has one', () => {
    const { refusals, addresses } = last(
      { families: dual, answers: both },
      { families: dual, now: 60, answers: { [`${NAME}|IPv6`]: nothing(60, 'NODATA') } },
    );
    expect(shown(addresses)).toEqual(['203.0.113.10', '2001:db8::10']);
    expect(said(refusals)).toEqual([
      'GatewayUnresolved: hostname lb.example.test (IPv6): NODATA since 1970-01-01T00:01:00.000Z; its last addresses stay',
    ]);
  });

  it('a literal of a family that is no longer wanted is no last resort', () => {
    const parts = { literals: ['2001:db8::1'] };
    expect(shown(last({ ...parts, families: dual }, { ...parts, now: 10 }).addresses)).toEqual([]);
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

describe('what is returned', () => {
  it('keeps identity and target of the state', () => {
    const state: GatewayState = { ...RESOLVED, targetUid: 'uid-9', identity: 'gw.example' };
    expect(step({ state, now: 10 }).state).toEqual(state);
  });

  it('a step without an answer changes nothing', () => {
    expect(step({ state: RESOLVED, now: 10 })).toMatchObject({
      state: RESOLVED,
      changed: false,
      stateChanged: false,
    });
  });

  it('a state whose fields a store has reordered is the same state', () => {
    const { literals, records, schema } = RESOLVED;
    const reordered: GatewayState = {
      literals,
      records: records.map(({ nextCheckAt, hostname, ...rest }) => ({ ...rest, nextCheckAt, hostname })),
      schema,
    };
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
