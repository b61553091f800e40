// Cases of ownership, names and what goes when its Service has gone (E), through the whole reconcile.
import { expect, it } from 'vitest';
import {
  aMirror,
  aMirrorEndpoints,
  aService,
  aSlice,
  EXPORTED,
  REMOTE_DISCOVERY,
} from '../support/builders.ts';
import { endpointsOf, type Lab, openLab, refusalsOf, slicesOf } from '../support/lab.ts';
import { statusAnswer } from '../support/wire.ts';
import {
  arrangeTarget,
  changeTarget,
  expectInSync,
  gatewayAt,
  type LabHandle,
  mirrorWeb,
  setPods,
  sorted,
  standing,
  UNEXPORT,
} from './suite.ts';

const FILLED = { ready: ['203.0.113.10'], notReady: [], ports: ['http:4143'] };
const EMPTY = { ready: [], notReady: [], ports: [] };
/** What a user made, not a mirror. */
const USERS_OWN = { labels: { app: 'users' }, annotations: {} };

const exportAll = async (lab: Lab, names: readonly string[], labels = EXPORTED): Promise<void> => {
  const objects = names.flatMap((name) => [
    ['Service', aService({ name, labels })] as const,
    ['EndpointSlice', aSlice({ service: name })] as const,
  ]);
  await arrangeTarget(lab, objects, gatewayAt('203.0.113.10'));
};

const removeExported = async (lab: Lab, name: string): Promise<void> => {
  await lab.target.remove('Service', 'shop', name);
  await lab.target.remove('EndpointSlice', 'shop', `${name}-abcde`);
};

const servicesIn = async (api: Lab['source'], namespace = 'shop'): Promise<readonly string[]> =>
  (await api.list('Service', namespace)).map(({ metadata }) => metadata.name);

