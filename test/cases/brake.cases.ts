// The brake on deletes, and runs that are asked for a part of the link only, through the whole reconcile.
import { describe, expect, it } from 'vitest';
import type { ReconcileOptions } from '../../lib/reconcile.ts';
import { aMirror, aMirrorEndpoints, aService, aSlice, EXPORTED } from '../support/builders.ts';
import { endpointsOf, type Lab, refusalsOf } from '../support/lab.ts';
import {
  arrangeTarget,
  changeTarget,
  expectInSync,
  gatewayAt,
  type LabHandle,
  sorted,
  UNEXPORT,
} from './suite.ts';

const namesOf = (count: number): readonly string[] =>
  Array.from({ length: count }, (_unused, index) => `web-${10 + index}`);

const exportServices = async (lab: Lab, names: readonly string[], namespace = 'shop'): Promise<void> => {
  for (const name of names) {
    await lab.target.create('Service', aService({ name, namespace }));
    await lab.target.create('EndpointSlice', aSlice({ service: name, namespace }));
  }
};

/** So many mirrors in sync, of which the Services of the first few are unexported. */
const arrangeDoomed = async (
  lab: Lab,
  { total, doomed }: { total: number; doomed: number },
): Promise<void> => {
  await lab.target.create('Service', gatewayAt('203.0.113.10'));
  await exportServices(lab, namesOf(total));
  await lab.sync();
  for (const name of namesOf(doomed)) await changeTarget(lab, name, UNEXPORT);
};

const mirrorsIn = async (lab: Lab, namespace = 'shop'): Promise<readonly string[]> =>
  (await lab.source.list('Service', namespace)).map(({ metadata }) => metadata.name);

const mirrorNames = (names: readonly string[]): readonly string[] => names.map((name) => `${name}-west`);

/** An object of a headless mirror that Linkerd's controller made: the root, or one of its pods. */
const HEADLESS = {
  'mirror.linkerd.io/mirrored-service': 'true',
  'mirror.linkerd.io/cluster-name': 'west',
};
const PER_POD = { ...HEADLESS, 'mirror.linkerd.io/headless-mirror-svc-name': 'db-west' };

