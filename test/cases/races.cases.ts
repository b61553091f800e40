// Runs that meet somebody else at work: newer runs, users, a target that moves on (K3), through the whole reconcile.
import { describe, expect, it } from 'vitest';
import { aMirror, aMirrorEndpoints, EXPORTED } from '../support/builders.ts';
import { endpointsOf, openLab, refusalsOf } from '../support/lab.ts';
import { statusAnswer } from '../support/wire.ts';
import {
  arrangeTarget,
  changeTarget,
  expectInSync,
  gatewayAt,
  type LabHandle,
  mirrorWeb,
  resultsOf,
  setTier,
  standing,
  swapTarget,
  tierOf,
  UNEXPORT,
  WEB,
} from './suite.ts';

const FILLED = { ready: ['203.0.113.10'], notReady: [], ports: ['http:4143'] };
const USERS_OWN = { labels: { app: 'users' }, annotations: {} };
const AWAY = statusAnswer(500, 'InternalError', 'etcd is away');

export const raceCases = (handle: LabHandle): void => {
  describe('an older decision after a newer one', () => {
    it('K3: what a run could not write is not written later, when the Service has moved on', async () => {
      const { lab } = handle;
      await mirrorWeb(lab);
      await setTier(lab, 'v1');
      lab.sourceFaults.add({ on: 'PATCH Service', fail: { kind: 'busy', when: 'before' } });
      expect((await lab.sync()).report.outcomes?.[0]?.result).toBe('failed');
      expect(await tierOf(lab)).toBeUndefined();
      lab.sourceFaults.clear();
      await setTier(lab, 'v2');
      expect((await lab.sync()).writes).toEqual([
        'PATCH Service shop/web-west',
        'PATCH Endpoints shop/web-west',
      ]);
      expect([await tierOf(lab), await tierOf(lab, 'Endpoints')]).toEqual(['v2', 'v2']);
      await expectInSync(lab);
      expect(await tierOf(lab)).toBe('v2');
    });

    it('K3: a run that was overtaken by a newer one ends with what the target says now', async () => {
      const { lab } = handle;
      lab.setLink({ namespace: 'nowhere' }); // no place for a Lease: only preconditions keep the two apart
      await mirrorWeb(lab);
      const newer = openLab(lab.servers);
      newer.setLink({ namespace: 'nowhere' });
      await setTier(lab, 'v1');
      lab.sourceFaults.add({
        on: 'PATCH Service shop/web-west',
        times: 1,
        hook: async () => {
          await setTier(lab, 'v2');
          await newer.sync();
        },
      });
      const run = await lab.sync();
      expect(resultsOf(run)).toEqual([
        'update Service web-west: applied',
        'update Endpoints web-west: applied',
      ]);
      expect([await tierOf(lab), await tierOf(lab, 'Endpoints')]).toEqual(['v2', 'v2']);
      await expectInSync(lab);
      await newer.close();
    });

    it("K3: neither does it bring back the gateway's former address", async () => {
      const { lab } = handle;
      lab.setLink({ namespace: 'nowhere' });
      await mirrorWeb(lab);
      const newer = openLab(lab.servers);
      newer.setLink({ namespace: 'nowhere' });
      const moveTo = (ip: string) =>
        lab.target.patchStatus('Service', 'linkerd-multicluster', 'linkerd-gateway', {
          loadBalancer: { ingress: [{ ip }] },
        });
      await moveTo('203.0.113.11');
      lab.sourceFaults.add({
        on: 'PATCH Endpoints shop/web-west',
        times: 1,
        hook: async () => {
          await moveTo('203.0.113.12');
          await newer.sync();
        },
      });
      await lab.sync();
      expect((await endpointsOf(lab.source))?.ready).toEqual(['203.0.113.12']);
      await expectInSync(lab);
      await newer.close();
    });

    it('K3: nor does it delete a mirror that a newer run has made anew', async () => {
      const { lab } = handle;
      lab.setLink({ namespace: 'nowhere' });
      await mirrorWeb(lab);
      const newer = openLab(lab.servers);
      newer.setLink({ namespace: 'nowhere' });
      await changeTarget(lab, 'web', UNEXPORT);
      lab.sourceFaults.add({
        on: 'DELETE Endpoints shop/web-west',
        times: 1,
        hook: async () => {
          await changeTarget(lab, 'web', { metadata: { labels: { ...EXPORTED, tier: 'v2' } } });
          await newer.sync();
        },
      });
      await lab.sync();
      expect(await tierOf(lab)).toBe('v2');
      expect(await endpointsOf(lab.source)).toEqual(FILLED);
      await expectInSync(lab);
      await newer.close();
    });
  });

  describe('a target that moves on while somebody else is in the way', () => {
    it('a mirror that has to go only since then is left to the next run, whose brake counts it', async () => {
      const { lab } = handle;
      await mirrorWeb(lab);
      await setTier(lab, 'v1');
      lab.sourceFaults.add({
        on: 'PATCH Service shop/web-west',
        times: 1,
        hook: async () => {
          await changeTarget(lab, 'web', UNEXPORT);
          await lab.source.patch('Service', 'shop', 'web-west', { metadata: { annotations: { note: 'x' } } });
        },
      });
      expect((await lab.sync()).writes).toEqual([
        'PATCH Service shop/web-west',
        'PATCH Endpoints shop/web-west',
      ]);
      expect(await tierOf(lab)).toBeUndefined();
      expect((await lab.sync()).writes).toEqual([
        'DELETE Endpoints shop/web-west',
        'DELETE Service shop/web-west',
      ]);
      expect(await lab.source.list('Service', 'shop')).toEqual([]);
    });

    it('another cluster in its place is no evidence for going on with a delete', async () => {
      const { lab } = handle;
      await mirrorWeb(lab);
      await changeTarget(lab, 'web', UNEXPORT);
      const wire = await lab.wire('target');
      lab.sourceFaults.add({
        on: 'DELETE Endpoints shop/web-west',
        times: 1,
        hook: async () => {
          swapTarget(wire);
          await lab.source.patch('Endpoints', 'shop', 'web-west', {
            metadata: { annotations: { note: 'x' } },
          });
        },
      });
      const run = await lab.sync();
      expect(run.writes).toEqual(['DELETE Endpoints shop/web-west']);
      expect(resultsOf(run)).toEqual([
        'delete Endpoints web-west: failed',
        'delete Service web-west: skipped',
      ]);
      expect(await endpointsOf(lab.source)).toEqual(FILLED);
      wire.clear();
      expect((await lab.sync()).writes).toEqual([
        'DELETE Endpoints shop/web-west',
        'DELETE Service shop/web-west',
      ]);
      expect(await lab.source.list('Service', 'shop')).toEqual([]);
    });

    it('a target that cannot be read again leaves the conflict to the next run', async () => {
      const { lab } = handle;
      await mirrorWeb(lab);
      await setTier(lab, 'v1');
      const wire = await lab.wire('target');
      lab.sourceFaults.add({
        on: 'PATCH Service shop/web-west',
        times: 1,
        hook: async () => {
          wire.add({ on: () => true, action: AWAY });
          await lab.source.patch('Service', 'shop', 'web-west', { metadata: { annotations: { note: 'x' } } });
        },
      });
      expect(resultsOf(await lab.sync())).toEqual([
        'update Service web-west: failed',
        'update Endpoints web-west: applied',
      ]);
      wire.clear();
      expect((await lab.sync()).writes).toEqual(['PATCH Service shop/web-west']);
      expect(await tierOf(lab)).toBe('v1');
      await expectInSync(lab);
    });
  });

  describe('somebody else between our look and our write', () => {
    it('a Service that appears at the name is not overwritten, and no Endpoints are put under it', async () => {
      const { lab } = handle;
      await arrangeTarget(lab, WEB, gatewayAt('203.0.113.10'));
      lab.sourceFaults.add({
        on: 'POST Service shop/web-west',
        times: 1,
        hook: () => lab.source.create('Service', aMirror(USERS_OWN)),
      });
      const run = await lab.sync();
      expect(run.writes).toEqual(['POST Service shop/web-west']);
      expect(refusalsOf(run)).toEqual(['NotOwned shop/web']);
      expect(resultsOf(run)).toEqual([
        'create Service web-west: skipped',
        'create Endpoints web-west: skipped',
      ]);
      expect((await standing(lab, 'Service', 'web-west')).metadata.labels).toEqual({ app: 'users' });
      expect(await endpointsOf(lab.source)).toBeUndefined();
      await expectInSync(lab);
    });

    it('Endpoints that appear at the name are not overwritten', async () => {
      const { lab } = handle;
      await arrangeTarget(lab, WEB, gatewayAt('203.0.113.10'));
      lab.sourceFaults.add({
        on: 'POST Endpoints shop/web-west',
        times: 1,
        hook: () => lab.source.create('Endpoints', aMirrorEndpoints({ ...USERS_OWN, ready: ['192.0.2.1'] })),
      });
      const run = await lab.sync();
      expect(run.writes).toEqual(['POST Service shop/web-west', 'POST Endpoints shop/web-west']);
      expect(refusalsOf(run)).toEqual(['NotOwned shop/web']);
      expect((await endpointsOf(lab.source))?.ready).toEqual(['192.0.2.1']);
      expect((await standing(lab, 'Endpoints', 'web-west')).metadata.labels).toEqual({ app: 'users' });
      await expectInSync(lab);
    });

    it('a mirror that a user takes for their own before our update is left alone', async () => {
      const { lab } = handle;
      await mirrorWeb(lab);
      await setTier(lab, 'a');
      lab.sourceFaults.add({
        on: 'PATCH Service shop/web-west',
        times: 1,
        hook: () =>
          lab.source.patch('Service', 'shop', 'web-west', {
            metadata: { labels: { 'mirror.linkerd.io/mirrored-service': null } },
          }),
      });
      const run = await lab.sync();
      expect(run.writes).toEqual(['PATCH Service shop/web-west', 'PATCH Endpoints shop/web-west']);
      expect(refusalsOf(run)).toEqual(['NotOwned shop/web']);
      expect(await tierOf(lab)).toBeUndefined();
      await expectInSync(lab);
    });

    it('a mirror that a user takes for their own before our delete stays', async () => {
      const { lab } = handle;
      await mirrorWeb(lab);
      await changeTarget(lab, 'web', UNEXPORT);
      lab.sourceFaults.add({
        on: 'DELETE Service shop/web-west',
        times: 1,
        hook: () =>
          lab.source.patch('Service', 'shop', 'web-west', {
            metadata: { labels: { 'mirror.linkerd.io/cluster-name': null } },
          }),
      });
      const run = await lab.sync();
      expect(run.writes).toEqual(['DELETE Endpoints shop/web-west', 'DELETE Service shop/web-west']);
      expect((await standing(lab, 'Service', 'web-west')).metadata.labels).toEqual({
        'mirror.linkerd.io/mirrored-service': 'true',
      });
      await expectInSync(lab);
    });

    it('a mirror that somebody deletes before our update is made anew in the same run', async () => {
      const { lab } = handle;
      await mirrorWeb(lab);
      await setTier(lab, 'a');
      lab.sourceFaults.add({
        on: 'PATCH Service shop/web-west',
        times: 1,
        hook: () => lab.source.remove('Service', 'shop', 'web-west'),
      });
      const run = await lab.sync();
      expect(run.writes.slice(-2)).toEqual(['POST Service shop/web-west', 'POST Endpoints shop/web-west']);
      expect(await tierOf(lab)).toBe('a');
      expect(await endpointsOf(lab.source)).toEqual(FILLED);
      await expectInSync(lab);
    });
  });
};
