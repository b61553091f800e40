// Cases of which shape the mirror of a headless Service has, and of its way from one to another (D7, D13 to D16).
import { describe, expect, it } from 'vitest';
import { REMOTE_DISCOVERY } from '../support/builders.ts';
import { type Lab, refusalsOf } from '../support/lab.ts';
import {
  aHeadless,
  everything,
  mirrorDb,
  mirrorOf,
  nameless,
  ordinals,
  podMade,
  podRemoved,
  replaceDb,
  ROOT_LISTED,
  scale,
  setExported,
  unready,
} from './headless.ts';
import { clusterIPsIn, mirrorsIn, type Seen } from './seen.ts';
import { changeTarget, expectInSync, type LabHandle, sorted } from './suite.ts';
import { watch } from './watcher.ts';

const PLAIN = ['db-west pg:5432 → 203.0.113.10 at pg:4143'];
const MADE = ['POST Service shop/db-west', 'POST Endpoints shop/db-west'];
const REMOVED = ['DELETE Endpoints shop/db-west', 'DELETE Service shop/db-west'];

const ANOTHER_SHAPE = aHeadless({ spec: { clusterIP: '' } });

const lostIP = async (lab: Lab): Promise<string> => (await clusterIPsIn(lab.source))['db-west'] ?? 'none';

/** Lists without a Service, and Services without a list, at any moment that was looked at. */
const countWithoutList = (looks: readonly Seen[]): number =>
  looks.filter((seen) => [...seen.values()].some(({ list }) => list === undefined)).length;

