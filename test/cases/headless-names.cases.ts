// Cases of the names that the pods of a headless Service want: too long (E1), wanted by others too, or held by a stranger (E3, E4).
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../support/api.ts';
import { aMirror, aMirrorEndpoints, aService, aSlice } from '../support/builders.ts';
import type { Lab, Run } from '../support/lab.ts';
import {
  aHeadless,
  aPodSlice,
  mirrorDb,
  mirrorOf,
  ordinals,
  podMade,
  pods,
  ROOT_LISTED,
  scale,
  setExported,
} from './headless.ts';
import { clusterIPsIn, mirrorsIn } from './seen.ts';
import { arrangeTarget, expectInSync, gatewayAt, type LabHandle, standing, UNEXPORT } from './suite.ts';

const told = ({ report }: Run): readonly string[] =>
  report.refusals.map(({ namespace, name, reason, message }) => `${reason} ${namespace}/${name}: ${message}`);

/** The Service `db-0`, whose mirror wants the name that the endpoint mirror of pod db-0 wants. */
const exportDb0 = async (lab: Lab): Promise<void> => {
  await lab.target.create('Service', aService({ name: 'db-0' }));
  await lab.target.create('EndpointSlice', aSlice({ service: 'db-0', name: 'svc-db-0' }));
};

const DB_0_MIRROR = 'db-0-west http:80 → 203.0.113.10 at http:4143';
const ROOT_OF_DB_1 = 'db-west pg:5432 headless → db-1=db-1-west at pg:5432';
const DB_1 = 'db-1-west pg:5432 of db-west → 203.0.113.10 at pg:4143';
const SERVICE_WINS =
  'NameConflict shop/db: shop/db-0-west is wanted by the endpoint mirror of pod db-0 of Service shop/db and by the mirror of Service shop/db-0, which keeps it';
const POD_WINS =
  'NameConflict shop/db-0: shop/db-0-west is wanted by the mirror of Service shop/db-0 and by the endpoint mirror of pod db-0 of Service shop/db, which keeps it';

/** A second headless Service whose pod has the hostname of one of the first. */
const exportCache = async (lab: Lab): Promise<void> => {
  await lab.target.create('Service', aHeadless({ name: 'cache' }));
  await lab.target.create('EndpointSlice', aPodSlice(pods('db-0'), { service: 'cache' }));
};

const users = (kind: 'Service' | 'Endpoints'): KubeObject =>
  kind === 'Service'
    ? aMirror({ name: 'db-0-west', labels: { team: 'a' } })
    : aMirrorEndpoints({ name: 'db-0-west', labels: { team: 'a' }, ready: ['192.0.2.1'] });

