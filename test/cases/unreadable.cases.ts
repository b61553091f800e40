// Clusters that cannot be read, or only in part, or are not the ones they should be: nothing is decided on what was not seen.
import { describe, expect, it } from 'vitest';
import { aService, aSlice } from '../support/builders.ts';
import { endpointsOf, type Lab, refusalsOf, type Run } from '../support/lab.ts';
import { statusAnswer, type Wire, type WireFault } from '../support/wire.ts';
import {
  arrangeTarget,
  changeTarget,
  expectInSync,
  gatewayAt,
  type LabHandle,
  standing,
  swapTarget,
} from './suite.ts';

const NAMES = ['api', 'db', 'web'] as const;
const DELETES_API = ['DELETE Endpoints shop/api-west', 'DELETE Service shop/api-west'];

/** Three mirrors in sync; then one export goes, and there is one delete to make as soon as both clusters are seen. */
const arrangeOneToDelete = async (lab: Lab): Promise<void> => {
  const objects = NAMES.flatMap((name) => [
    ['Service', aService({ name })] as const,
    ['EndpointSlice', aSlice({ service: name })] as const,
  ]);
  await arrangeTarget(lab, objects, gatewayAt('203.0.113.10'));
  await lab.sync();
  await lab.target.remove('Service', 'shop', 'api');
  await lab.target.remove('EndpointSlice', 'shop', 'api-abcde');
};

const mirrorsIn = async (lab: Lab): Promise<readonly string[]> =>
  (await lab.source.list('Service', 'shop')).map(({ metadata }) => metadata.name);

/** A run that saw too little writes nothing and says what it did not see; once it sees, the one delete is made. */
const expectBlind = async (lab: Lab, run: Run, what: readonly string[]): Promise<void> => {
  expect(run.report.unobserved.map((part) => part.what)).toEqual(what);
  expect({ changes: run.report.changes, writes: run.writes }).toEqual({ changes: [], writes: [] });
  expect(await mirrorsIn(lab)).toEqual(['api-west', 'db-west', 'web-west']);
  for (const name of NAMES)
    expect((await endpointsOf(lab.source, { namespace: 'shop', name: `${name}-west` }))?.ready).toEqual([
      '203.0.113.10',
    ]);
};

const expectSeen = async (lab: Lab): Promise<void> => {
  expect((await lab.sync()).writes).toEqual(DELETES_API);
  expect(await mirrorsIn(lab)).toEqual(['db-west', 'web-west']);
  await expectInSync(lab);
};

const PAGE = '<html><body>Bad gateway</body></html>';
const EXPIRED = statusAnswer(410, 'Expired', 'The provided continue parameter is too old');

interface Row {
  readonly title: string;
  readonly cluster: 'source' | 'target';
  readonly fault: WireFault;
  readonly what: string;
}

const isList =
  (resource: string) =>
  ({ method, path }: { method: string; path: string }): boolean =>
    method === 'GET' && path.endsWith(`/${resource}`);
const everyRequest = (): boolean => true;

const ROWS: readonly Row[] = [
  {
    title: 'the target refuses every connection',
    cluster: 'target',
    fault: { on: everyRequest, action: 'refused' },
    what: 'target cluster',
  },
  {
    title: 'the source refuses every connection',
    cluster: 'source',
    fault: { on: everyRequest, action: 'refused' },
    what: 'source Namespaces',
  },
  {
    title: 'the list of Services of the target is cut short',
    cluster: 'target',
    fault: { on: isList('services'), action: 'cut' },
    what: 'target Services',
  },
  {
    title: 'the list of Services of the source is cut short',
    cluster: 'source',
    fault: { on: isList('services'), action: 'cut' },
    what: 'source Services',
  },
  {
    title: 'the list of Endpoints of the source fails',
    cluster: 'source',
    fault: { on: isList('endpoints'), action: statusAnswer(500, 'InternalError', 'etcd is away') },
    what: 'source Endpoints',
  },
  {
    title: 'the list of EndpointSlices of the source is refused',
    cluster: 'source',
    fault: {
      on: ({ method, path, query }) =>
        isList('endpointslices')({ method, path }) && query.has('labelSelector'),
      action: statusAnswer(403, 'Forbidden', 'endpointslices is forbidden'),
    },
    what: 'source EndpointSlices',
  },
  {
    title: 'a proxy answers a page instead of the Services of the target',
    cluster: 'target',
    fault: { on: isList('services'), action: { status: 200, body: PAGE } },
    what: 'target Services',
  },
  {
    title: 'a proxy answers JSON that is no list',
    cluster: 'target',
    fault: { on: isList('services'), action: { status: 200, body: { message: 'sign in first' } } },
    what: 'target Services',
  },
  {
    title: 'the target sends every list to another address',
    cluster: 'target',
    fault: {
      on: isList('services'),
      action: { status: 302, body: PAGE, headers: { location: 'http://127.0.0.1:1/' } },
    },
    what: 'target Services',
  },
];

