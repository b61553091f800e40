// Our mirrors beside those of Linkerd's own controller, for the same exported Services, on embedded and on real API servers.
import { expect, it } from 'vitest';
import type { KubeObject } from '../support/api.ts';
import { aGateway, aNamespace } from '../support/builders.ts';
import { type Lab, refusalsOf } from '../support/lab.ts';
import type { LabHandle } from '../cases/suite.ts';
import { withDifferences } from './differences.ts';
import {
  creatable,
  type FixtureObject,
  MIRRORED,
  nameOf,
  normalised,
  POD_ADDRESS,
  readFixture,
  withApiVersion,
} from './fixture.ts';

/** In the order of the status of the load balancer that Linkerd saw; both sides write them sorted. */
const GATEWAY = aGateway({ ingress: [{ ip: '198.51.100.11' }, { ip: '198.51.100.10' }], identity: 'gw.id' });

const REFUSALS = ['MissingNamespace only-west/lost', 'Unsupported shop/both', 'Unsupported shop/fed'];

const arrangeExports = async ({ target }: Lab): Promise<void> => {
  const namespaces = await target.list('Namespace');
  if (!namespaces.some(({ metadata }) => metadata.name === 'only-west'))
    await target.create('Namespace', aNamespace('only-west'));
  await target.create('Service', GATEWAY);
  for (const object of readFixture().target) {
    if (object.kind !== 'Endpoints') await target.create(object.kind, withApiVersion(object));
  }
};

const isMirror = ({ metadata }: FixtureObject): boolean =>
  MIRRORED.some((name) => metadata.namespace === 'shop' && metadata.name === name);

/** The mirrors' Services and Endpoints as Linkerd wrote them, with our deliberate differences. */
const expectedMirrors = (): readonly KubeObject[] =>
  readFixture()
    .source.filter(isMirror)
    .map((object) => withDifferences(nameOf(object), object));

/** The fixture's objects with the address that the endpoint mirror of the one ready pod has here. */
const withPodAddress = async <T>(lab: Lab, objects: T): Promise<T> =>
  JSON.parse(JSON.stringify(objects).replaceAll(POD_ADDRESS, await clusterIPOf(lab, 'db-0-west')));

/** Of the Service that a mirror, or the endpoint mirror of db's one pod, was made from. */
const exportedVersion = async ({ target }: Lab, mirror: string): Promise<string | undefined> => {
  const name = mirror === 'db-0-west' ? 'db' : mirror.replace(/-west$/, '');
  return (await target.read('Service', 'shop', name))?.metadata.resourceVersion;
};

/** What stands in namespace shop of the source cluster, in the fixture's form and order. */
const writtenMirrors = async (lab: Lab): Promise<readonly KubeObject[]> => {
  const written: KubeObject[] = [];
  for (const kind of ['Service', 'Endpoints'] as const) {
    const objects = await lab.source.list(kind, 'shop');
    for (const object of objects.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)))
      written.push(normalised(kind, object, await exportedVersion(lab, object.metadata.name)));
  }
  return written;
};

/** Writes an object as Linkerd's controller would have: its field manager is called "controller". */
const createAsController = (lab: Lab, object: KubeObject): Promise<KubeObject> =>
  lab.source.call(
    'POST',
    `/api/v1/namespaces/${object.metadata.namespace}/${object.kind === 'Service' ? 'services' : 'endpoints'}?fieldManager=controller`,
    object,
  );

const clusterIPOf = async (lab: Lab, name: string): Promise<string> =>
  (await lab.source.read('Service', 'shop', name))?.['spec'].clusterIP;

/** Everything that Linkerd's controller left in the source cluster. */
const arrangeLinkerdMirrors = async (lab: Lab): Promise<void> => {
  const { source } = readFixture();
  for (const object of source.filter(({ kind }) => kind === 'Service'))
    await createAsController(lab, creatable(object));
  for (const object of source.filter(({ kind }) => kind === 'Endpoints'))
    await createAsController(lab, await withPodAddress(lab, withApiVersion(object)));
};

/** All Services and Endpoints of the source cluster, byte for byte, by `Kind namespace/name`. */
const everything = async ({ source }: Lab): Promise<ReadonlyMap<string, string>> => {
  const rows = new Map<string, string>();
  for (const kind of ['Service', 'Endpoints'] as const) {
    for (const object of await source.list(kind))
      rows.set(nameOf({ ...object, kind }), JSON.stringify(object));
  }
  return rows;
};

const without = (rows: ReadonlyMap<string, string>, name: string): ReadonlyMap<string, string> =>
  new Map([...rows].filter(([row]) => row !== name));