export const brakeCases = (handle: LabHandle): void => {
  describe('deletes of many mirrors', () => {
    it('are all held back by the default brake, in words, while creates and updates go on', async () => {
      const { lab } = handle;
      await arrangeDoomed(lab, { total: 13, doomed: 11 });
      await changeTarget(lab, 'web-21', { metadata: { labels: { tier: 'a' } } });
      await exportServices(lab, ['fresh']);
      const run = await lab.sync();
      expect(run.report.refusals).toEqual([
        {
          namespace: '',
          name: 'west',
          reason: 'DeleteBrake',
          message:
            'would delete 11 of 13 mirrors (shop/web-10-west, shop/web-11-west, shop/web-12-west, shop/web-13-west, shop/web-14-west, …), deleteBrake allows 20 % or 10 in one run; nothing was deleted, force deletes if this is meant',
        },
      ]);
      expect(sorted(run.writes)).toEqual([
        'PATCH Endpoints shop/web-21-west',
        'PATCH Service shop/web-21-west',
        'POST Endpoints shop/fresh-west',
        'POST Service shop/fresh-west',
      ]);
      expect(await mirrorsIn(lab)).toEqual(mirrorNames(['fresh', ...namesOf(13)]));
      expect((await endpointsOf(lab.source, { namespace: 'shop', name: 'web-10-west' }))?.ready).toEqual([
        '203.0.113.10',
      ]);
      const again = await lab.sync();
      expect([again.writes, refusalsOf(again)]).toEqual([[], ['DeleteBrake /west']]);
    });

    it('are made when they are forced', async () => {
      const { lab } = handle;
      await arrangeDoomed(lab, { total: 13, doomed: 11 });
      const run = await lab.sync({ forceDeletes: true });
      expect(run.report.refusals).toEqual([]);
      expect(run.writes).toHaveLength(22);
      expect(await mirrorsIn(lab)).toEqual(mirrorNames(namesOf(13).slice(11)));
      await expectInSync(lab);
    });

    it.each([
      { deleteBrake: { percent: 50, atLeast: 2 }, total: 7, doomed: 3, held: false }, // 43 %
      { deleteBrake: { percent: 50, atLeast: 2 }, total: 7, doomed: 4, held: true }, // 57 %, more than 2
      { deleteBrake: { percent: 50, atLeast: 4 }, total: 7, doomed: 4, held: false }, // 57 %, not more than 4
      { deleteBrake: { percent: 50, atLeast: 2 }, total: 6, doomed: 3, held: false }, // 50 %, not more than that
      { deleteBrake: { percent: 50, atLeast: 2 }, total: 2, doomed: 2, held: false }, // all, but only 2
      { deleteBrake: { percent: 0, atLeast: 0 }, total: 3, doomed: 1, held: true },
      { deleteBrake: { percent: 100, atLeast: 0 }, total: 3, doomed: 3, held: false },
    ])(
      'are held back only when both limits are passed: $doomed of $total with $deleteBrake → held: $held',
      async ({ deleteBrake, total, doomed, held }) => {
        const { lab } = handle;
        lab.setLink({ deleteBrake });
        await arrangeDoomed(lab, { total, doomed });
        const run = await lab.sync();
        expect(refusalsOf(run)).toEqual(held ? ['DeleteBrake /west'] : []);
        expect(await mirrorsIn(lab)).toEqual(mirrorNames(namesOf(total).slice(held ? 0 : doomed)));
      },
    );

    it('count exported Services: all the objects of one StatefulSet are one', async () => {
      const { lab } = handle;
      lab.setLink({ deleteBrake: { percent: 0, atLeast: 1 } });
      await lab.target.create('Service', gatewayAt('203.0.113.10'));
      await lab.source.create(
        'Service',
        aMirror({ name: 'db-west', labels: HEADLESS, spec: { clusterIP: 'None' } }),
      );
      for (const name of ['db-0-west', 'db-1-west', 'db-2-west']) {
        await lab.source.create('Service', aMirror({ name, labels: PER_POD }));
        await lab.source.create('Endpoints', aMirrorEndpoints({ name, labels: PER_POD }));
      }
      const run = await lab.sync();
      expect(run.report.refusals).toEqual([]);
      expect(run.writes).toHaveLength(7);
      expect(await mirrorsIn(lab)).toEqual([]);
      expect(await lab.source.list('Endpoints', 'shop')).toEqual([]);
    });

    it("count, as their whole, this link's mirrors and nobody else's", async () => {
      const { lab } = handle;
      lab.setLink({ deleteBrake: { percent: 50, atLeast: 1 } });
      await arrangeDoomed(lab, { total: 3, doomed: 2 });
      for (const name of ['a-east', 'b-east', 'c-east'])
        await lab.source.create('Service', aMirror({ name, link: 'east' }));
      expect(refusalsOf(await lab.sync())).toEqual(['DeleteBrake /west']);
      expect(await mirrorsIn(lab)).toHaveLength(6);
      await changeTarget(lab, 'web-10', { metadata: { labels: EXPORTED } });
      expect((await lab.sync()).writes).toEqual([
        'DELETE Endpoints shop/web-11-west',
        'DELETE Service shop/web-11-west',
      ]);
      expect(await mirrorsIn(lab)).toEqual(['a-east', 'b-east', 'c-east', 'web-10-west', 'web-12-west']);
    });
  });

  describe('a run for a part of the link', () => {
    /** In both namespaces: one mirror to change and one to delete; in shop one to create. */
    const arrangeParts = async (lab: Lab): Promise<void> => {
      await lab.target.create('Service', gatewayAt('203.0.113.10'));
      for (const namespace of ['other', 'shop']) await exportServices(lab, ['gone', 'web'], namespace);
      await lab.sync();
      for (const namespace of ['other', 'shop']) {
        await lab.target.patch('Service', namespace, 'gone', UNEXPORT);
        await lab.target.patch('Service', namespace, 'web', { metadata: { annotations: { note: 'x' } } });
      }
      await exportServices(lab, ['fresh']);
    };
    const ALL = [
      'DELETE Endpoints other/gone-west',
      'DELETE Endpoints shop/gone-west',
      'DELETE Service other/gone-west',
      'DELETE Service shop/gone-west',
      'PATCH Service other/web-west',
      'PATCH Service shop/web-west',
      'POST Endpoints shop/fresh-west',
      'POST Service shop/fresh-west',
    ];

    const PARTS: readonly (readonly [Partial<ReconcileOptions>, readonly string[]])[] = [
      [{ namespaces: ['other'] }, ALL.filter((write) => write.includes(' other/'))],
      [{ namespaces: ['other', 'shop'] }, ALL],
      [{ namespaces: ['nowhere'] }, []],
      [{ namespaces: [], services: [] }, ALL],
      [{ services: [{ namespace: 'shop', name: 'web' }] }, ['PATCH Service shop/web-west']],
      [
        {
          services: [
            { namespace: 'shop', name: 'gone' },
            { namespace: 'shop', name: 'fresh' },
          ],
        },
        ALL.filter((write) => /shop\/(gone|fresh)/.test(write)),
      ],
      [{ namespaces: ['other'], services: [{ namespace: 'shop', name: 'web' }] }, []],
    ];

    it.each(PARTS)('touches only that part: %j', async (options, writes) => {
      const { lab } = handle;
      await arrangeParts(lab);
      expect(sorted((await lab.sync(options)).writes)).toEqual(writes);
      const rest = ALL.filter((write) => !writes.includes(write));
      expect(sorted((await lab.sync()).writes)).toEqual(rest);
      expect(await mirrorsIn(lab)).toEqual(['fresh-west', 'web-west']);
      await expectInSync(lab);
    });

    it('holds its deletes back by what it would delete itself, and explains the Services it was asked for', async () => {
      const { lab } = handle;
      lab.setLink({ deleteBrake: { percent: 0, atLeast: 1 } });
      await arrangeDoomed(lab, { total: 4, doomed: 3 });
      const services = [{ namespace: 'shop', name: 'web-10' }];
      const run = await lab.sync({ services });
      expect(run.report.refusals).toEqual([]);
      expect(run.writes).toEqual(['DELETE Endpoints shop/web-10-west', 'DELETE Service shop/web-10-west']);
      expect(run.report.explanations).toEqual([
        {
          service: services[0],
          lines: [
            'not exported: its labels {} match neither selector {"mirror.linkerd.io/exported":"true"} nor remoteDiscoverySelector {"mirror.linkerd.io/exported":"remote-discovery"}',
            '- Endpoints shop/web-10-west: its Service is no longer exported',
            '- Service shop/web-10-west: its Service is no longer exported',
          ],
        },
      ]);
      expect(await mirrorsIn(lab)).toEqual(mirrorNames(namesOf(4).slice(1)));
      expect(refusalsOf(await lab.sync())).toEqual(['DeleteBrake /west']);
    });
  });

  describe('a run that must not write', () => {
    it('plans and leaves both clusters and the memory as they are', async () => {
      const { lab } = handle;
      await arrangeTarget(lab, [['Service', aService()]], gatewayAt('203.0.113.10'));
      const run = await lab.plan();
      expect(run.report.changes.map(({ action, kind }) => `${action} ${kind}`)).toEqual([
        'create Service',
        'create Endpoints',
      ]);
      expect(run.report.outcomes).toBeUndefined();
      expect(run.writes).toEqual([]);
      expect(await mirrorsIn(lab)).toEqual([]);
      expect(await lab.source.list('Lease', 'linkerd-multicluster')).toEqual([]);
      expect(await lab.store.load('west')).toBeUndefined();
    });

    it('starts nothing after its deadline, or when it was stopped', async () => {
      const { lab } = handle;
      await arrangeTarget(lab, [['Service', aService()]], gatewayAt('203.0.113.10'));
      const late = await lab.sync({ deadline: lab.clock.now() });
      const stopped = await lab.sync({ signal: AbortSignal.abort() });
      for (const run of [late, stopped]) {
        expect(run.report.outcomes?.map(({ result }) => result)).toEqual(['skipped', 'skipped']);
        expect(run.writes).toEqual([]);
      }
      expect(await mirrorsIn(lab)).toEqual([]);
      expect((await lab.sync({ deadline: lab.clock.now() + 60_000 })).writes).toHaveLength(2);
      expect(await mirrorsIn(lab)).toEqual(['web-west']);
    });
  });
};