export const unreadableCases = (handle: LabHandle): void => {
  it.each(ROWS)('nothing is written when $title', async ({ cluster, fault, what }) => {
    const { lab } = handle;
    await arrangeOneToDelete(lab);
    const wire = await lab.wire(cluster);
    wire.add(fault);
    const run = await lab.sync();
    // a source that hides everything hides each of its parts, and the Lease
    await expectBlind(lab, run, [
      what,
      ...(fault.on === everyRequest && cluster === 'source' ? [LEASE] : []),
    ]);
    wire.clear();
    await expectSeen(lab);
    expect(wire.requests).not.toEqual([]);
  });

  describe('what a user may not read', () => {
    it('a user without rights in the target sees nothing of it', async () => {
      const { lab } = handle;
      await arrangeOneToDelete(lab);
      lab.reachAs('target', 'stranger');
      const run = await lab.sync();
      await expectBlind(lab, run, ['target cluster']);
      expect(run.report.unobserved[0]?.message).toContain('forbidden');
      lab.reachAs('target', 'admin');
      await expectSeen(lab);
    });

    it('a user who may not read Endpoints of the source decides nothing', async () => {
      const { lab } = handle;
      await arrangeOneToDelete(lab);
      lab.reachAs('source', 'noEndpoints');
      const run = await lab.sync();
      await expectBlind(lab, run, ['source Endpoints']);
      expect(run.report.unobserved[0]?.message).toContain('forbidden');
      lab.reachAs('source', 'admin');
      await expectSeen(lab);
    });

    it('a user who may read and not write plans everything; a sync is refused the Lease', async () => {
      const { lab } = handle;
      await arrangeOneToDelete(lab);
      lab.reachAs('source', 'reader');
      const planned = await lab.plan();
      expect(planned.report.changes.map(({ action, kind, name }) => `${action} ${kind} ${name}`)).toEqual([
        'delete Endpoints api-west',
        'delete Service api-west',
      ]);
      expect(planned.report.refusals).toEqual([]);
      const run = await lab.sync();
      expect(refusalsOf(run)).toEqual(['Error linkerd-multicluster/west']);
      expect(run.report.refusals[0]?.message).toMatch(/^no Lease: source: PATCH Lease .* forbidden/);
      expect(run.report.outcomes?.map(({ result }) => result)).toEqual(['skipped', 'skipped']);
      expect(run.writes).toEqual([]);
      expect(await mirrorsIn(lab)).toEqual(['api-west', 'db-west', 'web-west']);
      lab.reachAs('source', 'admin');
      await expectSeen(lab);
    });

    it("a user who may hold the Lease and nothing else gets the API's own reason for each object", async () => {
      const { lab } = handle;
      await arrangeOneToDelete(lab);
      lab.reachAs('source', 'leaseHolder');
      const run = await lab.sync();
      expect(refusalsOf(run)).toEqual(['Error shop/api-west']);
      expect(run.report.refusals[0]?.message).toContain('cannot delete resource "endpoints"');
      expect(run.writes).toEqual(['DELETE Endpoints shop/api-west']);
      expect(run.report.outcomes?.map(({ result }) => result)).toEqual(['failed', 'skipped']);
      const lease = await lab.source.read('Lease', 'linkerd-multicluster', 'service-mirror-write-west');
      expect(lease?.['spec'].holderIdentity).toBe('');
      lab.reachAs('source', 'admin');
      await expectSeen(lab);
    });

    it('a user who may not read Namespaces of the target knows it by its Service default/kubernetes', async () => {
      const { lab } = handle;
      lab.reachAs('target', 'noNamespaces');
      await arrangeTarget(lab, [['Service', aService()]], gatewayAt('203.0.113.10'));
      await lab.sync();
      expect(await mirrorsIn(lab)).toEqual(['web-west']);
      const kubernetes = await lab.target.read('Service', 'default', 'kubernetes');
      const lease = await lab.source.read('Lease', 'linkerd-multicluster', 'service-mirror-write-west');
      expect(lease?.metadata.annotations).toEqual({
        'eks-service-mirror/target-cluster-uid': kubernetes?.metadata.uid,
      });
      lab.reachAs('target', 'admin');
      await expectInSync(lab);
    });
  });

  describe('lists in pages', () => {
    const secondPage = ({ path, query }: { path: string; query: URLSearchParams }): boolean =>
      path === '/api/v1/services' && query.has('continue');
    const listsOf = ({ requests }: Wire): readonly string[] =>
      requests.filter((request) => request.startsWith('GET /api/v1/services?'));

    it('one whose position has expired is read from the first page again, and is whole then', async () => {
      const { lab } = handle;
      await arrangeOneToDelete(lab);
      const wire = await lab.wire('target');
      lab.setPageSize(3);
      wire.add({ on: secondPage, times: 1, action: EXPIRED });
      const run = await lab.sync();
      expect(run.report.unobserved).toEqual([]);
      expect(run.writes).toEqual(DELETES_API);
      const pages = listsOf(wire).map((request) => (request.includes('continue=') ? 'next' : 'first'));
      expect(pages).toEqual(['first', 'next', 'first', 'next']);
      expect(await mirrorsIn(lab)).toEqual(['db-west', 'web-west']);
      await expectInSync(lab);
    });

    it('one whose position expires every time is given up, and is no evidence', async () => {
      const { lab } = handle;
      await arrangeOneToDelete(lab);
      const wire = await lab.wire('target');
      lab.setPageSize(3);
      wire.add({ on: secondPage, action: EXPIRED });
      await expectBlind(lab, await lab.sync(), ['target Services']);
      expect(listsOf(wire)).toHaveLength(8);
      wire.clear();
      await expectSeen(lab);
    });

    it('one that ends between two pages is no evidence', async () => {
      const { lab } = handle;
      await arrangeOneToDelete(lab);
      const wire = await lab.wire('target');
      lab.setPageSize(3);
      wire.add({ on: secondPage, action: 'cut' });
      await expectBlind(lab, await lab.sync(), ['target Services']);
      expect(listsOf(wire)).toHaveLength(2);
      wire.clear();
      await expectSeen(lab);
    });
  });

  describe('the wrong cluster behind good credentials', () => {
    it.each(['the state', 'the Lease'] as const)('is known by what %s remembers', async (memory) => {
      const { lab } = handle;
      await arrangeOneToDelete(lab);
      const target = (await lab.target.read('Namespace', '', 'kube-system'))?.metadata.uid;
      if (memory === 'the Lease') lab.forget();
      else await lab.source.remove('Lease', 'linkerd-multicluster', 'service-mirror-write-west');
      const wire = await lab.wire('target');
      swapTarget(wire);
      const run = await lab.sync();
      expect(refusalsOf(run)).toEqual(['WrongCluster /west']);
      expect(run.report.refusals[0]?.message).toBe(
        `the link was made for the cluster with UID ${target}, these credentials lead to another-cluster`,
      );
      await expectBlind(lab, run, ['target cluster']);
      wire.clear();
      await expectSeen(lab);
    });

    it.each(['admin', 'noNamespaces'] as const)(
      'a cluster is not mirrored into itself, whatever of it may be read (%s)',
      async (user) => {
        const { lab } = handle;
        await lab.source.create('Service', gatewayAt('203.0.113.10'));
        await lab.source.create('Service', aService());
        lab.reach('target', { ...lab.connection('source'), name: 'target' });
        if (user === 'noNamespaces') {
          const asUser = lab.servers.source.tokens?.noNamespaces ?? '';
          lab.reach('target', {
            credentials: () => Promise.resolve({ headers: { Authorization: `Bearer ${asUser}` } }),
          });
        }
        const run = await lab.sync();
        expect(refusalsOf(run)).toEqual(['WrongCluster /west']);
        expect(run.report.refusals[0]?.message).toMatch(/^source and target are the same cluster/);
        expect(run.writes).toEqual([]);
        expect(await mirrorsIn(lab)).toEqual(['web']);
        expect(await lab.source.list('Lease', 'linkerd-multicluster')).toEqual([]);
      },
    );

    it('the right cluster at another address is the same cluster', async () => {
      const { lab } = handle;
      await arrangeOneToDelete(lab);
      await lab.wire('target');
      await expectSeen(lab);
      await changeTarget(lab, 'web', { metadata: { labels: { tier: 'a' } } });
      await lab.sync();
      expect((await standing(lab, 'Service', 'web-west')).metadata.labels?.['tier']).toBe('a');
    });
  });
};

const LEASE = 'source Lease linkerd-multicluster/service-mirror-write-west';
