// Lists, lost answers, users, and what is counted.
import { describe, expect, it } from 'vitest';
import type { Cluster } from '../../../lib/ports.ts';
import { testClock } from '../../support/clock.ts';
import { statusAnswer, type WireRequest } from '../../support/wire.ts';
import { MANIFESTS } from './manifests.ts';
import type { Stage } from './stage.ts';

export function requests(stage: Stage): void {
  describe('lists', () => {
    const seven = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const fill = async (): Promise<void> => {
      for (const name of seven) await stage.create('Endpoints', name);
    };
    const names = async (lister: Cluster): Promise<readonly string[]> =>
      (await lister.list('Endpoints', { namespace: stage.shop })).map(({ meta }) => meta.name);

    it('are read page by page', async () => {
      await fill();
      const lister = stage.open({ pageSize: 3 });
      expect(await names(lister)).toEqual(seven);
      expect(lister.requests().reads).toBe(3);
      expect(await names(stage.open({ pageSize: 7 }))).toEqual(seven);
    });

    it('begin anew when their position has expired', async () => {
      await fill();
      stage.wire.add({ on: isNextPage, times: 2, action: statusAnswer(410, 'Expired', 'too old') });
      expect(await names(stage.open({ pageSize: 3 }))).toEqual(seven);
      stage.wire.add({ on: isNextPage, action: statusAnswer(410, 'Expired', 'too old') });
      await expect(names(stage.open({ pageSize: 3 }))).rejects.toMatchObject({ kind: 'gone' });
    });

    it.each(['cut', 'lost'] as const)('E8: are never shorter because a page was %s', async (action) => {
      await fill();
      stage.wire.add({ on: isNextPage, action });
      await expect(names(stage.open({ pageSize: 3 }))).rejects.toMatchObject({ kind: 'unreachable' });
      stage.wire.clear();
      expect(await names(stage.open({ pageSize: 3 }))).toEqual(seven);
    });
  });

  describe('answers that are lost', () => {
    it('a write may have been done, and is not sent again', async () => {
      stage.wire.add({ on: ({ method }) => method === 'POST', action: 'lost' });
      await expect(stage.create('Service', 'web')).rejects.toMatchObject({ kind: 'unreachable' });
      stage.wire.clear();
      expect((await stage.cluster.get('Service', stage.shop, 'web'))?.meta.name).toBe('web');
      expect(
        stage.wire.requests.filter((request) => request.includes(`/${stage.shop}/services?`)),
      ).toHaveLength(1);
    });

    it('a read is sent once more', async () => {
      await stage.create('Service', 'web');
      stage.wire.add({ on: ({ method }) => method === 'GET', times: 1, action: 'lost' });
      expect((await stage.cluster.get('Service', stage.shop, 'web'))?.meta.name).toBe('web');
      stage.wire.add({ on: ({ method }) => method === 'GET', action: 'lost' });
      await expect(stage.cluster.get('Service', stage.shop, 'web')).rejects.toMatchObject({
        kind: 'unreachable',
      });
    });
  });

  describe('who asks', () => {
    it('J2: a token that the server does not know', async () => {
      const stranger = stage.open({}, 'no-such-token');
      await expect(stranger.list('Service')).rejects.toMatchObject({ kind: 'denied', status: 401 });
    });

    it('J2: a user who may not', async () => {
      const nobody = stage.open({}, stage.world.nobodyToken);
      await expect(nobody.list('Service')).rejects.toMatchObject({
        kind: 'denied',
        status: 403,
        reason: 'Forbidden',
      });
      await expect(nobody.get('Service', stage.shop, 'web')).rejects.toMatchObject({ kind: 'denied' });
      await expect(nobody.create('Service', stage.shop, MANIFESTS.Service('web'))).rejects.toMatchObject({
        kind: 'denied',
      });
    });
  });

  describe('bookkeeping', () => {
    it("tells the server's time, carried forward by the local clock", async () => {
      const clock = testClock(0);
      const dated = stage.open({ clock });
      expect(dated.now()).toBe(0);
      const { createdAt } = (await dated.create('Endpoints', stage.shop, MANIFESTS.Endpoints('web'))).meta;
      // Both are whole seconds of the same clock, taken one after the other.
      expect(dated.now() - createdAt).toBeGreaterThanOrEqual(0);
      expect(dated.now() - createdAt).toBeLessThan(60_000);
      const before = dated.now();
      clock.advance(90);
      expect(dated.now()).toBe(before + 90_000);
    });

    it('counts what was sent, Leases apart, and what came', async () => {
      expect(stage.cluster.requests()).toEqual({ reads: 0, writes: 0, leases: 0, bytes: 0 });
      await stage.create('Endpoints', 'web');
      await stage.cluster.get('Endpoints', stage.shop, 'web');
      await stage.cluster.list('Endpoints');
      await stage.create('Lease', 'lease');
      await stage.cluster.get('Lease', stage.shop, 'lease');
      await expect(stage.create('Endpoints', 'web')).rejects.toMatchObject({ kind: 'exists' });
      const { bytes, ...counts } = stage.cluster.requests();
      expect(counts).toEqual({ reads: 2, writes: 2, leases: 2 });
      expect(bytes).toBeGreaterThan(1_000);
    });
  });
}
const isNextPage = ({ method, query }: WireRequest): boolean => method === 'GET' && query.has('continue');
