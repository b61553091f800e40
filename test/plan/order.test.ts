// The order in which changes start.
import { describe, expect, it } from 'vitest';
import type { Change, WrittenKind } from '../../lib/model/plan.ts';
import { inOrder } from '../../lib/plan/order.ts';

const change = (action: Change['action'], mirror: string, kind: WrittenKind = 'Service'): Change => {
  const base = {
    kind,
    namespace: kind === 'Namespace' ? '' : 'shop',
    name: mirror,
    mirror: { namespace: kind === 'Namespace' ? '' : 'shop', name: mirror },
    needsEarlier: false,
    reasons: [],
  };
  const seen = { uid: 'u', resourceVersion: '1' };
  if (action === 'create') return { ...base, action, body: {} };
  return action === 'update' ? { ...base, action, patch: {}, ...seen } : { ...base, action, ...seen };
};

const shown = (changes: readonly Change[]): readonly string[] =>
  inOrder(changes).map(({ action, kind, name }) => `${action} ${kind} ${name}`);

describe('inOrder', () => {
  it('K1: namespaces, mirrors that gain objects, mirrors that change, mirrors that only lose', () => {
    expect(
      shown([
        change('delete', 'd'),
        change('update', 'c'),
        change('create', 'b'),
        change('create', 'new-ns', 'Namespace'),
      ]),
    ).toEqual(['create Namespace new-ns', 'create Service b', 'update Service c', 'delete Service d']);
  });

  it("a mirror's changes stand together in the order in which they were planned, at the rank of the first kind", () => {
    expect(
      shown([
        change('update', 'a'),
        change('update', 'z'),
        change('create', 'z', 'EndpointSlice'),
        change('delete', 'z', 'Endpoints'),
      ]),
    ).toEqual(['update Service z', 'create EndpointSlice z', 'delete Endpoints z', 'update Service a']);
  });

  it('inside of a rank mirrors are sorted by name', () => {
    expect(shown([change('create', 'b'), change('create', 'a'), change('create', 'B')])).toEqual([
      'create Service B',
      'create Service a',
      'create Service b',
    ]);
  });
});
