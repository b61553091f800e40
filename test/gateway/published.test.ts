// What a remembered state publishes by itself, and since when.
import { describe, expect, it } from 'vitest';
import { publishedBy, resolvedBy, stamped } from '../../lib/gateway/published.ts';
import { found, last, NAME, RESOLVED, shown, step } from './support.ts';

const dead = { state: 'dead', failures: 3, since: 60, lastProbeAt: 60 } as const;

describe('what a state publishes', () => {
  it('is what its step published', () => {
    const result = last(
      { state: RESOLVED },
      { now: 60, answers: { [NAME]: found(['10.0.0.1', '10.0.0.9']) } },
    );
    expect(resolvedBy(result.state)).toStrictEqual(result.addresses);
    expect(shown(result.addresses)).toStrictEqual(['10.0.0.1', '10.0.0.2 draining', '10.0.0.9']);
  });

  it('holds literals without any name', () => {
    expect(shown(resolvedBy(step({ literals: ['10.0.0.9'] }).state))).toStrictEqual(['10.0.0.9']);
  });

  it('has dead addresses down, and leaves them to the gateway mirror', () => {
    const state = { ...RESOLVED, liveness: { '10.0.0.1': dead } };
    expect(shown(publishedBy(state))).toStrictEqual(['10.0.0.1 down', '10.0.0.2']);
    expect(shown(resolvedBy(state))).toStrictEqual(['10.0.0.1', '10.0.0.2']);
  });
});

describe('since when', () => {
  const first = stamped(undefined, RESOLVED, 5);

  it('the first set is new as a whole', () => {
    expect(first.published).toStrictEqual({ changedAt: 5, since: { '10.0.0.1': 5, '10.0.0.2': 5 } });
  });

  it('a step that changes nothing of it leaves the state as it is', () => {
    const { state } = step({ state: first, now: 60, answers: { [NAME]: found(['10.0.0.1', '10.0.0.2']) } });
    expect(stamped(first, state, 60)).toBe(state);
    expect(state.published).toStrictEqual(first.published);
  });

  it('only addresses that changed are newer', () => {
    const after = { ...first, liveness: { '10.0.0.1': dead } };
    expect(stamped(first, after, 60).published).toStrictEqual({
      changedAt: 60,
      since: { '10.0.0.1': 60, '10.0.0.2': 5 },
    });
  });

  it('nothing is said of what was there before anybody looked', () => {
    const after = { ...RESOLVED, liveness: { '10.0.0.1': dead } };
    expect(stamped(RESOLVED, after, 60).published).toStrictEqual({
      changedAt: 60,
      since: { '10.0.0.1': 60 },
    });
  });
});
