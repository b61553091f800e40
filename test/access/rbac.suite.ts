// A link that may do what deploy/ grants, and no more: everything works; and without any one of the rights nothing is lost.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bearer } from '../../lib/kube/connection.ts';
import type { Report } from '../../lib/model/report.ts';
import { arrangeTarget, gatewayAt, setPods, UNEXPORT } from '../cases/suite.ts';
import { aNamespace, aService, aSlice } from '../support/builders.ts';
import {
  type ClusterName,
  type Lab,
  type LabServers,
  openLab,
  refusalsOf,
  type Run,
} from '../support/lab.ts';
import {
  GROUP,
  isRole,
  type Manifest,
  readManifests,
  type Right,
  rightsOf,
  rightText,
  withoutRight,
} from './manifests.ts';

/** Somebody in a group of their own, with the manifests that are for it. */
export interface Grantee {
  readonly user: string;
  readonly group: string;
  readonly manifests: readonly Manifest[];
}

export interface RightsBench {
  /** Two clusters that know these users besides the admin, each with the rights that its manifests grant. */
  open(grantees: Readonly<Record<ClusterName, readonly Grantee[]>>): Promise<LabServers>;
  tokenOf(cluster: ClusterName, user: string): string;
  empty(servers: LabServers): Promise<void>;
  close(): Promise<void>;
}

const MANIFESTS = { source: readManifests('source-rbac.yaml'), target: readManifests('target-rbac.yaml') };
const NAMESPACES = readManifests('source-namespaces-rbac.yaml');

const RIGHTS = { source: rightsOf(MANIFESTS.source), target: rightsOf(MANIFESTS.target) };

const userWithout = (right: Right): string => `without-${rightText(right)}`.replaceAll(' ', '-');

const without = (cluster: ClusterName, right: Right): Grantee => {
  const user = userWithout(right);
  return { user, group: user, manifests: withoutRight(MANIFESTS[cluster], right, user) };
};

const grantees = (cluster: ClusterName): readonly Grantee[] => [
  { user: 'mirror', group: GROUP, manifests: MANIFESTS[cluster] },
  ...RIGHTS[cluster].map((right) => without(cluster, right)),
];

/** The one who may also make namespaces. */
const MAKER: Grantee = {
  user: 'maker',
  group: 'makers',
  manifests: withoutRight([...MANIFESTS.source, ...NAMESPACES], undefined, 'makers'),
};

/** The one whose right to write is bound in two namespaces alone, as docs/access.md says. */
const SHOPKEEPER: Grantee = {
  user: 'shopkeeper',
  group: 'shopkeepers',
  manifests: withoutRight(MANIFESTS.source, undefined, 'shopkeepers').flatMap(
    (manifest): readonly Manifest[] => {
      const isWrite =
        !isRole(manifest) && manifest.roleRef.name.startsWith('eks-service-mirror-source-write');
      if (!isWrite) return [manifest];
      return ['shop', 'linkerd-multicluster'].map((namespace) => ({
        ...manifest,
        kind: 'RoleBinding',
        metadata: { ...manifest.metadata, namespace },
      }));
    },
  ),
};

interface Row {
  /** What there is to do, so that the right is needed; beyond it, `old` is not exported any more where a read is missing. */
  readonly given: (lab: Lab) => Promise<unknown>;
  readonly form?: 'endpoints' | 'endpointslices'; // default: the first
  /** What the report says; default: what the API server says of this right. */
  readonly says?: string;
  /** What goes though the right is missing: deletes begin with what was made last. */
  readonly goes?: string;
}

const nothing = (): Promise<void> => Promise.resolve();
const unexport = ({ target }: Lab): Promise<unknown> => target.patch('Service', 'shop', 'old', UNEXPORT);
const exportNew = async ({ target }: Lab): Promise<void> => {
  await target.create('Service', aService({ name: 'new' }));
  await target.create('EndpointSlice', aSlice({ service: 'new' }));
};
const relabel = ({ target }: Lab): Promise<unknown> =>
  target.patch('Service', 'shop', 'web', { metadata: { labels: { tier: 'front' } } });
const scaleToZero = (lab: Lab): Promise<unknown> => setPods(lab, []);
const withoutLease = async (lab: Lab): Promise<void> => {
  await lab.source.remove('Lease', 'linkerd-multicluster', 'service-mirror-write-west');
  await exportNew(lab);
};

/** Somebody else writes what the run is about to write: it has to be read again. */
const disturbed =
  (kind: 'Service' | 'Endpoints', task: (lab: Lab) => Promise<unknown>) => async (lab: Lab) => {
    await task(lab);
    const touch = { metadata: { annotations: { touched: 'yes' } } };
    lab.sourceFaults.add({
      on: `PATCH ${kind} shop/web-west`,
      times: 1,
      hook: () => lab.source.patch(kind, 'shop', 'web-west', touch),
    });
  };

