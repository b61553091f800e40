// Whether failed probes count: one gateway or several, who else answered, and gateways that are long dead.
import { describe, expect, it } from 'vitest';
import {
  judgeNetwork,
  verdictOf,
  type GatewayVerdict,
  type Witnesses,
} from '../../lib/gateway/liveness-network.ts';
import { NO_LIVENESS } from '../../lib/model/liveness.ts';
import { DEAD, FAIL, IP, NO_PROBE, OK, OTHER, resultsOf } from './liveness-support.ts';
import { frozen } from './support.ts';

const NOBODY: Witnesses = frozen({ sourceApi: false, resolver: false, targetApi: false });
const EVERYBODY: Witnesses = frozen({ sourceApi: true, resolver: true, targetApi: true });

const NOW = 10_000;
const answered: GatewayVerdict = frozen({ answered: true, deadSince: undefined });
const silent: GatewayVerdict = frozen({ answered: false, deadSince: undefined });
const deadFor = (seconds: number): GatewayVerdict => frozen({ answered: false, deadSince: NOW - seconds });

const judge = (gateways: readonly GatewayVerdict[], witnesses: Partial<Witnesses> = {}): string => {
  const judgement = judgeNetwork({ gateways, witnesses: { ...NOBODY, ...witnesses }, now: NOW });
  return judgement.kind === 'counts' ? 'counts' : judgement.why;
};

const SILENCE = 'nothing else answered either: taken for our own network';

describe('two gateways or more', () => {
  it.each([
    ['one of two answered: the other failed', [answered, silent], 'counts'],
    ['one of many answered', [silent, silent, answered, silent], 'counts'],
    ['all failed at once', [silent, silent], 'all 2 gateways failed at once: taken for our own network'],
    [
      'all three failed',
      [silent, silent, silent],
      'all 3 gateways failed at once: taken for our own network',
    ],
    ['all answered', [answered, answered], 'counts'],
  ])('%s', (_situation, gateways, expected) => {
    expect(judge(gateways)).toBe(expected);
    expect(judge(gateways, EVERYBODY)).toBe(expected);
  });
});

describe('a sole gateway that failed', () => {
  it.each<[string, Partial<Witnesses>, string]>([
    ['everybody else answered', EVERYBODY, 'counts'],
    ['the source API answered', { sourceApi: true }, 'counts'],
    ['the resolver answered', { resolver: true }, 'counts'],
    ['B7: the target API is silent: no excuse', { sourceApi: true, resolver: true }, 'counts'],
    ['only the target API answered: our network carries', { targetApi: true }, 'counts'],
    ['nothing answered', {}, SILENCE],
  ])('%s', (_situation, witnesses, expected) => {
    expect(judge([silent], witnesses)).toBe(expected);
  });

  it('but for one of its addresses: our network carries', () => {
    expect(judge([answered])).toBe('counts');
  });
});

describe('a gateway that was dead before', () => {
  it.each([
    ['for a minute: they failed at once', 60, 'all 2 gateways failed at once: taken for our own network'],
    ['for just less than ten minutes', 599, 'all 2 gateways failed at once: taken for our own network'],
    ['for ten minutes: the other is on its own, and others answered', 600, 'counts'],
    ['for a day', 86_400, 'counts'],
  ])('%s', (_situation, seconds, expected) => {
    expect(judge([deadFor(seconds), silent], EVERYBODY)).toBe(expected);
  });

  it('B1: is no witness against our network either', () => {
    expect(judge([deadFor(86_400), silent])).toBe(SILENCE);
    expect(judge([deadFor(86_400), deadFor(86_400)])).toBe(SILENCE);
  });

  it('leaves the rule for the other two', () => {
    expect(judge([deadFor(86_400), silent, silent], EVERYBODY)).toBe(
      'all 2 gateways failed at once: taken for our own network',
    );
    expect(judge([deadFor(86_400), silent, answered])).toBe('counts');
  });

  it('and answers now, proves our network', () => {
    expect(judge([{ answered: true, deadSince: 0 }, silent])).toBe('counts');
  });
});

describe('the verdict on one gateway', () => {
  const died = DEAD[IP]?.since;
  it('knows when it died before this run', () => {
    expect(died).toBe(240);
  });

  it.each([
    ['no probe', {}, NO_LIVENESS, undefined],
    ['nothing that could be asked', { [IP]: [NO_PROBE, NO_PROBE] }, DEAD, undefined],
    ['an answer', { [IP]: OK }, NO_LIVENESS, answered],
    ['an answer after failures', { [IP]: [FAIL, FAIL, OK] }, NO_LIVENESS, answered],
    ['an answer of one of two', { [IP]: FAIL, [OTHER]: OK }, NO_LIVENESS, answered],
    ['failures', { [IP]: [FAIL, FAIL] }, NO_LIVENESS, silent],
    ['failures of one, no word of the other', { [IP]: FAIL, [OTHER]: NO_PROBE }, NO_LIVENESS, silent],
    ['failures of a dead one', { [IP]: FAIL }, DEAD, { answered: false, deadSince: 240 }],
    [
      'failures of a dead one, no word of the other',
      { [IP]: FAIL, [OTHER]: NO_PROBE },
      DEAD,
      { answered: false, deadSince: 240 },
    ],
    ['failures of a dead one and of another', { [IP]: FAIL, [OTHER]: FAIL }, DEAD, silent],
    ['an answer of a dead one', { [IP]: OK }, DEAD, { answered: true, deadSince: 240 }],
  ])('%s', (_situation, results, liveness, expected) => {
    expect(verdictOf(resultsOf(results), liveness)).toEqual(expected);
  });
});