export const headlessShapeCases = (handle: LabHandle): void => {
  describe('pods without a hostname', () => {
    it('D7: a headless Service whose pods have none is one ClusterIP with the gateway behind it', async () => {
      const { lab } = handle;
      const run = await mirrorDb(lab, nameless(ordinals(2)));
      expect(run.report.refusals).toEqual([]);
      expect(run.writes).toEqual(MADE);
      expect(await mirrorsIn(lab.source)).toEqual(PLAIN);
      await expectInSync(lab);
    });

    it('D7: where some have one, these are in the root, and the number of the others is reported', async () => {
      const { lab } = handle;
      const [first, ...others] = ordinals(3);
      const run = await mirrorDb(lab, [...(first === undefined ? [] : [first]), ...nameless(others)]);
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0'));
      expect(run.report.refusals).toEqual([
        {
          namespace: 'shop',
          name: 'db',
          reason: 'InvalidService',
          message: '2 of 3 pods have no hostname, so they have no endpoint mirror and are not in the root',
        },
      ]);
      await scale(lab, ordinals(3));
      const named = await lab.sync();
      expect(named.report.refusals).toEqual([]);
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0', 'db-1', 'db-2'));
      await expectInSync(lab);
    });

    it('a link that mirrors no Service pod by pod has one ClusterIP for it; switched to and fro in one run each', async () => {
      const { lab } = handle;
      lab.setLink({ headless: false });
      expect((await mirrorDb(lab)).report.refusals).toEqual([]);
      expect(await mirrorsIn(lab.source)).toEqual(PLAIN);
      lab.setLink({ headless: true });
      await lab.sync();
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0', 'db-1'));
      await expectInSync(lab);
      lab.setLink({ headless: false });
      await lab.sync();
      expect(await mirrorsIn(lab.source)).toEqual(PLAIN);
      await expectInSync(lab);
    });
  });

  describe('no pods', () => {
    it('D13: exported without any address there is nothing, and nothing is left when the export ends', async () => {
      const { lab } = handle;
      const run = await mirrorDb(lab, []);
      expect(run.writes).toEqual([]);
      expect(run.report.refusals).toEqual([]);
      await setExported(lab, false);
      expect((await lab.sync()).writes).toEqual([]);
      expect(await everything(lab)).toEqual([]);
    });

    it('D13: the first pod makes the mirror; the last that goes leaves an empty root, and the end of the export nothing', async () => {
      const { lab } = handle;
      await mirrorDb(lab, []);
      const watcher = await watch(lab);
      await scale(lab, ordinals(1));
      expect(sorted((await lab.sync()).writes)).toEqual(sorted([...MADE, ...podMade('db-0')]));
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0'));
      await scale(lab, []);
      expect((await lab.sync()).writes).toEqual([ROOT_LISTED, ...podRemoved('db-0')]);
      expect(await mirrorsIn(lab.source)).toEqual(['db-west pg:5432 headless → nobody']);
      await expectInSync(lab);
      await setExported(lab, false);
      expect((await lab.sync()).writes).toEqual(REMOVED);
      expect(await everything(lab)).toEqual([]);
      expect(watcher.faults()).toEqual([]);
      expect(watcher.looks).toHaveLength(10);
      expect(countWithoutList(watcher.looks)).toBeGreaterThan(0); // the watcher does see halves of a mirror
    });

    it('D13: a ClusterIP mirror whose Service becomes headless without pods stays as it is, empty', async () => {
      const { lab } = handle;
      await mirrorDb(lab, ordinals(1), ANOTHER_SHAPE);
      const ip = await lostIP(lab);
      await replaceDb(lab, aHeadless(), []);
      expect((await lab.sync()).writes).toEqual([ROOT_LISTED]);
      expect(await mirrorsIn(lab.source)).toEqual(['db-west pg:5432 → nobody']);
      expect(await lostIP(lab)).toBe(ip);
      await expectInSync(lab);
    });
  });

  describe('another shape', () => {
    it('D14: from ClusterIP to headless in one run; what is lost is said', async () => {
      const { lab } = handle;
      await mirrorDb(lab, ordinals(2), ANOTHER_SHAPE);
      expect(await mirrorsIn(lab.source)).toEqual(PLAIN);
      const ip = await lostIP(lab);
      await replaceDb(lab, aHeadless(), ordinals(2));
      const watcher = await watch(lab);
      const run = await lab.sync();
      expect(run.writes.slice(-4)).toEqual([...REMOVED, ...MADE]);
      expect(sorted(run.writes.slice(0, 4))).toEqual(sorted([...podMade('db-0'), ...podMade('db-1')]));
      expect(run.report.notes).toContain(
        `shop/db-west is deleted and made again (ClusterIP → headless): the ClusterIP ${ip} is lost`,
      );
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0', 'db-1'));
      expect(watcher.faults()).toEqual([]);
      await expectInSync(lab);
    });

    it('D14: from headless to ClusterIP in one run, without endpoint mirrors left behind', async () => {
      const { lab } = handle;
      await mirrorDb(lab);
      await replaceDb(lab, ANOTHER_SHAPE, ordinals(2));
      const watcher = await watch(lab);
      const run = await lab.sync();
      expect(run.writes.slice(0, 4)).toEqual([...REMOVED, ...MADE]);
      expect(sorted(run.writes.slice(4))).toEqual(sorted([...podRemoved('db-0'), ...podRemoved('db-1')]));
      expect(run.report.notes).toContain('shop/db-west is deleted and made again (headless → ClusterIP)');
      expect(await mirrorsIn(lab.source)).toEqual(PLAIN);
      expect(watcher.faults()).toEqual([]);
      await expectInSync(lab);
    });

    it('D14: the first pods had no hostname, later ones do, and at last none has', async () => {
      const { lab } = handle;
      await mirrorDb(lab, nameless(ordinals(2)));
      expect(await mirrorsIn(lab.source)).toEqual(PLAIN);
      const steps = [
        { pods: ordinals(2), stands: mirrorOf('db-0', 'db-1') },
        { pods: nameless(ordinals(2)), stands: PLAIN },
      ];
      for (const { pods, stands } of steps) {
        await scale(lab, pods);
        const watcher = await watch(lab);
        await lab.sync();
        expect(await mirrorsIn(lab.source)).toEqual(stands);
        expect(watcher.faults()).toEqual([]);
        await expectInSync(lab);
      }
    });

    it('D14: nothing is deleted for another shape while the pods cannot be read', async () => {
      const { lab } = handle;
      await mirrorDb(lab);
      const before = await everything(lab);
      await replaceDb(lab, ANOTHER_SHAPE, ordinals(2));
      lab.targetFaults.add({
        on: 'LIST EndpointSlice',
        fail: { kind: 'unreachable', when: 'before' },
      });
      const run = await lab.sync();
      expect(run.report.unobserved.map(({ what }) => what)).toEqual(['target EndpointSlices']);
      expect(run.writes.filter((write) => write.startsWith('DELETE'))).toEqual([]);
      expect(await everything(lab)).toEqual(before);
      lab.targetFaults.clear();
      await lab.sync();
      expect(await mirrorsIn(lab.source)).toEqual(PLAIN);
    });
  });

  describe('pods that are not ready', () => {
    const [first = [], second = []] = ordinals(2).map((pod) => [pod]);

    it('D15: a pod that is not ready is out of the root, and its ClusterIP waits for it', async () => {
      const { lab } = handle;
      await mirrorDb(lab);
      const before = await clusterIPsIn(lab.source);
      await scale(lab, [...first, ...unready(second)]);
      expect((await lab.sync()).writes).toEqual([ROOT_LISTED, 'PATCH Endpoints shop/db-1-west']);
      expect(await mirrorsIn(lab.source)).toEqual([
        'db-0-west pg:5432 of db-west → 203.0.113.10 at pg:4143',
        'db-1-west pg:5432 of db-west → nobody',
        'db-west pg:5432 headless → db-0=db-0-west at pg:5432',
      ]);
      await expectInSync(lab);
      await scale(lab, ordinals(2));
      expect((await lab.sync()).writes).toEqual(['PATCH Endpoints shop/db-1-west', ROOT_LISTED]);
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0', 'db-1'));
      expect(await clusterIPsIn(lab.source)).toEqual(before);
    });

    it('D15: a pod that was never ready has no endpoint mirror yet', async () => {
      const { lab } = handle;
      await mirrorDb(lab, [...first, ...unready(second)]);
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0'));
      await expectInSync(lab);
      await scale(lab, ordinals(2));
      expect((await lab.sync()).writes).toEqual([...podMade('db-1'), ROOT_LISTED]);
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0', 'db-1'));
    });

    it('D15: a Service that publishes addresses that are not ready has all pods in the root', async () => {
      const { lab } = handle;
      const service = aHeadless({ spec: { publishNotReadyAddresses: true } });
      await mirrorDb(lab, [...first, ...unready(second)], service);
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0', 'db-1'));
      await changeTarget(lab, 'db', { spec: { publishNotReadyAddresses: false } });
      expect((await lab.sync()).writes).toEqual([ROOT_LISTED, 'PATCH Endpoints shop/db-1-west']);
      await expectInSync(lab);
    });

    it('D15: when no named pod is ready the mirror is headless all the same, with an empty root', async () => {
      const { lab } = handle;
      expect((await mirrorDb(lab, unready(ordinals(2)))).writes).toEqual(MADE);
      expect(await mirrorsIn(lab.source)).toEqual(['db-west pg:5432 headless → nobody']);
      await expectInSync(lab);
      await scale(lab, ordinals(2));
      await lab.sync();
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0', 'db-1'));
      await scale(lab, unready(ordinals(2)));
      await lab.sync();
      expect(await mirrorsIn(lab.source)).toEqual([
        'db-0-west pg:5432 of db-west → nobody',
        'db-1-west pg:5432 of db-west → nobody',
        'db-west pg:5432 headless → nobody',
      ]);
    });
  });

  describe('headless in remote-discovery mode', () => {
    it('D16: it is refused with the reason, and nothing is made', async () => {
      const { lab } = handle;
      const run = await mirrorDb(lab, ordinals(2), aHeadless({ labels: REMOTE_DISCOVERY }));
      expect(run.writes).toEqual([]);
      expect(refusalsOf(run)).toEqual(['Unsupported shop/db']);
      expect(run.report.refusals[0]?.message).toBe(
        'Service shop/db: spec.clusterIP: None: a headless Service is mirrored in gateway mode only, and it is exported in remote-discovery mode',
      );
      expect(await everything(lab)).toEqual([]);
    });

    it('D16: a mirror that stood before stays as it is', async () => {
      const { lab } = handle;
      await mirrorDb(lab);
      const before = await everything(lab);
      const remote = { ...REMOTE_DISCOVERY };
      await changeTarget(lab, 'db', { metadata: { labels: remote } });
      const run = await lab.sync();
      expect(refusalsOf(run)).toEqual(['Unsupported shop/db']);
      expect(run.writes).toEqual([]);
      expect(await everything(lab)).toEqual(before);
      await setExported(lab, false);
      await lab.sync();
      expect(await everything(lab)).toEqual([]);
    });
  });
};