export const goldenSuite = (handle: LabHandle): void => {
  it('G6: a first sync writes what Linkerd writes, field by field, but for the deliberate differences', async () => {
    const { lab } = handle;
    await arrangeExports(lab);
    const run = await lab.sync();
    expect(await writtenMirrors(lab)).toEqual(await withPodAddress(lab, expectedMirrors()));
    expect(run.report.outcomes?.map(({ result }) => result)).toEqual(
      Array.from({ length: 15 }, () => 'applied'),
    );
    expect(refusalsOf(run)).toEqual(REFUSALS);
  });

  it('a first sync writes nothing outside the namespaces of the exported Services but its Lease', async () => {
    const { lab } = handle;
    await arrangeExports(lab);
    await lab.sync();
    const foreign = [...(await everything(lab)).keys()].filter((name) => !name.includes(' shop/'));
    expect(foreign.filter((name) => !name.includes(' default/'))).toEqual([]);
    expect(
      (await lab.source.list('Lease', 'linkerd-multicluster')).map(({ metadata }) => metadata.name),
    ).toEqual(['service-mirror-write-west']);
  });

  it("the plan over Linkerd's own mirrors is empty but for the deliberate differences", async () => {
    const { lab } = handle;
    await arrangeExports(lab);
    await arrangeLinkerdMirrors(lab);
    const before = await everything(lab);
    const run = await lab.plan();
    expect(run.report.changes).toMatchObject([
      {
        action: 'update',
        kind: 'Service',
        namespace: 'shop',
        name: 'web-west',
        reasons: [
          'ports: http TCP 80→8080, admin TCP 9990→adm → http TCP 80→8080 kubernetes.io/h2c, admin TCP 9990→adm',
        ],
      },
    ]);
    expect(run.report.changes).toHaveLength(1);
    expect(refusalsOf(run)).toEqual(REFUSALS);
    expect(run.report.unobserved).toEqual([]);
    expect(await everything(lab)).toEqual(before);
  });

  it("taking over Linkerd's mirrors writes one object, keeps every ClusterIP and leaves the rest byte for byte", async () => {
    const { lab } = handle;
    await arrangeExports(lab);
    await arrangeLinkerdMirrors(lab);
    const before = await everything(lab);
    const address = await clusterIPOf(lab, 'web-west');
    const run = await lab.sync();
    expect(run.writes).toEqual(['PATCH Service shop/web-west']);
    const after = await everything(lab);
    expect(without(after, 'Service shop/web-west')).toEqual(without(before, 'Service shop/web-west'));
    expect(await clusterIPOf(lab, 'web-west')).toBe(address);
    expect((await lab.plan()).report.changes).toEqual([]);
    expect(
      normalised('Service', await readService(lab, 'web-west'), await exportedVersion(lab, 'web')),
    ).toEqual(expectedMirrors().find((object) => nameOf(object) === 'Service shop/web-west'));
  });

  it('federated objects that Linkerd made survive while their shape is not built, and are said to be', async () => {
    const { lab } = handle;
    await arrangeExports(lab);
    await arrangeLinkerdMirrors(lab);
    const run = await lab.sync();
    const names = (await lab.source.list('Service', 'shop')).map(({ metadata }) => metadata.name).toSorted();
    expect(names).toEqual([
      'both-federated',
      'both-west',
      'db-0-west',
      'db-west',
      'disc-west',
      'empty-west',
      'fed-federated',
      'plain-west',
      'unnamed-west',
      'web-west',
    ]);
    expect(refusalsOf(run)).toEqual(REFUSALS);
  });

  it('E7: when their Services are no longer exported, the mirrors that Linkerd made go, headless ones too', async () => {
    const { lab } = handle;
    await arrangeExports(lab);
    await arrangeLinkerdMirrors(lab);
    for (const name of ['db', 'empty'])
      await lab.target.patch('Service', 'shop', name, {
        metadata: { labels: { 'mirror.linkerd.io/exported': null } },
      });
    const run = await lab.sync();
    expect(run.writes.filter((write) => write.startsWith('DELETE')).toSorted()).toEqual([
      'DELETE Endpoints shop/db-0-west',
      'DELETE Endpoints shop/db-west',
      'DELETE Endpoints shop/empty-west',
      'DELETE Service shop/db-0-west',
      'DELETE Service shop/db-west',
      'DELETE Service shop/empty-west',
    ]);
    const left = (await lab.source.list('Service', 'shop')).map(({ metadata }) => metadata.name);
    expect(left).not.toContain('db-west');
    expect(left).toContain('plain-west');
    expect(
      (await lab.source.list('Service', 'linkerd-multicluster')).map(({ metadata }) => metadata.name),
    ).toEqual(['probe-west']);
  });
};

const readService = async (lab: Lab, name: string): Promise<KubeObject> => {
  const object = await lab.source.read('Service', 'shop', name);
  if (object === undefined) throw new Error(`Service shop/${name} does not exist`);
  return object;
};
