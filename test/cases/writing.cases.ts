// Writes that fail, are refused, or whose answers are lost (K2), through the whole reconcile.
import { describe, expect, it } from 'vitest';
import { aService, aSlice } from '../support/builders.ts';
import { endpointsOf, type Lab, refusalsOf, slicesOf } from '../support/lab.ts';
import { at, statusAnswer, type Wire } from '../support/wire.ts';
import {
  arrangeTarget,
  changeTarget,
  expectInSync,
  gatewayAt,
  type LabHandle,
  mirrorWeb,
  resultsOf,
  setPods,
  setTier,
  sorted,
  standing,
  tierOf,
  UNEXPORT,
  WEB,
} from './suite.ts';

const FILLED = { ready: ['203.0.113.10'], notReady: [], ports: ['http:4143'] };
const EMPTY = { ready: [], notReady: [], ports: [] };
const AWAY = statusAnswer(500, 'InternalError', 'etcd is away');

const addressesOf = async (lab: Lab, name: string) => endpointsOf(lab.source, { namespace: 'shop', name });

/** In the next run: a delete (`gone`), a create (`fresh`) and an emptiness change (`web`). */
const arrangeThreeChanges = async (lab: Lab): Promise<void> => {
  const gone = [
    ['Service', aService({ name: 'gone' })],
    ['EndpointSlice', aSlice({ service: 'gone' })],
  ] as const;
  await arrangeTarget(lab, [...WEB, ...gone], gatewayAt('203.0.113.10'));
  await lab.sync();
  await changeTarget(lab, 'gone', UNEXPORT);
  await setPods(lab, []);
  await lab.target.create('Service', aService({ name: 'fresh' }));
  await lab.target.create('EndpointSlice', aSlice({ service: 'fresh' }));
};

const expectConverged = async (lab: Lab): Promise<void> => {
  expect(await addressesOf(lab, 'fresh-west')).toEqual(FILLED);
  expect(await addressesOf(lab, 'web-west')).toEqual(EMPTY);
  const names = (await lab.source.list('Service', 'shop')).map(({ metadata }) => metadata.name);
  expect(names).toEqual(['fresh-west', 'web-west']);
  expect((await lab.source.list('Endpoints', 'shop')).map(({ metadata }) => metadata.name)).toEqual(names);
  await expectInSync(lab);
};

/** The source's API answers 500 for five seconds of the run's own clock. */
const beAwayForFiveSeconds = (lab: Lab, wire: Wire, path: RegExp): void => {
  const end = lab.clock.now() + 5000;
  wire.add({
    on: (request) => lab.clock.now() < end && path.test(`${request.method} ${request.path}`),
    action: AWAY,
  });
};

