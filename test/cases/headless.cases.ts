// Cases of the life of a headless mirror (D1 to D6, D9, D12), and what a namespace that comes and goes does to it (I2).
import { describe, expect, it } from 'vitest';
import { aNamespace } from '../support/builders.ts';
import { type Lab, refusalsOf } from '../support/lab.ts';
import { finishNamespace } from '../support/leftovers.ts';
import {
  aHeadless,
  aPodSlice,
  arrangeDb,
  everything,
  expectQuiet,
  mirrorDb,
  mirrorOf,
  ordinals,
  PG,
  podMade,
  podRemoved,
  pods,
  ROOT_LISTED,
  scale,
  setExported,
} from './headless.ts';
import { clusterIPsIn, mirrorsIn } from './seen.ts';
import { arrangeTarget, changeTarget, expectInSync, gatewayAt, type LabHandle, sorted } from './suite.ts';

const MADE = ['POST Service shop/db-west', 'POST Endpoints shop/db-west'];

/** `db` in both namespaces, with one pod and with two. */
const arrangeTwo = (lab: Lab): Promise<void> =>
  arrangeTarget(
    lab,
    (
      [
        ['shop', 1],
        ['other', 2],
      ] as const
    ).flatMap(([namespace, count]) => [
      ['Service', aHeadless({ namespace })] as const,
      ['EndpointSlice', aPodSlice(ordinals(count), { namespace })] as const,
    ]),
    gatewayAt('203.0.113.10'),
  );