const ROWS: Readonly<Record<ClusterName, Readonly<Record<string, Row>>>> = {
  target: {
    // Where the namespace may not be read, the Service default/kubernetes is asked for: either would do.
    'get namespaces kube-system': {
      given: unexport,
      says: 'User "U" cannot get resource "services" in API group "" in the namespace "default"',
    },
    'list services': { given: unexport },
    'list endpointslices': { given: unexport },
  },
  source: {
    'list namespaces': { given: unexport },
    'list services': { given: unexport },
    'list endpoints': { given: unexport },
    'list endpointslices': { given: unexport },
    'get services': { given: disturbed('Service', relabel) },
    'get endpoints': { given: disturbed('Endpoints', scaleToZero) },
    'create services': { given: exportNew },
    'patch services': { given: relabel },
    'delete services': { given: unexport, goes: 'Endpoints old-west' },
    'create endpoints': { given: exportNew },
    'patch endpoints': { given: scaleToZero },
    'delete endpoints': { given: unexport },
    'create endpointslices': { given: exportNew, form: 'endpointslices' },
    'patch endpointslices': { given: scaleToZero, form: 'endpointslices' },
    'delete endpointslices': { given: unexport, form: 'endpointslices' },
    'get leases in linkerd-multicluster': { given: unexport },
    'create leases in linkerd-multicluster': { given: withoutLease },
    'patch leases in linkerd-multicluster': { given: unexport },
    'list servicecidrs': { given: nothing },
  },
};

/** Rights that are good to have: without them everything goes on, with what can be inferred. */
const OPTIONAL = new Set(['list servicecidrs']);

const rowFor = (cluster: ClusterName, right: Right): Row => {
  const row = ROWS[cluster][rightText(right)];
  if (row === undefined)
    throw new Error(`nobody has said what becomes of a link without: ${rightText(right)}`);
  return row;
};

/** What an API server says to somebody without a right. */
const refusalOf = ({ verb, group, resource }: Right): string =>
  `User "U" cannot ${verb} resource "${resource}" in API group "${group}"`;

/** All that a report says to people. */
const said = ({ unobserved, refusals, outcomes = [], notes }: Report): string =>
  [...unobserved, ...refusals, ...outcomes]
    .map(({ message }) => message ?? '')
    .concat(notes)
    .join('\n');

/** Every object of the mirrors, by kind, name and UID: one that was deleted and made again is another one. */
const standing = async ({ source }: Lab): Promise<string[]> => {
  const rows: string[] = [];
  for (const kind of ['Service', 'Endpoints', 'EndpointSlice'] as const) {
    for (const { metadata } of await source.list(kind, 'shop'))
      rows.push(`${kind} ${metadata.name} ${metadata.uid}`);
  }
  return rows;
};

const failed = ({ report }: Run): readonly string[] =>
  (report.outcomes ?? [])
    .filter(({ result }) => result !== 'applied')
    .map(({ change }) => `${change.kind} ${change.name}`);

