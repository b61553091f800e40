// When an address is probed again within a run.
import { describe, expect, it } from 'vitest';
import { followUp, isTimeLeft, type ProbeTry } from '../../lib/gateway/liveness-schedule.ts';
import type { ProbeResult } from '../../lib/ports.ts';
import { afterMinutes, DEAD, FAIL, IP, NO_PROBE, OK } from './liveness-support.ts';

const SETTINGS = { period: 3, timeout: 2, failureThreshold: 3 };

/** Probes one period apart from 0 on, each of which took `took` ms. */
const tries = (took: number, ...found: readonly ProbeResult[]): readonly ProbeTry[] =>
  found.map((result, index) => ({ startedAt: 3_000 * index, endedAt: 3_000 * index + took, result }));

const next = (all: readonly ProbeTry[], more: Partial<Parameters<typeof followUp>[0]> = {}) =>
  followUp({ known: undefined, tries: all, settings: SETTINGS, until: 60_000, ...more });

describe('B5: a failure is followed up', () => {
  it.each([
    ['a period after its start', [FAIL], 3_000],
    ['again, below the threshold', [FAIL, FAIL], 6_000],
    ['no more at the threshold', [FAIL, FAIL, FAIL], undefined],
    ['no more after an answer', [FAIL, FAIL, OK], undefined],
    ['no more when it cannot be asked', [FAIL, NO_PROBE], undefined],
    ['only a failure is: an answer', [OK], undefined],
    ['only a failure is: not probed', [], undefined],
  ])('%s', (_situation, found, expected) => {
    expect(next(tries(10, ...found))).toBe(expected);
  });

  it.each([
    ['one failure before: two are enough', afterMinutes(OK, FAIL), [FAIL], 3_000],
    ['two failures before: one is enough', afterMinutes(OK, FAIL, FAIL), [FAIL], undefined],
    ['dead before: a probe a run is enough', DEAD, [FAIL], undefined],
    ['alive before: as if new', afterMinutes(FAIL, OK), [FAIL, FAIL], 6_000],
    ['an answer between ends the count of before', afterMinutes(OK, FAIL, FAIL), [OK, FAIL], 6_000],
  ])('%s', (_situation, liveness, found, expected) => {
    expect(next(tries(10, ...found), { known: liveness[IP] })).toBe(expected);
  });

  it('never while one is in flight: a probe that hangs past the period delays the next', () => {
    expect(next(tries(5_000, FAIL), { settings: { ...SETTINGS, timeout: 5 } })).toBe(5_000);
  });

  it('a threshold of 1 needs none', () => {
    expect(next(tries(10, FAIL), { settings: { ...SETTINGS, failureThreshold: 1 } })).toBeUndefined();
  });
});

describe('the end of the time', () => {
  it.each([
    ['leaves a probe its whole timeout', 5_000, 3_000],
    ['would cut a probe short: it is not begun', 4_999, undefined],
  ])('%s', (_situation, until, expected) => {
    expect(next(tries(10, FAIL), { until })).toBe(expected);
  });

  it('holds for a first probe as well', () => {
    expect(isTimeLeft(1_000, { settings: SETTINGS, until: 3_000 })).toBe(true);
    expect(isTimeLeft(1_001, { settings: SETTINGS, until: 3_000 })).toBe(false);
  });
});
