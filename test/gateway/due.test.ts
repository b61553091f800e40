// Which names are to be looked up now.
import { describe, expect, it } from 'vitest';
import { dueNames, nameKey } from '../../lib/gateway/state.ts';
import { EMPTY_GATEWAY_STATE, type GatewayState } from '../../lib/model/gateway.ts';
import type { Family } from '../../lib/model/objects.ts';
import { NAME, OTHER_NAME, RESOLVED, frozen, nothing, said, step, unknown } from './support.ts';

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
    expect(due({ hostnames: [OTHER_NAME, NAME], families: ['IPv4', 'IPv6'] })).toEqual([
      'a.example.test|IPv4',
      'a.example.test|IPv6',
      'lb.example.test|IPv4',
      'lb.example.test|IPv6',
    ]);
  });

  it('A9: and those whose TTL has ended, not one second before', () => {
    expect(due({ state: RESOLVED, now: 59 })).toEqual([]);
    expect(due({ state: RESOLVED, now: 60 })).toEqual(['lb.example.test|IPv4']);
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
      state: RESOLVED,
      hostnames: [OTHER_NAME],
      now: 60,
      answers: { [OTHER_NAME]: unknown() },
    });
    expect(due({ state, hostnames: [OTHER_NAME], now: 1_000 })).toEqual(['a.example.test|IPv4']);
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