export const rightsSuite = (name: string, bench: RightsBench): void => {
  describe(`${name}: a link with the rights of deploy/`, () => {
    let servers: LabServers;
    let lab: Lab;
    beforeAll(async () => {
      servers = await bench.open({
        source: [...grantees('source'), MAKER, SHOPKEEPER],
        target: grantees('target'),
      });
    });
    beforeEach(async () => {
      await bench.empty(servers);
      lab = openLab(servers);
      reachAs('source', 'mirror');
      reachAs('target', 'mirror');
    });
    afterEach(() => lab.close());
    afterAll(() => bench.close());

    const reachAs = (cluster: ClusterName, user: string): void => {
      const token = bench.tokenOf(cluster, user);
      lab.reach(cluster, { credentials: bearer(() => Promise.resolve(token)) });
    };

    /** Two mirrored Services, in one of the two forms. */
    const arrange = async (form: Row['form'] = 'endpoints'): Promise<void> => {
      lab.setLink({ endpoints: form, gatewayMirror: 'addresses' });
      const exported = ['web', 'old'].flatMap((service) => [
        ['Service', aService({ name: service })] as const,
        ['EndpointSlice', aSlice({ service })] as const,
      ]);
      await arrangeTarget(lab, exported, gatewayAt('203.0.113.10'));
      const { report } = await lab.sync();
      expect([report.refusals, report.unobserved]).toEqual([[], []]);
      expect((await standing(lab)).length).toBeGreaterThanOrEqual(4);
    };

    it.each(['endpoints', 'endpointslices'] as const)(
      'creates, updates and deletes in the form of %s',
      async (form) => {
        await arrange(form);
        for (const task of [exportNew, relabel, scaleToZero, unexport]) {
          await task(lab);
          const run = await lab.sync();
          expect(run.writes).not.toEqual([]);
          expect([failed(run), run.report.refusals, run.report.unobserved]).toEqual([[], [], []]);
        }
        const { report, writes } = await lab.sync();
        expect([report.changes, writes]).toEqual([[], []]);
        expect(await lab.source.read('Service', 'linkerd-multicluster', 'gateway-west')).toBeDefined();
        const left = (await lab.source.list('Service', 'shop')).map(({ metadata }) => metadata.name);
        expect(left).toEqual(['new-west', 'web-west']);
      },
    );

    it.each(['Service', 'Endpoints'] as const)(
      'goes on when somebody changed a mirror %s meanwhile',
      async (kind) => {
        await arrange();
        await disturbed(kind, kind === 'Service' ? relabel : scaleToZero)(lab);
        const run = await lab.sync();
        expect([failed(run), run.report.refusals]).toEqual([[], []]);
      },
    );

    describe.each(['target', 'source'] as const)(
      '%s: every right is needed for what it is listed for',
      (cluster) => {
        it('and each is listed', () => {
          expect(Object.keys(ROWS[cluster]).toSorted()).toEqual(RIGHTS[cluster].map(rightText).toSorted());
        });

        const needed = RIGHTS[cluster].filter((right) => !OPTIONAL.has(rightText(right)));
        it.each(needed.map((right) => [rightText(right), right] as const))(
          'without "%s" the run says so and deletes nothing; with it again, it is done',
          async (_, right) => {
            const { given, form, says = refusalOf(right), goes = 'nothing' } = rowFor(cluster, right);
            await arrange(form);
            const before = (await standing(lab)).filter((object) => !object.startsWith(goes));
            await given(lab);
            const user = userWithout(right);
            reachAs(cluster, user);
            const run = await lab.sync();
            expect(said(run.report)).toContain(says.replace('"U"', `"${user}"`));
            expect(await standing(lab)).toEqual(expect.arrayContaining(before));
            reachAs(cluster, 'mirror');
            lab.clock.advance(61);
            const healed = await lab.sync();
            expect(healed.writes).not.toEqual([]);
            expect([failed(healed), healed.report.refusals, healed.report.unobserved]).toEqual([[], [], []]);
          },
        );
      },
    );

    it('without "list servicecidrs" everything goes on', async () => {
      await arrange();
      reachAs('source', 'without-list-servicecidrs');
      await unexport(lab);
      const run = await lab.sync();
      expect(run.writes).toContain('DELETE Service shop/old-west');
      expect([failed(run), run.report.refusals, run.report.unobserved]).toEqual([[], [], []]);
    });

    it.each(['endpoints', 'endpointslices'] as const)(
      'may be limited to namespaces, in the form of %s',
      async (form) => {
        lab.setLink({ endpoints: form, gatewayMirror: 'addresses' });
        reachAs('source', 'shopkeeper');
        const exported = ['shop', 'other'].flatMap((namespace) => [
          ['Service', aService({ namespace })] as const,
          ['EndpointSlice', aSlice({ namespace })] as const,
        ]);
        await arrangeTarget(lab, exported, gatewayAt('203.0.113.10'));
        const { report } = await lab.sync();
        expect(said(report)).toContain(
          'User "shopkeeper" cannot create resource "services" in API group "" in the namespace "other"',
        );
        expect(await lab.source.read('Service', 'other', 'web-west')).toBeUndefined();
        expect(await lab.source.read('Service', 'shop', 'web-west')).toBeDefined();
        lab.setLink({ endpoints: form, gatewayMirror: 'addresses', namespaces: { allow: ['shop'] } });
        const limited = await lab.sync();
        expect(refusalsOf(limited)).toEqual(['NamespaceDenied other/web']);
      },
    );

    describe('a namespace that is missing in the source cluster', () => {
      const lost = async (): Promise<void> => {
        await lab.target.create('Namespace', aNamespace('lost'));
        await arrangeTarget(
          lab,
          [
            ['Service', aService({ namespace: 'lost' })],
            ['EndpointSlice', aSlice({ namespace: 'lost' })],
          ],
          gatewayAt('203.0.113.10'),
        );
        lab.setLink({ createNamespaces: true });
      };

      it('is not made without the right to', async () => {
        await lost();
        const { report } = await lab.sync();
        expect(said(report)).toContain(
          'User "mirror" cannot create resource "namespaces" in API group "" at the cluster scope',
        );
        expect(await lab.source.read('Namespace', '', 'lost')).toBeUndefined();
      });

      it('is made with source-namespaces-rbac.yaml', async () => {
        await lost();
        reachAs('source', 'maker');
        const run = await lab.sync();
        expect([failed(run), run.report.refusals]).toEqual([[], []]);
        expect(await lab.source.read('Service', 'lost', 'web-west')).toBeDefined();
      });
    });
  });
};
