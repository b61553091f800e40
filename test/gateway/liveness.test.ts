// Liveness of addresses: counting, forgetting, and what of the published addresses it takes away.
import { describe, expect, it } from 'vitest';
import { livenessMoved, stepLiveness, withLiveness } from '../../lib/gateway/liveness.ts';
import { judgeNetwork, verdictOf } from '../../lib/gateway/liveness-network.ts';
import { NO_LIVENESS, type Liveness } from '../../lib/model/liveness.ts';
import type { ProbeResult } from '../../lib/ports.ts';
import {
  afterMinutes,
  anAddress,
  DEAD,
  FAIL,
  IGNORED,
  IP,
  minutes,
  NO_PROBE,
  OK,
  OTHER,
  resultsOf,
  run,
} from './liveness-support.ts';
import { frozen, shown } from './support.ts';

/** Alive, and one failure short of the threshold. */
const TWICE = frozen(afterMinutes(OK, FAIL, FAIL));

const stateOf = (liveness: Liveness, ip = IP): string => liveness[ip]?.state ?? 'unknown';

describe('the state of an address', () => {
  const rows: readonly (readonly [
    situation: string,
    found: readonly ProbeResult[],
    state: string,
    failures: number,
  ])[] = [
    ['B2: the first answer makes it alive', [OK], 'alive', 0],
    ['B2: a first failure leaves it unknown', [FAIL], 'unknown', 1],
    ['one failure short of the threshold leaves it alive', [OK, FAIL, FAIL], 'alive', 2],
    ['B1: the threshold makes it dead', [OK, FAIL, FAIL, FAIL], 'dead', 3],
    ['B1: one that never answered is dead at the threshold as well', [FAIL, FAIL, FAIL], 'dead', 3],
    ['B5: failures count in a row only', [FAIL, FAIL, OK, FAIL, FAIL], 'alive', 2],
    ['B5: the third in a row is dead', [FAIL, FAIL, OK, FAIL, FAIL, FAIL], 'dead', 3],
    ['B1: one answer brings it back', [FAIL, FAIL, FAIL, OK], 'alive', 0],
    ['more failures do not count on', [FAIL, FAIL, FAIL, FAIL, FAIL], 'dead', 3],
    ['what could not be asked is no failure', [OK, FAIL, FAIL, NO_PROBE, NO_PROBE], 'alive', 2],
    ['what could not be asked is no answer either', [OK, FAIL, NO_PROBE, FAIL, NO_PROBE, FAIL], 'dead', 3],
    ['B2: what could not be asked brings nothing back', [FAIL, FAIL, FAIL, NO_PROBE], 'dead', 3],
  ];

  it.each(rows)('%s', (_situation, found, state, failures) => {
    expect(afterMinutes(...found)[IP]).toMatchObject({ state, failures });
  });

  it('B5: several probes of one run count one by one', () => {
    expect(run({ results: { [IP]: [OK, FAIL, FAIL, FAIL] } })[IP]?.state).toBe('dead');
    expect(run({ results: { [IP]: [FAIL, FAIL, OK, FAIL, FAIL] } })[IP]?.state).toBe('alive');
  });

  it('tells since when, when it was probed last and what was wrong', () => {
    expect(minutes(OK, OK, FAIL, FAIL, FAIL, FAIL, OK).map((liveness) => liveness[IP])).toEqual([
      { state: 'alive', failures: 0, since: 60, lastProbeAt: 60 },
      { state: 'alive', failures: 0, since: 60, lastProbeAt: 120 },
      { state: 'alive', failures: 1, since: 60, lastProbeAt: 180, lastWhy: 'connection refused' },
      { state: 'alive', failures: 2, since: 60, lastProbeAt: 240, lastWhy: 'connection refused' },
      { state: 'dead', failures: 3, since: 300, lastProbeAt: 300, lastWhy: 'connection refused' },
      { state: 'dead', failures: 3, since: 300, lastProbeAt: 360, lastWhy: 'connection refused' },
      { state: 'alive', failures: 0, since: 420, lastProbeAt: 420 },
    ]);
  });

  it('survives storage', () => {
    expect(JSON.parse(JSON.stringify(DEAD))).toEqual(DEAD);
  });

  it.each([
    ['a higher one leaves the dead dead', { state: DEAD, threshold: 5, found: FAIL }, 'dead'],
    ['a lower one counts from the next failure', { state: TWICE, threshold: 2, found: FAIL }, 'dead'],
    ['a lower one takes nothing away by itself', { state: TWICE, threshold: 2, found: NO_PROBE }, 'alive'],
  ])('another threshold: %s', (_situation, { state, threshold, found }, expected) => {
    const settings = { off: false, port: 4191, failureThreshold: threshold };
    expect(stateOf(run({ state, settings, results: { [IP]: found } }))).toBe(expected);
  });
});

