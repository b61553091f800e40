// What every GatewayStore must do, run on each of them.
import { describe, expect, it } from 'vitest';
import type { GatewayRecord, GatewayState } from '../../lib/model/gateway.ts';
import type { GatewayStore } from '../../lib/ports.ts';

/** A record with every field; a field added to the type must be added here, and then be stored. */
const RECORD: Required<GatewayRecord> = {
  hostname: 'gw-1.elb.eu-west-1.amazonaws.com',
  family: 'IPv4',
  state: 'STALE',
  addresses: {
    '10.0.0.1': { state: 'ready', misses: 0, returns: [], streak: 3 },
    '10.0.0.2': {
      state: 'draining',
      misses: 1,
      missingSince: 1_700_000_060,
      returns: [1_700_000_000],
      streak: 0,
    },
  },
  lastGoodAt: 1_700_000_001,
  expiresAt: 1_700_000_061,
  copyExpiry: 1_700_000_062.5,
  failCount: 2,
  failSince: 1_700_000_070,
  negCount: 1,
  negSince: 1_700_000_080,
  negExpiry: 1_700_000_140,
  returnEvents: [{ at: 1_700_000_000, addresses: ['10.0.0.2'] }],
  rotatingUntil: 1_700_003_600,
  nextCheckAt: 1_700_000_090,
  lastError: 'timeout',
  refused: [{ address: '169.254.169.254', why: 'link-local' }],
  departedAt: 1_700_000_100,
};

/** A state with every field. */
export const FULL_STATE: Required<GatewayState> = {
  schema: 1,
  targetUid: '6f1c2c1e-0000-4000-8000-000000000001',
  identity: 'gateway.example',
  liveness: {
    '10.0.0.1': {
      state: 'dead',
      failures: 3,
      since: 1_700_000_000,
      lastProbeAt: 1_700_000_009,
      lastWhy: 'timeout',
    },
  },
  probe: { port: 4191, path: '/ready', timeout: 5, anyAnswer: true },
  guarded: { allowedCIDRs: ['203.0.113.0/24'], serviceRanges: ['10.96.0.0/16'], apiServers: ['10.0.1.9'] },
  records: [RECORD],
  literals: { '10.0.0.9': {}, 'fd00::9': { departedAt: 1_700_000_110 } },
  zones: { '10.0.0.1': 'eu-central-1a' },
  published: { changedAt: 1_700_000_120, since: { '10.0.0.1': 1_700_000_120 } },
};

export const EMPTY_STATE: GatewayState = { schema: 1, records: [], literals: {} };

/** @param open a store that holds nothing; two calls of `reopen` of one open see the same memory */
export function gatewayStoreContract(
  name: string,
  open: () => Promise<{ reopen: () => GatewayStore }>,
): void {
  describe(`${name} keeps to the GatewayStore contract`, () => {
    it('holds nothing at first', async () => {
      const store = (await open()).reopen();
      expect(await store.load('west')).toBeUndefined();
    });

    it('gives back every field of what was saved, with version 1', async () => {
      const { reopen } = await open();
      expect(await reopen().save('west', FULL_STATE, 0)).toBe(true);
      expect(await reopen().load('west')).toStrictEqual({ value: FULL_STATE, version: 1 });
    });

    it('counts the version up with each save', async () => {
      const { reopen } = await open();
      await reopen().save('west', EMPTY_STATE, 0);
      expect(await reopen().save('west', FULL_STATE, 1)).toBe(true);
      expect(await reopen().load('west')).toStrictEqual({ value: FULL_STATE, version: 2 });
    });

    it.each([
      ['nothing is stored but a version was expected', 0, 1],
      ['something is stored but nothing was expected', 1, 0],
      ['somebody else saved in between', 2, 1],
    ])('refuses a save when %s, and changes nothing', async (_, savesBefore, expected) => {
      const { reopen } = await open();
      const store = reopen();
      for (let version = 0; version < savesBefore; version += 1)
        await store.save('west', EMPTY_STATE, version);
      const before = await store.load('west');

      expect(await reopen().save('west', FULL_STATE, expected)).toBe(false);
      expect(await reopen().load('west')).toStrictEqual(before);
    });

    it('lets one of two saves on the same version win', async () => {
      const { reopen } = await open();
      const store = reopen();
      const saves = await Promise.all([
        store.save('west', FULL_STATE, 0),
        store.save('west', EMPTY_STATE, 0),
      ]);
      expect(saves.filter((isSaved) => isSaved)).toHaveLength(1);
      expect((await store.load('west'))?.version).toBe(1);
    });

    it('keeps links apart', async () => {
      const { reopen } = await open();
      const store = reopen();
      await Promise.all([store.save('west', FULL_STATE, 0), store.save('east', EMPTY_STATE, 0)]);
      expect(await reopen().load('west')).toStrictEqual({ value: FULL_STATE, version: 1 });
      expect(await reopen().load('east')).toStrictEqual({ value: EMPTY_STATE, version: 1 });
      expect(await reopen().load('north')).toBeUndefined();
    });

    it('does not change with the object that was saved or loaded', async () => {
      const { reopen } = await open();
      const store = reopen();
      const mine = { ...EMPTY_STATE, identity: 'gateway.example' };
      await store.save('west', mine, 0);
      mine.identity = 'changed';
      const loaded = await store.load('west');
      Object.assign(loaded?.value ?? {}, { identity: 'changed too' });
      expect((await store.load('west'))?.value.identity).toBe('gateway.example');
    });
  });
}