export const ownershipCases = (handle: LabHandle): void => {
  it('E1: a mirror name of more than 63 characters is refused, never tried, and holds up nobody', async () => {
    const { lab } = handle;
    lab.setLink({ name: 'west-eu' });
    const [long, fits] = ['a'.repeat(60), 'b'.repeat(55)];
    await exportAll(lab, [long, fits]);
    const run = await lab.sync();
    expect(refusalsOf(run)).toEqual([`NameTooLong shop/${long}`]);
    expect(run.report.refusals[0]?.message).toBe(
      `Service shop/${long}: mirror name ${long}-west-eu: expected at most 63 characters, got 68`,
    );
    expect(run.writes).toEqual([`POST Service shop/${fits}-west-eu`, `POST Endpoints shop/${fits}-west-eu`]);
    expect(await endpointsOf(lab.source, { namespace: 'shop', name: `${fits}-west-eu` })).toEqual(FILLED);
    const again = await lab.sync();
    expect(again.writes).toEqual([]);
    expect(refusalsOf(again)).toEqual([`NameTooLong shop/${long}`]);
  });

  it('E1: the same in remote-discovery mode, whose labels hold the name of the Service', async () => {
    const { lab } = handle;
    lab.setLink({ name: 'west-eu' });
    const [long, fits] = ['a'.repeat(56), 'b'.repeat(55)];
    await exportAll(lab, [long, fits], REMOTE_DISCOVERY);
    const run = await lab.sync();
    expect(refusalsOf(run)).toEqual([`NameTooLong shop/${long}`]);
    expect(run.writes).toEqual([`POST Service shop/${fits}-west-eu`]);
    expect(
      (await standing(lab, 'Service', `${fits}-west-eu`)).metadata.labels?.[
        'multicluster.linkerd.io/remote-service'
      ],
    ).toBe(fits);
    await expectInSync(lab);
  });

  it("E3: a user's own Service at the name of a mirror is never written and never deleted", async () => {
    const { lab } = handle;
    await lab.source.create('Service', aMirror({ ...USERS_OWN, spec: { selector: { app: 'users' } } }));
    const before = await standing(lab, 'Service', 'web-west');
    await exportAll(lab, ['api', 'web']);
    const run = await lab.sync();
    expect(refusalsOf(run)).toEqual(['NotOwned shop/web']);
    expect(run.writes).toEqual(['POST Service shop/api-west', 'POST Endpoints shop/api-west']);
    for (const name of ['api', 'web']) await removeExported(lab, name);
    expect((await lab.sync()).writes).toEqual([
      'DELETE Endpoints shop/api-west',
      'DELETE Service shop/api-west',
    ]);
    expect(await standing(lab, 'Service', 'web-west')).toEqual(before);
    expect(await servicesIn(lab.source)).toEqual(['web-west']);
    await expectInSync(lab);
  });

  it("E3: neither is another link's mirror at that name", async () => {
    const { lab } = handle;
    await lab.source.create('Service', aMirror({ link: 'east' }));
    await lab.source.create('Endpoints', aMirrorEndpoints({ link: 'east', ready: ['203.0.113.99'] }));
    const before = [await standing(lab, 'Service', 'web-west'), await standing(lab, 'Endpoints', 'web-west')];
    const run = await mirrorWeb(lab);
    expect(refusalsOf(run)).toEqual(['NotOwned shop/web']);
    expect(run.report.refusals[0]?.message).toBe(
      'Service shop/web-west exists and is not this link\'s: label mirror.linkerd.io/cluster-name: expected "west", got "east"',
    );
    await changeTarget(lab, 'web', UNEXPORT);
    await expectInSync(lab);
    expect([
      await standing(lab, 'Service', 'web-west'),
      await standing(lab, 'Endpoints', 'web-west'),
    ]).toEqual(before);
  });

  it("E4: a user's Endpoints at the name of a mirror keep what they list, whatever the target's pods do", async () => {
    const { lab } = handle;
    await lab.source.create('Service', aMirror(USERS_OWN));
    await lab.source.create('Endpoints', aMirrorEndpoints({ ...USERS_OWN, ready: [] }));
    const unlisted = await standing(lab, 'Endpoints', 'web-west');
    expect(refusalsOf(await mirrorWeb(lab))).toEqual(['NotOwned shop/web']);
    expect(await standing(lab, 'Endpoints', 'web-west')).toEqual(unlisted);
    const subsets = aMirrorEndpoints({ ready: ['192.0.2.1'] })['subsets'];
    await lab.source.patch('Endpoints', 'shop', 'web-west', { subsets });
    const listed = await standing(lab, 'Endpoints', 'web-west');
    await setPods(lab, []);
    await expectInSync(lab);
    expect(await standing(lab, 'Endpoints', 'web-west')).toEqual(listed);
    await lab.source.remove('Service', 'shop', 'web-west'); // takes its Endpoints along
    await lab.sync();
    expect(await endpointsOf(lab.source)).toEqual(EMPTY);
    await expectInSync(lab);
  });

  it("E4: a user's Endpoints without a Service are in the way of the whole mirror", async () => {
    const { lab } = handle;
    await lab.source.create('Endpoints', aMirrorEndpoints({ ...USERS_OWN, ready: ['192.0.2.1'] }));
    const before = await standing(lab, 'Endpoints', 'web-west');
    const run = await mirrorWeb(lab);
    expect(refusalsOf(run)).toEqual(['NotOwned shop/web']);
    expect(run.writes).toEqual([]);
    expect(await lab.source.read('Service', 'shop', 'web-west')).toBeUndefined();
    expect(await standing(lab, 'Endpoints', 'web-west')).toEqual(before);
    await lab.source.remove('Endpoints', 'shop', 'web-west');
    const freed = await lab.sync();
    expect(freed.writes).toEqual(['POST Service shop/web-west', 'POST Endpoints shop/web-west']);
    expect(await endpointsOf(lab.source)).toEqual(FILLED);
  });

  it('E6: a mirror is never mirrored again, whatever its labels match', async () => {
    const { lab } = handle;
    const expose = { expose: 'true' };
    lab.setLink({ selector: { matchLabels: expose } });
    const mirrored = {
      'mirror.linkerd.io/mirrored-service': 'true',
      'mirror.linkerd.io/cluster-name': 'a',
    };
    const federated = {
      'mirror.linkerd.io/mirrored-service': 'true',
      'mirror.linkerd.io/federated': 'member',
    };
    await exportAll(lab, ['web'], expose);
    await lab.target.create('Service', aService({ name: 'foo-a', labels: { ...expose, ...mirrored } }));
    await lab.target.create(
      'Service',
      aService({ name: 'foo-federated', labels: { ...expose, ...federated } }),
    );
    const run = await lab.sync();
    expect(run.report.refusals).toEqual([]);
    expect(await servicesIn(lab.source)).toEqual(['web-west']);
    await expectInSync(lab);
  });

  it('E6: two clusters that link each other by an ordinary label come to rest', async () => {
    const { lab } = handle;
    const back = openLab({ source: lab.servers.target, target: lab.servers.source });
    const [expose, selector] = [{ expose: 'true' }, { matchLabels: { expose: 'true' } }];
    lab.setLink({ selector });
    back.setLink({ name: 'east', selector });
    await exportAll(lab, ['web'], expose);
    await lab.source.create('Service', gatewayAt('203.0.113.20'));
    await lab.source.create('Service', aService({ name: 'api', labels: expose }));
    for (const side of [lab, back, lab, back, lab]) await side.sync();
    expect(await servicesIn(lab.source)).toEqual(['api', 'web-west']);
    expect(await servicesIn(lab.target)).toEqual(['api-east', 'web']);
    expect((await standing(lab, 'Service', 'web-west')).metadata.labels?.['expose']).toBe('true');
    await expectInSync(lab);
    await expectInSync(back);
    await back.close();
  });

  it.each(['endpoints', 'endpointslices'] as const)(
    'E7: what was deleted or unexported while nobody looked goes, and nothing else (%s)',
    async (endpoints) => {
      const { lab } = handle;
      lab.setLink({ endpoints });
      await exportAll(lab, ['a', 'b', 'c']);
      await lab.sync();
      const gatewayLabels = {
        'mirror.linkerd.io/mirrored-gateway': 'true',
        'mirror.linkerd.io/cluster-name': 'west',
      };
      const probe = { name: 'probe-west', namespace: 'linkerd-multicluster', labels: gatewayLabels };
      await lab.source.create('Service', aMirror(probe));
      const identity = { 'mirror.linkerd.io/remote-gateway-identity': 'gw.id' };
      await lab.source.create('Endpoints', {
        ...aMirrorEndpoints({ ...probe, annotations: identity }),
        subsets: [
          { addresses: [{ ip: '203.0.113.10' }], ports: [{ name: 'mc-probe', port: 4191, protocol: 'TCP' }] },
        ],
      });
      const kept = async () => [
        await standing(lab, 'Service', 'a-west'),
        await endpointsOf(lab.source, { namespace: 'shop', name: 'a-west' }),
        await slicesOf(lab.source, { namespace: 'shop', name: 'a-west' }),
        await lab.source.read('Service', 'linkerd-multicluster', 'probe-west'),
        await lab.source.read('Endpoints', 'linkerd-multicluster', 'probe-west'),
      ];
      const before = await kept();
      const addressed = ['b-west', 'c-west'].map((name) => ({ namespace: 'shop', name }));
      const slices = await Promise.all(addressed.map((key) => slicesOf(lab.source, key)));
      await removeExported(lab, 'b');
      await changeTarget(lab, 'c', UNEXPORT);
      lab.forget();
      const run = await lab.sync();
      const addresses =
        endpoints === 'endpoints'
          ? ['DELETE Endpoints shop/b-west', 'DELETE Endpoints shop/c-west']
          : slices.flat().map(({ metadata }) => `DELETE EndpointSlice shop/${metadata.name}`);
      expect(sorted(run.writes)).toEqual([
        ...addresses,
        'DELETE Service shop/b-west',
        'DELETE Service shop/c-west',
      ]);
      expect(await kept()).toEqual(before);
      expect(await servicesIn(lab.source)).toEqual(['a-west']);
      expect((await lab.source.list('Endpoints', 'shop')).length).toBe(endpoints === 'endpoints' ? 1 : 0);
      expect(await lab.source.list('EndpointSlice', 'shop')).toHaveLength(endpoints === 'endpoints' ? 0 : 1);
      await expectInSync(lab);
    },
  );

  it('E8: while the endpoints of the target may not be read nothing is deleted and nothing emptied', async () => {
    const { lab } = handle;
    await exportAll(lab, ['a', 'b']);
    await lab.sync();
    await removeExported(lab, 'b');
    await lab.target.patch('EndpointSlice', 'shop', 'a-abcde', { endpoints: [] });
    await changeTarget(lab, 'a', { metadata: { annotations: { note: 'new' } } });
    lab.reachAs('target', 'noEndpoints');
    const run = await lab.sync();
    expect(run.report.unobserved.map(({ what }) => what)).toEqual(['target EndpointSlices']);
    expect(run.writes).toEqual(['PATCH Service shop/a-west']);
    expect(await endpointsOf(lab.source, { namespace: 'shop', name: 'a-west' })).toEqual(FILLED);
    expect(await endpointsOf(lab.source, { namespace: 'shop', name: 'b-west' })).toEqual(FILLED);
    lab.reachAs('target', 'admin');
    expect(sorted((await lab.sync()).writes)).toEqual([
      'DELETE Endpoints shop/b-west',
      'DELETE Service shop/b-west',
      'PATCH Endpoints shop/a-west',
    ]);
    expect(await servicesIn(lab.source)).toEqual(['a-west']);
    await expectInSync(lab);
  });

  it('E8: a list of Services whose second page fails is no evidence that anything has gone', async () => {
    const { lab } = handle;
    await exportAll(lab, ['a', 'b', 'c']);
    await lab.sync();
    await removeExported(lab, 'a');
    const wire = await lab.wire('target');
    lab.setPageSize(2);
    wire.add({
      on: ({ path, query }) => path === '/api/v1/services' && query.has('continue'),
      action: statusAnswer(500, 'InternalError', 'etcd is away'),
    });
    const run = await lab.sync();
    expect(run.report.unobserved).toEqual([
      { what: 'target Services', message: 'target: LIST Service: etcd is away' },
    ]);
    expect(run.writes).toEqual([]);
    expect(await servicesIn(lab.source)).toEqual(['a-west', 'b-west', 'c-west']);
    wire.clear();
    expect((await lab.sync()).writes).toEqual(['DELETE Endpoints shop/a-west', 'DELETE Service shop/a-west']);
    expect(await servicesIn(lab.source)).toEqual(['b-west', 'c-west']);
  });

  it('E8: a target that suddenly exports nothing is looked at twice before many mirrors go', async () => {
    const { lab } = handle;
    const names = Array.from({ length: 11 }, (_unused, index) => `web-${10 + index}`);
    await exportAll(lab, names);
    await lab.sync();
    for (const name of names) await lab.target.remove('Service', 'shop', name);
    const run = await lab.sync();
    expect(refusalsOf(run)).toEqual(['DeleteBrake /west']);
    expect(run.writes).toEqual([]);
    expect(await servicesIn(lab.source)).toEqual(names.map((name) => `${name}-west`));
    expect((await lab.sync({ forceDeletes: true })).writes).toHaveLength(22);
    expect(await servicesIn(lab.source)).toEqual([]);
  });

  it('E10: a Service that was deleted and made anew with another port has one mirror, with that port', async () => {
    const { lab } = handle;
    await mirrorWeb(lab);
    const before = await standing(lab, 'Service', 'web-west');
    await lab.target.remove('Service', 'shop', 'web');
    await lab.target.create('Service', aService({ ports: [{ name: 'http', port: 81, protocol: 'TCP' }] }));
    expect((await lab.sync()).writes).toEqual(['PATCH Service shop/web-west']);
    const after = await standing(lab, 'Service', 'web-west');
    expect(after['spec'].ports).toEqual([{ name: 'http', port: 81, protocol: 'TCP', targetPort: 81 }]);
    expect([after.metadata.uid, after['spec'].clusterIP]).toEqual([
      before.metadata.uid,
      before['spec'].clusterIP,
    ]);
    expect(await servicesIn(lab.source)).toEqual(['web-west']);
    expect(await endpointsOf(lab.source)).toEqual(FILLED);
    await expectInSync(lab);
  });

  it('E10: one that comes back while its mirror is being deleted is mirrored again by the next run', async () => {
    const { lab } = handle;
    await mirrorWeb(lab);
    await lab.target.remove('Service', 'shop', 'web');
    lab.sourceFaults.add({
      on: 'DELETE',
      times: 1,
      hook: () =>
        lab.target.create('Service', aService({ ports: [{ name: 'http', port: 81, protocol: 'TCP' }] })),
    });
    await lab.sync();
    await lab.sync();
    expect((await standing(lab, 'Service', 'web-west'))['spec'].ports).toEqual([
      { name: 'http', port: 81, protocol: 'TCP', targetPort: 81 },
    ]);
    expect(await endpointsOf(lab.source)).toEqual(FILLED);
    await expectInSync(lab);
  });

  it('E12: a label added to the exported Service changes the same objects, and makes no second one', async () => {
    const { lab } = handle;
    lab.setLink({ endpoints: 'endpointslices' });
    await mirrorWeb(lab);
    const before = [await standing(lab, 'Service', 'web-west'), ...(await slicesOf(lab.source))];
    await changeTarget(lab, 'web', { metadata: { labels: { team: 'a' } } });
    expect((await lab.sync()).writes).toEqual([
      'PATCH Service shop/web-west',
      `PATCH EndpointSlice shop/${before[1]?.metadata.name}`,
    ]);
    const after = [await standing(lab, 'Service', 'web-west'), ...(await slicesOf(lab.source))];
    expect(after.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
    expect(after.map(({ metadata }) => metadata.labels?.['team'])).toEqual(['a', 'a']);
    expect(await lab.source.list('EndpointSlice', 'shop')).toHaveLength(1);
    await expectInSync(lab);
  });
};