describe('addresses', () => {
  it('are judged one by one', () => {
    const addresses = [anAddress(IP), anAddress(OTHER)];
    const after = run({ addresses, results: { [IP]: [FAIL, FAIL, FAIL], [OTHER]: OK } });
    expect([stateOf(after, IP), stateOf(after, OTHER)]).toEqual(['dead', 'alive']);
  });

  it('that are published no more are forgotten, even when they were just probed', () => {
    const addresses = [anAddress(OTHER)];
    expect(run({ state: DEAD, addresses, results: { [IP]: FAIL } })).toEqual({});
  });

  it.each(['draining', 'down'] as const)('that are %s are remembered', (state) => {
    expect(run({ state: DEAD, addresses: [anAddress(IP, state)] })).toEqual(DEAD);
  });

  it('that were not probed stay as they are', () => {
    expect(run({ state: DEAD })).toEqual(DEAD);
  });

  it.each([
    ['probing is off', { off: true, port: 4191, failureThreshold: 3 }],
    ['there is no port to probe', { off: false, port: undefined, failureThreshold: 3 }],
  ])('are forgotten when %s: nobody could bring them back', (_situation, settings) => {
    expect(run({ state: DEAD, settings })).toEqual({});
  });
});

describe('failures that our own network explains', () => {
  it('change nothing at all', () => {
    const results = { [IP]: [FAIL, FAIL, FAIL] };
    expect(run({ state: TWICE, network: IGNORED, results, now: 900 })).toEqual(TWICE);
  });

  it('still let go of what is published no more', () => {
    const addresses = [anAddress(OTHER)];
    expect(run({ state: DEAD, addresses, network: IGNORED, results: { [IP]: FAIL } })).toEqual({});
  });
});

describe('whether there is something to save', () => {
  const alive = afterMinutes(OK);
  it.each([
    ['one more answer: no', alive, afterMinutes(OK, OK), false],
    ['a dead one that fails on: no', DEAD, afterMinutes(OK, FAIL, FAIL, FAIL, FAIL), false],
    ['a first answer: yes', NO_LIVENESS, alive, true],
    ['a failure that is counted: yes', alive, afterMinutes(OK, FAIL), true],
    ['an address forgotten: yes', alive, NO_LIVENESS, true],
  ])('%s', (_situation, before, after, moved) => {
    expect(livenessMoved(before, after)).toBe(moved);
  });
});

