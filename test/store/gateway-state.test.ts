// Stored gateway state of other versions: what the first one wrote is read forward, what is not understood is never "nothing".
import { describe, expect, it } from 'vitest';
import { StateError } from '../../lib/errors.ts';
import { gatewayStateFrom } from '../../lib/store/gateway-state.ts';

/** As the first version wrote it: before liveness, filter rules, refused addresses and the ends of negative answers were kept. */
const FIRST = {
  schema: 1,
  targetUid: 'uid',
  identity: 'gw.id',
  literals: {},
  records: [
    {
      hostname: 'gw.example.test',
      family: 'IPv4',
      state: 'FRESH',
      addresses: { '203.0.113.10': { state: 'ready', misses: 0, returns: [], streak: 1 } },
      failCount: 0,
      negCount: 0,
      returnEvents: [],
      nextCheckAt: 160,
      lastGoodAt: 100,
      expiresAt: 160,
      copyExpiry: 160,
    },
  ],
};

describe('stored gateway state', () => {
  it('of the first version is read forward, whole', () => {
    expect(gatewayStateFrom(FIRST, 'here')).toEqual(FIRST);
  });

  it('of a version that adds fields is read without them', () => {
    expect(gatewayStateFrom({ ...FIRST, later: true }, 'here')).toEqual(FIRST);
  });

  it.each([
    ['another schema', { ...FIRST, schema: 2 }],
    ['a record that is cut', { ...FIRST, records: [{ hostname: 'gw.example.test' }] }],
    ['no object', 'x'],
    ['nothing at all', undefined],
  ])('with %s is an error, not "nothing is known"', (_what, stored) => {
    expect(() => gatewayStateFrom(stored, 'here')).toThrow(StateError);
  });
});