export const headlessNameCases = (handle: LabHandle): void => {
  describe('names of pods', () => {
    it('E1: an endpoint mirror whose name would have more than 63 characters is refused; the others go on', async () => {
      const { lab } = handle;
      const [fits, tooLong] = ['a'.repeat(58), 'b'.repeat(59)];
      const run = await mirrorDb(lab, pods(fits, tooLong));
      expect(told(run)).toEqual([
        `NameTooLong shop/db: pod ${tooLong}: mirror name ${tooLong}-west: expected at most 63 characters, got 64`,
      ]);
      expect(run.writes.filter((write) => write.includes(tooLong))).toEqual([]);
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf(fits));
      await expectInSync(lab);
    });

    it('E1: a root whose name would have more than 63 characters is refused as a whole', async () => {
      const { lab } = handle;
      const name = 'd'.repeat(59);
      await arrangeTarget(
        lab,
        [
          ['Service', aHeadless({ name })],
          ['EndpointSlice', aPodSlice(ordinals(1), { service: name, name: 'pods' })],
        ],
        gatewayAt('203.0.113.10'),
      );
      const run = await lab.sync();
      expect(told(run)).toEqual([
        `NameTooLong shop/${name}: Service shop/${name}: mirror name ${name}-west: expected at most 63 characters, got 64`,
      ]);
      expect(run.writes).toEqual([]);
    });

    it('a hostname that begins with a digit is no name of a Service; the others go on', async () => {
      const { lab } = handle;
      expect(told(await mirrorDb(lab, pods('0-db', 'db-0')))).toEqual([
        'InvalidService shop/db: pod 0-db: mirror name 0-db-west: expected a letter first',
      ]);
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0'));
      await expectInSync(lab);
    });
  });

  describe('a name that two want', () => {
    it('the mirror of a Service stands first: it keeps the name, and the pod is left out and named', async () => {
      const { lab } = handle;
      await arrangeTarget(lab, [], gatewayAt('203.0.113.10'));
      await exportDb0(lab);
      await lab.sync();
      const { uid } = (await standing(lab, 'Service', 'db-0-west')).metadata;
      await lab.target.create('Service', aHeadless());
      await lab.target.create('EndpointSlice', aPodSlice(ordinals(2)));
      expect(told(await lab.sync())).toEqual([SERVICE_WINS]);
      expect(await mirrorsIn(lab.source)).toEqual([DB_0_MIRROR, DB_1, ROOT_OF_DB_1]);
      expect((await standing(lab, 'Service', 'db-0-west')).metadata.uid).toBe(uid);
      await expectInSync(lab);
      await lab.target.patch('Service', 'shop', 'db-0', UNEXPORT);
      await lab.sync();
      await lab.sync();
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0', 'db-1'));
      await expectInSync(lab);
    });

    it('the endpoint mirror stands first: it keeps the name, and the Service is refused', async () => {
      const { lab } = handle;
      await mirrorDb(lab);
      const ips = await clusterIPsIn(lab.source);
      await exportDb0(lab);
      const run = await lab.sync();
      expect(told(run)).toEqual([POD_WINS]);
      expect(run.writes).toEqual([]);
      expect(await clusterIPsIn(lab.source)).toEqual(ips);
      await scale(lab, pods('db-1'));
      await lab.sync();
      await lab.sync();
      expect(await mirrorsIn(lab.source)).toEqual([DB_0_MIRROR, DB_1, ROOT_OF_DB_1]);
      await expectInSync(lab);
    });

    it('both come at once: the mirror of a Service comes before a pod', async () => {
      const { lab } = handle;
      await exportDb0(lab);
      expect(told(await mirrorDb(lab))).toEqual([SERVICE_WINS]);
      expect(await mirrorsIn(lab.source)).toEqual([DB_0_MIRROR, DB_1, ROOT_OF_DB_1]);
      await expectInSync(lab);
    });

    it('two headless Services with a pod of one hostname: who stands there keeps it', async () => {
      const { lab } = handle;
      await mirrorDb(lab, ordinals(1));
      const ips = await clusterIPsIn(lab.source);
      await exportCache(lab);
      const run = await lab.sync();
      expect(told(run)).toEqual([
        'NameConflict shop/cache: shop/db-0-west is wanted by the endpoint mirror of pod db-0 of Service shop/cache and by the endpoint mirror of pod db-0 of Service shop/db, which keeps it',
      ]);
      expect(await mirrorsIn(lab.source)).toEqual([
        'cache-west pg:5432 headless → nobody',
        ...mirrorOf('db-0'),
      ]);
      expect(await clusterIPsIn(lab.source)).toMatchObject(ips);
      await expectInSync(lab);
      await setExported(lab, false);
      await lab.sync();
      await lab.sync();
      expect(await mirrorsIn(lab.source)).toEqual([
        'cache-west pg:5432 headless → db-0=db-0-west at pg:5432',
        'db-0-west pg:5432 of cache-west → 203.0.113.10 at pg:4143',
      ]);
      await expectInSync(lab);
    });

    it('two headless Services with a pod of one hostname, at once: the first by name gets it', async () => {
      const { lab } = handle;
      await exportCache(lab);
      expect(told(await mirrorDb(lab))).toEqual([
        'NameConflict shop/db: shop/db-0-west is wanted by the endpoint mirror of pod db-0 of Service shop/db and by the endpoint mirror of pod db-0 of Service shop/cache, which keeps it',
      ]);
      expect(await mirrorsIn(lab.source)).toEqual([
        'cache-west pg:5432 headless → db-0=db-0-west at pg:5432',
        'db-0-west pg:5432 of cache-west → 203.0.113.10 at pg:4143',
        DB_1,
        ROOT_OF_DB_1,
      ]);
      await expectInSync(lab);
    });

    it('a pod that is called as its own Service: the root has the name, and the pod is left out', async () => {
      const { lab } = handle;
      expect(told(await mirrorDb(lab, pods('db', 'db-1')))).toEqual([
        'NameConflict shop/db: shop/db-west is wanted by the endpoint mirror of pod db of Service shop/db and by the mirror of Service shop/db, which keeps it',
      ]);
      expect(await mirrorsIn(lab.source)).toEqual([DB_1, ROOT_OF_DB_1]);
      await expectInSync(lab);
    });
  });

  describe('a name that a stranger holds', () => {
    it("E3: a Service of somebody else at a pod's name is never touched; the pod is left out until it goes", async () => {
      const { lab } = handle;
      await lab.source.create('Service', users('Service'));
      const foreign = await standing(lab, 'Service', 'db-0-west');
      const run = await mirrorDb(lab);
      expect(told(run)).toEqual([
        'NotOwned shop/db: Service shop/db-0-west exists and is not this link\'s: label mirror.linkerd.io/mirrored-service: expected "true", got none',
      ]);
      expect(await mirrorsIn(lab.source)).toEqual(['db-0-west http:80 → no list', DB_1, ROOT_OF_DB_1]);
      await expectInSync(lab);
      await scale(lab, pods('db-1'));
      await lab.sync();
      await setExported(lab, false);
      await lab.sync();
      expect(await lab.source.list('Service', 'shop')).toEqual([
        expect.objectContaining({ metadata: foreign.metadata }),
      ]);
      await setExported(lab, true);
      await scale(lab, ordinals(2));
      await lab.sync();
      await lab.source.remove('Service', 'shop', 'db-0-west');
      expect((await lab.sync()).writes).toEqual([...podMade('db-0'), ROOT_LISTED]);
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0', 'db-1'));
    });

    it("E4: Endpoints of somebody else at a pod's name stay as they are; the pod is left out until they go", async () => {
      const { lab } = handle;
      const foreign = await lab.source.create('Endpoints', users('Endpoints'));
      const run = await mirrorDb(lab);
      expect(told(run)).toEqual([
        "NotOwned shop/db: Endpoints shop/db-0-west exist and are not this link's: they lack its ownership labels",
      ]);
      expect(await mirrorsIn(lab.source)).toEqual([DB_1, ROOT_OF_DB_1]);
      expect((await lab.sync()).writes).toEqual([]);
      await scale(lab, pods('db-1'));
      await lab.sync();
      expect((await standing(lab, 'Endpoints', 'db-0-west')).metadata).toEqual(foreign.metadata);
      await scale(lab, ordinals(2));
      await lab.source.remove('Endpoints', 'shop', 'db-0-west');
      await lab.sync();
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0', 'db-1'));
    });

    it('E3: a stranger takes the name of an endpoint mirror that was deleted: the root stops naming it', async () => {
      const { lab } = handle;
      await mirrorDb(lab);
      await lab.source.remove('Service', 'shop', 'db-0-west');
      await lab.source.create('Service', users('Service'));
      await lab.sync();
      expect(await mirrorsIn(lab.source)).toEqual([
        'db-0-west http:80 → no list', // the API server deletes Endpoints with their Service
        DB_1,
        ROOT_OF_DB_1,
      ]);
      expect((await lab.sync()).writes).toEqual([]);
    });
  });
};
