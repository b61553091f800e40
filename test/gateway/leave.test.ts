// Names and addresses that leave the status of the gateway.
import { describe, expect, it } from 'vitest';
import { EMPTY_GATEWAY_STATE } from '../../lib/model/gateway.ts';
import { gatewayOf } from '../../lib/gateway/gateway-link.ts';
import { rememberedNames, stepGateway } from '../../lib/gateway/state.ts';
import {
  KEY,
  NAME,
  OTHER_NAME,
  RESOLVED,
  aLink,
  aStep,
  found,
  frozen,
  last,
  nothing,
  shown,
  step,
  steps,
  unknown,
} from './support.ts';

describe('the leave rule', () => {
  const gone = { hostnames: [] };

  it('A6: a name leaves at once when the new one has an address', () => {
    const { addresses, state } = step({
      state: RESOLVED,
      now: 60,
      hostnames: [OTHER_NAME],
      answers: { [OTHER_NAME]: found(['198.51.100.5']) },
    });
    expect(shown(addresses)).toEqual(['198.51.100.5']);
    expect(state.records.map(({ hostname }) => hostname)).toEqual([OTHER_NAME]);
  });

  it('A6: a literal address is as good as a name', () => {
    const { addresses } = step({ state: RESOLVED, now: 60, literals: ['198.51.100.5'] });
    expect(shown(addresses)).toEqual(['198.51.100.5']);
  });

  it('a literal address of a family that is not used is no replacement', () => {
    const { addresses } = step({ state: RESOLVED, now: 60, literals: ['2001:db8::1'] });
    expect(shown(addresses)).toEqual(['10.0.0.1', '10.0.0.2']);
  });

  it('takes along the records of a family that is no longer used', () => {
    const answers = { [`${NAME}|IPv4`]: found(['10.0.0.1']), [`${NAME}|IPv6`]: found(['2001:db8::1']) };
    const { state } = last({ families: ['IPv4', 'IPv6'], answers }, { ...gone, now: 60 });
    expect(state.records.map(({ family }) => family)).toEqual(['IPv4']);
  });

  it('and nothing is said of a name that left', () => {
    const stale = step({ state: RESOLVED, now: 60, answers: { [NAME]: unknown() } });
    expect(stale.refusals).toHaveLength(1);
    expect(step({ ...gone, state: stale.state, now: 70, declared: stale.refusals }).refusals).toEqual([]);
  });

  it('a new name whose only answer is refused is no replacement', () => {
    const { addresses } = step({
      state: RESOLVED,
      now: 60,
      hostnames: [OTHER_NAME],
      answers: { [OTHER_NAME]: found(['127.0.0.1']) },
    });
    expect(shown(addresses)).toEqual(['10.0.0.1', '10.0.0.2']);
  });

  it.each([
    ['no name at all', gone],
    ['a name that is not there yet', { hostnames: [OTHER_NAME], answers: { [OTHER_NAME]: nothing() } }],
  ])('with %s the old addresses stay for 600 s, as the last resort', (_title, parts) => {
    const first = step({ state: RESOLVED, now: 60, ...parts });
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
    expect(end?.addresses).toEqual([]);
    expect(end?.state).toEqual(EMPTY_GATEWAY_STATE);
  });

  it('a name that comes back goes on where it was', () => {
    const { state, addresses } = last({ state: RESOLVED, now: 60, ...gone }, { now: 120 });
    expect(shown(addresses)).toEqual(['10.0.0.1', '10.0.0.2']);
    expect(state).toEqual(RESOLVED);
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
    const { state } = step({ state: RESOLVED, now: 60, ...gone, answers: { [NAME]: found(['10.9.9.9']) } });
    expect(Object.keys(state.records[0]?.addresses ?? {})).toEqual(['10.0.0.1', '10.0.0.2']);
  });

  it('B7: while the target cannot be reached, the remembered names go on', () => {
    const { state } = step({
      state: RESOLVED,
      now: 60,
      hostnames: [OTHER_NAME],
      literals: [],
      answers: { [OTHER_NAME]: unknown() },
    });
    expect(rememberedNames(frozen(state), gatewayOf(aLink({ gateway: { port: 1234 } })))).toEqual({
      key: KEY,
      hostnames: [OTHER_NAME],
      literals: [],
      createdAt: undefined,
      refusals: [],
    });
    const { declaration } = { declaration: rememberedNames(RESOLVED, KEY) };
    const after = stepGateway({ ...aStep({ state: RESOLVED, now: 10_000 }), declaration });
    expect(after).toMatchObject({ changed: false, stateChanged: false });
    const literal = step({ literals: ['10.0.0.1'] }).state;
    expect(rememberedNames(literal, KEY)).toMatchObject({ hostnames: [], literals: ['10.0.0.1'] });
  });
});