export const headlessCases = (handle: LabHandle): void => {
  describe('headless', () => {
    it('D1: from two pods to three and down to one; pods that stay keep their ClusterIPs', async () => {
      const { lab } = handle;
      const cold = await mirrorDb(lab);
      expect(cold.report.refusals).toEqual([]);
      expect(sorted(cold.writes)).toEqual(sorted([...MADE, ...podMade('db-0'), ...podMade('db-1')]));
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0', 'db-1'));
      const two = await clusterIPsIn(lab.source);
      await scale(lab, ordinals(3));
      expect((await lab.sync()).writes).toEqual([...podMade('db-2'), ROOT_LISTED]);
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0', 'db-1', 'db-2'));
      expect(await clusterIPsIn(lab.source)).toMatchObject(two);
      await scale(lab, ordinals(1));
      const down = (await lab.sync()).writes;
      expect(down[0]).toBe(ROOT_LISTED);
      expect(sorted(down)).toEqual(sorted([ROOT_LISTED, ...podRemoved('db-1'), ...podRemoved('db-2')]));
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0'));
      expect((await clusterIPsIn(lab.source))['db-0-west']).toBe(two['db-0-west']);
      await expectInSync(lab);
    });

    it('D2: exported long after its pods began, it is mirrored from the pods that are there', async () => {
      const { lab } = handle;
      await arrangeDb(lab, ordinals(2), aHeadless({ labels: {} }));
      expect((await lab.sync()).writes).toEqual([]);
      await setExported(lab, true);
      await lab.syncLater(86_400);
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0', 'db-1'));
      await expectInSync(lab);
    });

    const ends = [
      { order: 'the label goes, then a pod', isLabelFirst: true, isSeenBetween: true },
      { order: 'the label goes, then a pod, before any run', isLabelFirst: true, isSeenBetween: false },
      { order: 'a pod goes, then the label', isLabelFirst: false, isSeenBetween: true },
      { order: 'a pod goes, then the label, before any run', isLabelFirst: false, isSeenBetween: false },
    ];
    it.each(ends)(
      'D3: nothing is left and nothing comes back: $order',
      async ({ isLabelFirst, isSeenBetween }) => {
        const { lab } = handle;
        await mirrorDb(lab);
        const steps = [() => setExported(lab, false), () => scale(lab, ordinals(1))];
        for (const step of isLabelFirst ? steps : steps.toReversed()) {
          await step();
          if (isSeenBetween) await lab.sync();
        }
        await lab.sync();
        expect(await everything(lab)).toEqual([]);
        await scale(lab, ordinals(3));
        expect((await lab.sync()).writes).toEqual([]);
        expect(await everything(lab)).toEqual([]);
      },
    );

    it('D4: while nothing changes nothing is written, although the target has no Service db-0', async () => {
      const { lab } = handle;
      await mirrorDb(lab);
      const before = await everything(lab);
      expect(before).toHaveLength(6);
      await expectQuiet(lab);
      expect(await everything(lab)).toEqual(before);
      expect(await lab.target.read('Service', 'shop', 'db-0')).toBeUndefined();
      await lab.source.remove('Endpoints', 'shop', 'db-0-west');
      expect((await lab.sync()).writes).toEqual(['POST Endpoints shop/db-0-west']); // and what is missing is seen
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0', 'db-1'));
    });

    it('D5: a fresh process that remembers nothing finds everything in place: no delete, no write', async () => {
      const { lab } = handle;
      await mirrorDb(lab);
      const before = await everything(lab);
      lab.forget();
      const run = await lab.syncLater(3600);
      expect(run.writes).toEqual([]);
      expect(run.report.changes).toEqual([]);
      expect(await everything(lab)).toEqual(before);
    });

    it('D6: what happens to a Service of the same name in another namespace touches no object here', async () => {
      const { lab } = handle;
      await arrangeTwo(lab);
      await lab.sync();
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0'));
      expect(await mirrorsIn(lab.source, 'other')).toEqual(mirrorOf('db-0', 'db-1'));
      const untouched = await everything(lab, 'other');
      const steps = [
        () => scale(lab, ordinals(3)),
        () => scale(lab, pods('db-7')),
        () => scale(lab, []),
        () => changeTarget(lab, 'db', { spec: { ports: [{ ...PG, port: 5433 }] } }),
        () => lab.target.remove('Service', 'shop', 'db'),
      ];
      for (const step of steps) {
        await step();
        const { writes } = await lab.sync();
        expect(writes).not.toEqual([]);
        expect(writes.filter((write) => write.includes(' other/'))).toEqual([]);
      }
      expect(await everything(lab)).toEqual([]);
      expect(await everything(lab, 'other')).toEqual(untouched);
    });

    it('D9: another port stands on root, endpoint mirrors and the list of the root; towards the gateway its port stays', async () => {
      const { lab } = handle;
      await mirrorDb(lab);
      const before = await clusterIPsIn(lab.source);
      await changeTarget(lab, 'db', { spec: { ports: [{ ...PG, port: 5433, targetPort: 5433 }] } });
      await lab.target.patch('EndpointSlice', 'shop', 'db-abcde', {
        ports: [{ name: 'pg', port: 5433, protocol: 'TCP' }],
      });
      const { writes } = await lab.sync();
      expect(sorted(writes)).toEqual([
        'PATCH Endpoints shop/db-west',
        'PATCH Service shop/db-0-west',
        'PATCH Service shop/db-1-west',
        'PATCH Service shop/db-west',
      ]);
      expect(await mirrorsIn(lab.source)).toEqual([
        'db-0-west pg:5433 of db-west → 203.0.113.10 at pg:4143',
        'db-1-west pg:5433 of db-west → 203.0.113.10 at pg:4143',
        'db-west pg:5433 headless → db-0=db-0-west, db-1=db-1-west at pg:5433',
      ]);
      expect(await clusterIPsIn(lab.source)).toEqual(before);
      await expectInSync(lab);
    });

    it('D9: another name of the port reaches every list', async () => {
      const { lab } = handle;
      await mirrorDb(lab);
      await changeTarget(lab, 'db', { spec: { ports: [{ ...PG, name: 'sql' }] } });
      await lab.target.patch('EndpointSlice', 'shop', 'db-abcde', {
        ports: [{ name: 'sql', port: 5432, protocol: 'TCP' }],
      });
      await lab.sync();
      expect(await mirrorsIn(lab.source)).toEqual([
        'db-0-west sql:5432 of db-west → 203.0.113.10 at sql:4143',
        'db-1-west sql:5432 of db-west → 203.0.113.10 at sql:4143',
        'db-west sql:5432 headless → db-0=db-0-west, db-1=db-1-west at sql:5432',
      ]);
      await expectInSync(lab);
    });

    it('G6: the application protocol of a port is on root and endpoint mirrors, and follows a change', async () => {
      const { lab } = handle;
      await mirrorDb(lab, ordinals(1), aHeadless({ ports: [{ ...PG, appProtocol: 'kubernetes.io/wss' }] }));
      expect(await mirrorsIn(lab.source)).toEqual([
        'db-0-west pg:5432:kubernetes.io/wss of db-west → 203.0.113.10 at pg:4143',
        'db-west pg:5432:kubernetes.io/wss headless → db-0=db-0-west at pg:5432',
      ]);
      const metrics = { name: 'metrics', port: 9187, targetPort: 'metrics', protocol: 'TCP' };
      await changeTarget(lab, 'db', { spec: { ports: [{ ...PG, appProtocol: 'tcp' }, metrics] } });
      await lab.sync();
      for (const name of ['db-west', 'db-0-west'])
        expect((await lab.source.read('Service', 'shop', name))?.['spec'].ports).toEqual([
          { ...PG, appProtocol: 'tcp' },
          metrics,
        ]);
      await expectInSync(lab);
    });
  });

  describe('headless, and its namespace', () => {
    const arrangeLate = async (lab: Lab): Promise<void> => {
      await lab.target.create('Namespace', aNamespace('late'));
      await arrangeTarget(
        lab,
        [
          ['Service', aHeadless({ namespace: 'late' })],
          ['EndpointSlice', aPodSlice(ordinals(2), { namespace: 'late' })],
        ],
        gatewayAt('203.0.113.10'),
      );
    };

    it('D12: when the namespace is made, root and endpoint mirrors are there at once', async () => {
      const { lab } = handle;
      await arrangeLate(lab);
      const waiting = await lab.sync();
      expect(refusalsOf(waiting)).toEqual(['MissingNamespace late/db']);
      expect(waiting.writes).toEqual([]);
      await lab.source.create('Namespace', aNamespace('late'));
      const run = await lab.sync();
      expect(run.report.refusals).toEqual([]);
      expect(await mirrorsIn(lab.source, 'late')).toEqual(mirrorOf('db-0', 'db-1'));
      await expectInSync(lab);
    });

    it('I2: while the namespace ends nothing is tried; made anew, it has root and endpoint mirrors again', async () => {
      const { lab } = handle;
      await arrangeLate(lab);
      await lab.source.create('Namespace', aNamespace('late'));
      await lab.sync();
      await lab.source.remove('Namespace', '', 'late');
      await lab.source.remove('Endpoints', 'late', 'db-0-west');
      await lab.source.remove('Service', 'late', 'db-1-west');
      const ending = await lab.sync();
      expect(refusalsOf(ending)).toEqual(['MissingNamespace late/db']);
      expect(ending.writes).toEqual([]);
      await finishNamespace(lab.source, 'late');
      await lab.source.create('Namespace', aNamespace('late'));
      const run = await lab.sync();
      expect(run.report.refusals).toEqual([]);
      expect(await mirrorsIn(lab.source, 'late')).toEqual(mirrorOf('db-0', 'db-1'));
      await expectInSync(lab);
    });
  });
};
