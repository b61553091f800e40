// What every NameStore must do, run on each of them.
import { describe, expect, it } from 'vitest';
import { newRecord } from '../../lib/gateway/record.ts';
import type { NameState } from '../../lib/model/names.ts';
import type { NameStore } from '../../lib/ports.ts';

const HOST = 'gw.example.test';

const aName = (given: Partial<NameState> = {}): NameState => ({
  schema: 1,
  record: {
    ...newRecord(HOST, 'IPv4', 100),
    addresses: { '10.0.0.1': { state: 'ready', misses: 0, returns: [], streak: 1 } },
  },
  nextCheckAt: 100,
  links: ['west'],
  quiet: true,
  ...given,
});

/** @param open an empty store; opened again it holds the same */
export const nameStoreContract = (
  title: string,
  open: () => Promise<{ store: NameStore; other: NameStore }>,
): void => {
  describe(`NameStore: ${title}`, () => {
    it('gives back what was saved, by hostname and family', async () => {
      const { store, other } = await open();
      expect(await store.get(HOST, 'IPv4')).toBeUndefined();
      expect(await store.save(aName(), 0)).toBe(true);
      expect(await other.get(HOST, 'IPv4')).toEqual({ value: aName(), version: 1 });
      expect(await other.get(HOST, 'IPv6')).toBeUndefined();
      expect(await other.list()).toEqual([aName()]);
    });

    it('saves only over the version that was read', async () => {
      const { store, other } = await open();
      await store.save(aName(), 0);
      expect(await other.save(aName({ quiet: false }), 0)).toBe(false);
      expect(await other.save(aName({ quiet: false }), 1)).toBe(true);
      expect(await store.save(aName({ links: [] }), 1)).toBe(false);
      expect((await store.get(HOST, 'IPv4'))?.value.quiet).toBe(false);
    });

    it('gives the right to ask to one, when the name is due', async () => {
      const { store, other } = await open();
      expect(await store.claim(HOST, 'IPv4', { now: 500, until: 530 })).toBeUndefined();
      await store.save(aName(), 0);
      expect(await store.claim(HOST, 'IPv4', { now: 99.5, until: 130 })).toBeUndefined();
      const both = await Promise.all([
        store.claim(HOST, 'IPv4', { now: 100, until: 130 }),
        other.claim(HOST, 'IPv4', { now: 100, until: 130 }),
      ]);
      expect(both.filter((claimed) => claimed !== undefined)).toEqual([
        { value: aName({ nextCheckAt: 130 }), version: 2 },
      ]);
      expect(await store.save(aName({ nextCheckAt: 160 }), 1)).toBe(false);
      expect(await store.save(aName({ nextCheckAt: 160 }), 2)).toBe(true);
    });

    it('gives it anew when the claim has ended', async () => {
      const { store, other } = await open();
      await store.save(aName(), 0);
      await store.claim(HOST, 'IPv4', { now: 100, until: 130 });
      expect(await other.claim(HOST, 'IPv4', { now: 131, until: 161 })).toMatchObject({ version: 3 });
    });

    it('forgets a name only as it was read', async () => {
      const { store } = await open();
      await store.save(aName(), 0);
      await store.remove(HOST, 'IPv4', 7);
      expect(await store.get(HOST, 'IPv4')).toBeDefined();
      await store.remove(HOST, 'IPv4', 1);
      expect(await store.get(HOST, 'IPv4')).toBeUndefined();
      expect(await store.list()).toEqual([]);
    });
  });
};