export const writingCases = (handle: LabHandle): void => {
  describe('an API server that is away for a while', () => {
    it('K2: five seconds of 500 in the middle of a run are outlasted: create, delete and emptiness', async () => {
      const { lab } = handle;
      await arrangeThreeChanges(lab);
      const wire = await lab.wire('source');
      beAwayForFiveSeconds(lab, wire, /^(POST|PATCH|DELETE) \/api\/v1\//);
      const run = await lab.sync();
      expect(sorted(resultsOf(run))).toEqual([
        'create Endpoints fresh-west: applied',
        'create Service fresh-west: applied',
        'delete Endpoints gone-west: applied',
        'delete Service gone-west: applied',
        'update Endpoints web-west: applied',
      ]);
      expect(lab.clock.slept.length).toBeGreaterThan(3);
      expect(run.writes.length).toBeLessThanOrEqual(5 + lab.clock.slept.length);
      await expectConverged(lab);
    });

    it('K2: a run that begins while it is away decides nothing, and the next one after it does everything', async () => {
      const { lab } = handle;
      await arrangeThreeChanges(lab);
      const wire = await lab.wire('source');
      beAwayForFiveSeconds(lab, wire, /./);
      const away = await lab.sync();
      expect(away.report.unobserved.map(({ what }) => what)).toContain('source Namespaces');
      expect(away.writes).toEqual([]);
      expect(await addressesOf(lab, 'web-west')).toEqual(FILLED);
      lab.clock.advance(60);
      expect((await lab.sync()).writes).toHaveLength(5);
      await expectConverged(lab);
    });

    it('K2: one that stays away is given up after a bounded number of tries, and all is made later', async () => {
      const { lab } = handle;
      await arrangeThreeChanges(lab);
      const wire = await lab.wire('source');
      wire.add({ on: ({ method, path }) => method !== 'GET' && path.startsWith('/api/v1/'), action: AWAY });
      const run = await lab.sync();
      expect(new Set(run.report.outcomes?.map(({ result }) => result))).toEqual(
        new Set(['failed', 'skipped']),
      );
      expect(run.writes.length).toBeLessThanOrEqual(3 * 6);
      expect(await addressesOf(lab, 'gone-west')).toEqual(FILLED);
      wire.clear();
      await lab.sync();
      await expectConverged(lab);
    });

    it('K2: a Lease that cannot be taken for that reason stops the run, and only that run', async () => {
      const { lab } = handle;
      await arrangeThreeChanges(lab);
      const wire = await lab.wire('source');
      wire.add({ on: ({ method, path }) => method !== 'GET' && path.includes('/leases'), action: AWAY });
      const run = await lab.sync();
      expect(refusalsOf(run)).toEqual(['Error linkerd-multicluster/west']);
      expect(run.writes).toEqual([]);
      expect(await addressesOf(lab, 'web-west')).toEqual(FILLED);
      wire.clear();
      await lab.sync();
      await expectConverged(lab);
    });

    it('a wait that it asks for is kept, unless it is longer than a run should last', async () => {
      const { lab } = handle;
      await mirrorWeb(lab);
      const wire = await lab.wire('source');
      const busy = (seconds: string) => ({
        status: 429,
        body: { kind: 'Status', status: 'Failure', message: 'too many requests', code: 429 },
        headers: { 'retry-after': seconds },
      });
      wire.add({ on: at('PATCH', '/services/web-west'), times: 1, action: busy('3') });
      await setTier(lab, 'a');
      expect(resultsOf(await lab.sync())).toEqual([
        'update Service web-west: applied',
        'update Endpoints web-west: applied',
      ]);
      expect(lab.clock.slept).toEqual([3000]);
      expect(await tierOf(lab)).toBe('a');
      wire.add({ on: at('PATCH', '/services/web-west'), times: 1, action: busy('120') });
      await setTier(lab, 'b');
      const left = await lab.sync();
      expect(resultsOf(left)).toContain('update Service web-west: failed');
      expect(lab.clock.slept).toEqual([3000]);
      await lab.sync();
      expect(await tierOf(lab)).toBe('b');
    });
  });

  describe('what the API will not take', () => {
    it('one object that is refused is told with the reason of the API, and holds up no other', async () => {
      const { lab } = handle;
      await arrangeThreeChanges(lab);
      const wire = await lab.wire('source');
      const why = 'Service "fresh-west" is invalid: spec.ports: too many';
      wire.add({ on: at('POST', '/services'), action: statusAnswer(422, 'Invalid', why) });
      const run = await lab.sync();
      expect(run.report.refusals).toEqual([
        {
          namespace: 'shop',
          name: 'fresh-west',
          reason: 'InvalidService',
          message: `Service shop/fresh-west: ${why}`,
        },
      ]);
      expect(run.writes.filter((write) => write.startsWith('POST'))).toEqual([
        'POST Service shop/fresh-west',
      ]);
      expect(await addressesOf(lab, 'web-west')).toEqual(EMPTY);
      expect(await lab.source.read('Service', 'shop', 'gone-west')).toBeUndefined();
      wire.clear();
      await lab.sync();
      await expectConverged(lab);
    });

    it('a full range of ClusterIPs is a refusal at once: trying again cannot help', async () => {
      const { lab } = handle;
      await arrangeTarget(lab, WEB, gatewayAt('203.0.113.10'));
      const wire = await lab.wire('source');
      const full = 'failed to allocate IP 0.0.0.0: range is full';
      wire.add({ on: at('POST', '/services'), action: statusAnswer(500, 'InternalError', full) });
      const run = await lab.sync();
      expect(refusalsOf(run)).toEqual(['Error shop/web-west']);
      expect(run.report.refusals[0]?.message).toContain('range is full');
      expect(run.writes).toEqual(['POST Service shop/web-west']);
      expect(lab.clock.slept).toEqual([]);
      wire.clear();
      await lab.sync();
      expect(await endpointsOf(lab.source)).toEqual(FILLED);
    });
  });

  describe('answers that are lost after the request was carried out', () => {
    it('of a create: it is found made, by us, and nothing is made twice', async () => {
      const { lab } = handle;
      await arrangeTarget(lab, WEB, gatewayAt('203.0.113.10'));
      const wire = await lab.wire('source');
      wire.add({ on: at('POST', '/services'), times: 1, action: 'lost' });
      wire.add({ on: at('POST', '/endpoints'), times: 1, action: 'lost' });
      const run = await lab.sync();
      expect(run.report.refusals).toEqual([]);
      expect(new Set(run.report.outcomes?.map(({ result }) => result))).toEqual(new Set(['applied']));
      expect(run.writes).toEqual([
        'POST Service shop/web-west',
        'POST Service shop/web-west',
        'POST Endpoints shop/web-west',
        'POST Endpoints shop/web-west',
      ]);
      expect(await endpointsOf(lab.source)).toEqual(FILLED);
      expect(await lab.source.list('Service', 'shop')).toHaveLength(1);
      await expectInSync(lab);
    });

    it('of the create of a slice, whose owner was made in the same run', async () => {
      const { lab } = handle;
      lab.setLink({ endpoints: 'endpointslices' });
      await arrangeTarget(lab, WEB, gatewayAt('203.0.113.10'));
      const wire = await lab.wire('source');
      wire.add({ on: at('POST', '/services'), times: 1, action: 'lost' });
      wire.add({ on: at('POST', '/endpointslices'), times: 1, action: 'lost' });
      const run = await lab.sync();
      expect(new Set(run.report.outcomes?.map(({ result }) => result))).toEqual(new Set(['applied']));
      const { uid } = (await standing(lab, 'Service', 'web-west')).metadata;
      expect((await slicesOf(lab.source)).map(({ metadata }) => metadata.ownerReferences?.[0]?.uid)).toEqual([
        uid,
      ]);
      await expectInSync(lab);
    });

    it('of an update: it is found done', async () => {
      const { lab } = handle;
      await mirrorWeb(lab);
      await setTier(lab, 'a');
      const wire = await lab.wire('source');
      wire.add({ on: at('PATCH', '/services/web-west'), times: 1, action: 'lost' });
      const run = await lab.sync();
      expect(new Set(resultsOf(run))).toEqual(
        new Set(['update Service web-west: applied', 'update Endpoints web-west: applied']),
      );
      expect(run.report.refusals).toEqual([]);
      expect([await tierOf(lab), await tierOf(lab, 'Endpoints')]).toEqual(['a', 'a']);
      await expectInSync(lab);
    });

    it('of a delete: it is found gone', async () => {
      const { lab } = handle;
      await mirrorWeb(lab);
      await changeTarget(lab, 'web', UNEXPORT);
      const wire = await lab.wire('source');
      wire.add({ on: at('DELETE', '/endpoints/web-west'), times: 1, action: 'lost' });
      wire.add({ on: at('DELETE', '/services/web-west'), times: 1, action: 'lost' });
      const run = await lab.sync();
      expect(resultsOf(run)).toEqual([
        'delete Endpoints web-west: applied',
        'delete Service web-west: applied',
      ]);
      expect(await lab.source.list('Service', 'shop')).toEqual([]);
      expect(await lab.source.list('Endpoints', 'shop')).toEqual([]);
      await expectInSync(lab);
    });

    it('a connection that ends before the request arrives is as good as none: it is sent again', async () => {
      const { lab } = handle;
      await arrangeTarget(lab, WEB, gatewayAt('203.0.113.10'));
      const wire = await lab.wire('source');
      wire.add({ on: at('POST', '/services'), times: 2, action: 'refused' });
      const run = await lab.sync();
      expect(run.writes).toEqual([
        'POST Service shop/web-west',
        'POST Service shop/web-west',
        'POST Service shop/web-west',
        'POST Endpoints shop/web-west',
      ]);
      expect(await endpointsOf(lab.source)).toEqual(FILLED);
    });
  });
};