describe('what is published', () => {
  const deadBoth = run({
    addresses: [anAddress(IP), anAddress(OTHER)],
    results: { [IP]: [FAIL, FAIL, FAIL], [OTHER]: [FAIL, FAIL, FAIL] },
  });

  it.each([
    ['B2: unknown changes nothing', [anAddress(IP)], NO_LIVENESS, [IP]],
    ['B2: failures below the threshold change nothing', [anAddress(IP)], afterMinutes(FAIL, FAIL), [IP]],
    [
      'alive changes nothing',
      [anAddress(IP), anAddress(OTHER, 'down')],
      afterMinutes(OK),
      [IP, `${OTHER} down`],
    ],
    ['B1: a dead one is not ready', [anAddress(IP), anAddress(OTHER)], DEAD, [`${IP} down`, OTHER]],
    ['B1: all of them dead', [anAddress(IP), anAddress(OTHER)], deadBoth, [`${IP} down`, `${OTHER} down`]],
    ['a dead one that is not published is not added', [anAddress(OTHER)], DEAD, [OTHER]],
    [
      'a dead draining one stays left out',
      [anAddress(IP, 'draining'), anAddress(OTHER)],
      DEAD,
      [`${IP} draining`, OTHER],
    ],
    [
      'a draining one is not brought back',
      [anAddress(IP), anAddress(OTHER, 'draining')],
      DEAD,
      [`${IP} down`, `${OTHER} draining`],
    ],
    ['down by DNS stays so, alive or not', [anAddress(IP, 'down')], afterMinutes(OK), [`${IP} down`]],
    ['nothing stays nothing', [], DEAD, []],
  ])('%s', (_situation, addresses, liveness, expected) => {
    expect(shown(withLiveness(frozen(addresses), frozen(liveness)))).toEqual(expected);
  });

  it('B1: follows a gateway that dies and comes back', () => {
    const addresses = [anAddress(IP)];
    const seen = minutes(OK, FAIL, FAIL, FAIL, FAIL, OK).map((liveness) =>
      shown(withLiveness(addresses, liveness)).join(),
    );
    expect(seen).toEqual([IP, IP, IP, `${IP} down`, `${IP} down`, IP]);
  });

  it('B6: after 100 flaps that end dead, all are not ready, and no reader ever saw a mixture', () => {
    const addresses = [anAddress(IP), anAddress(OTHER)];
    let state: Liveness = NO_LIVENESS;
    const seen: string[] = [];
    const flap = (...found: readonly ProbeResult[]) => {
      state = frozen(run({ state, addresses, results: { [IP]: found, [OTHER]: found } }));
      seen.push(shown(withLiveness(addresses, state)).join());
    };
    for (let count = 0; count < 100; count += 1) {
      flap(OK);
      flap(FAIL, FAIL, FAIL);
    }
    expect(seen).toHaveLength(200);
    expect(new Set(seen)).toEqual(new Set([`${IP},${OTHER}`, `${IP} down,${OTHER} down`]));
    expect(seen.at(-1)).toBe(`${IP} down,${OTHER} down`);
  });
});

describe('B7: the API of the target refuses for five minutes', () => {
  const addresses = [anAddress(IP), anAddress(OTHER)];
  const witnesses = { sourceApi: true, resolver: true, targetApi: false };
  const before = run({ addresses, results: { [IP]: OK, [OTHER]: OK } });

  const minute = (state: Liveness, found: ProbeResult, now: number): Liveness => {
    const results = resultsOf({ [IP]: found, [OTHER]: found });
    const verdict = verdictOf(results, state);
    const network = judgeNetwork({ gateways: verdict === undefined ? [] : [verdict], witnesses, now });
    const settings = { off: false, port: 4191, failureThreshold: 3 };
    return stepLiveness({ state, addresses, results, network, settings, now });
  };

  it('while the probe succeeds: nothing changes', () => {
    let state = before;
    for (let now = 60; now <= 300; now += 60) {
      state = minute(state, OK, now);
      expect(livenessMoved(before, state)).toBe(false);
      expect(shown(withLiveness(addresses, state))).toEqual([IP, OTHER]);
    }
  });

  it('while the probe fails: its silence is no excuse', () => {
    let state = before;
    for (let now = 60; now <= 180; now += 60) state = minute(state, FAIL, now);
    expect(shown(withLiveness(addresses, state))).toEqual([`${IP} down`, `${OTHER} down`]);
  });
});
