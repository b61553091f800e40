// Cases of copying metadata and ports (G), through the whole reconcile.
import { expect, it } from 'vitest';
import { aService, EXPORTED } from '../support/builders.ts';
import { endpointsOf, type Lab } from '../support/lab.ts';
import { changeTarget, expectInSync, type LabHandle, mirrorWeb, standing } from './suite.ts';

const OWNERSHIP = {
  'mirror.linkerd.io/mirrored-service': 'true',
  'mirror.linkerd.io/cluster-name': 'west',
};
const OPAQUE = 'config.linkerd.io/opaque-ports';
const FQ_NAME = { 'mirror.linkerd.io/remote-svc-fq-name': 'web.shop.svc.cluster.local' };

/** Annotations of the mirror Service; the version that it was made from moves with every change of the exported Service. */
const annotationsOf = async (lab: Lab): Promise<Readonly<Record<string, string>>> => {
  const { annotations = {} } = (await standing(lab, 'Service', 'web-west')).metadata;
  const { 'mirror.linkerd.io/remote-resource-version': _, ...others } = annotations;
  return others;
};

const labelsOf = async (lab: Lab, kind: 'Service' | 'Endpoints' = 'Service') =>
  (await standing(lab, kind, 'web-west')).metadata.labels;

const annotate = (lab: Lab, annotations: Readonly<Record<string, string | null>>) =>
  changeTarget(lab, 'web', { metadata: { annotations } });

export const metadataCases = (handle: LabHandle): void => {
  it('G1: labels and annotations that hand an object to another tool are not copied, ordinary ones are', async () => {
    const { lab } = handle;
    const labels = {
      ...EXPORTED,
      team: 'a',
      'app.kubernetes.io/name': 'web',
      'app.kubernetes.io/managed-by': 'Helm',
      'app.kubernetes.io/instance': 'release',
      'argocd.argoproj.io/instance': 'x',
      'kustomize.toolkit.fluxcd.io/name': 'apps',
      'helm.toolkit.fluxcd.io/namespace': 'flux-system',
    };
    const annotations = {
      note: 'kept',
      'argocd.argoproj.io/sync-options': 'Prune=false',
      'argocd.argoproj.io/tracking-id': 'x:/Service:shop/web',
      'argocd.argoproj.io/installation-id': 'one',
      'meta.helm.sh/release-name': 'release',
      'meta.helm.sh/release-namespace': 'shop',
      'kustomize.toolkit.fluxcd.io/ssa': 'Merge',
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
      'mirror.linkerd.io/remote-gateway-identity': 'forged.id',
      'multicluster.linkerd.io/remote-discovery': 'forged',
    };
    await mirrorWeb(lab, aService({ labels, annotations }));
    for (const kind of ['Service', 'Endpoints'] as const)
      expect(await labelsOf(lab, kind)).toEqual({ ...OWNERSHIP, team: 'a', 'app.kubernetes.io/name': 'web' });
    expect(await annotationsOf(lab)).toEqual({
      ...FQ_NAME,
      note: 'kept',
      'argocd.argoproj.io/sync-options': 'Prune=false',
    });
    expect((await standing(lab, 'Endpoints', 'web-west')).metadata.annotations).toEqual({
      ...FQ_NAME,
      'mirror.linkerd.io/remote-gateway-identity': 'gw.id',
    });
    await expectInSync(lab);
  });

  it('G1: another value of managed-by than Helm is an ordinary label', async () => {
    const { lab } = handle;
    await mirrorWeb(lab, aService({ labels: { ...EXPORTED, 'app.kubernetes.io/managed-by': 'team-a' } }));
    expect(await labelsOf(lab)).toEqual({ ...OWNERSHIP, 'app.kubernetes.io/managed-by': 'team-a' });
    await expectInSync(lab);
  });

  it("G1: the link's own exclusions hold besides, and leave when the link stops excluding", async () => {
    const { lab } = handle;
    const labels = { ...EXPORTED, 'internal.example.test/a': '1', 'internal.example.test/b': '2', team: 'a' };
    const annotations = { secret: 'x', 'internal.example.test/c': '3', note: 'kept' };
    lab.setLink({
      excludedLabels: ['internal.example.test/*'],
      excludedAnnotations: ['secret', 'internal.example.test/c'],
    });
    await mirrorWeb(lab, aService({ labels, annotations }));
    expect(await labelsOf(lab)).toEqual({ ...OWNERSHIP, team: 'a' });
    expect(await annotationsOf(lab)).toEqual({ ...FQ_NAME, note: 'kept' });
    lab.setLink({ excludedLabels: ['team'] });
    await lab.sync();
    expect(await labelsOf(lab)).toEqual({
      ...OWNERSHIP,
      'internal.example.test/a': '1',
      'internal.example.test/b': '2',
    });
    expect(await annotationsOf(lab)).toEqual({ ...FQ_NAME, ...annotations });
    await expectInSync(lab);
  });

  it('G2: what external-dns publishes names from is not copied', async () => {
    const { lab } = handle;
    const annotations = {
      'external-dns.alpha.kubernetes.io/hostname': 'web.example.test',
      'external-dns.alpha.kubernetes.io/ttl': '60',
      'example.test/hostname': 'web.example.test',
    };
    await mirrorWeb(lab, aService({ annotations }));
    expect(await annotationsOf(lab)).toEqual({ ...FQ_NAME, 'example.test/hostname': 'web.example.test' });
    await expectInSync(lab);
  });

  it.each([{}, { excludedAnnotations: ['config.linkerd.io/*'] }])(
    'G4: opaque ports follow when they are added, changed and removed, whatever the link excludes: %j',
    async (document) => {
      const { lab } = handle;
      lab.setLink(document);
      await mirrorWeb(lab);
      expect(await annotationsOf(lab)).toEqual(FQ_NAME);
      for (const ports of ['3306', '3306,25']) {
        await annotate(lab, { [OPAQUE]: ports });
        expect((await lab.sync()).writes).toEqual(['PATCH Service shop/web-west']);
        expect(await annotationsOf(lab)).toEqual({ ...FQ_NAME, [OPAQUE]: ports });
      }
      await annotate(lab, { [OPAQUE]: null });
      expect((await lab.sync()).writes).toEqual(['PATCH Service shop/web-west']);
      expect(await annotationsOf(lab)).toEqual(FQ_NAME);
      await expectInSync(lab);
    },
  );

  it('G6: name, port, protocol, target port and application protocol of a port are kept', async () => {
    const { lab } = handle;
    const ports = [
      { name: 'h2', port: 80, protocol: 'TCP', targetPort: 8080, appProtocol: 'kubernetes.io/h2c' },
      { name: 'dns', port: 53, protocol: 'UDP', targetPort: 'dns' },
    ];
    await mirrorWeb(lab, aService({ ports }));
    expect((await standing(lab, 'Service', 'web-west'))['spec'].ports).toEqual(ports);
    const subsets: readonly { readonly ports: readonly object[] }[] = (
      await standing(lab, 'Endpoints', 'web-west')
    )['subsets'];
    expect(subsets).toHaveLength(1);
    expect(new Set(subsets[0]?.ports)).toEqual(
      new Set([
        { name: 'dns', port: 4143, protocol: 'UDP' },
        { name: 'h2', port: 4143, protocol: 'TCP' },
      ]),
    );
    await expectInSync(lab);
  });

  it('G6: a port that is added, renamed, renumbered or removed changes on the Service and on its Endpoints', async () => {
    const { lab } = handle;
    await mirrorWeb(lab);
    const http = { name: 'http', port: 80, protocol: 'TCP', targetPort: 8080 };
    const steps = [
      { ports: [http, { ...http, name: 'admin', port: 81 }], listed: ['admin:4143', 'http:4143'], writes: 2 },
      { ports: [http, { ...http, name: 'ops', port: 81 }], listed: ['http:4143', 'ops:4143'], writes: 2 },
      { ports: [http, { ...http, name: 'ops', port: 82 }], listed: ['http:4143', 'ops:4143'], writes: 1 },
      { ports: [{ ...http, appProtocol: 'http' }], listed: ['http:4143'], writes: 2 },
      { ports: [http], listed: ['http:4143'], writes: 1 },
      { ports: [{ port: 80, protocol: 'TCP', targetPort: 8080 }], listed: [':4143'], writes: 2 },
    ];
    for (const { ports, listed, writes } of steps) {
      await changeTarget(lab, 'web', { spec: { ports } });
      const run = await lab.sync();
      expect(run.writes).toEqual(
        ['PATCH Service shop/web-west', 'PATCH Endpoints shop/web-west'].slice(0, writes),
      );
      expect((await standing(lab, 'Service', 'web-west'))['spec'].ports).toEqual(ports);
      expect((await endpointsOf(lab.source))?.ports.toSorted()).toEqual(listed);
      await expectInSync(lab);
    }
  });

  it('G7: what other tools put on a mirror stays through every change of the exported Service', async () => {
    const { lab } = handle;
    await mirrorWeb(lab, aService({ labels: { ...EXPORTED, tier: 'a' } }));
    const labeller = lab.source.as('kubectl-label');
    await labeller.patch('Service', 'shop', 'web-west', {
      metadata: { labels: { scrape: 'yes' }, annotations: { owner: 'ops' } },
    });
    await labeller.patch('Endpoints', 'shop', 'web-west', { metadata: { labels: { scrape: 'yes' } } });
    await expectInSync(lab);
    await changeTarget(lab, 'web', { metadata: { labels: { tier: null, team: 'b' } } });
    expect((await lab.sync()).writes).toEqual([
      'PATCH Service shop/web-west',
      'PATCH Endpoints shop/web-west',
    ]);
    expect(await labelsOf(lab)).toEqual({ ...OWNERSHIP, team: 'b', scrape: 'yes' });
    expect(await labelsOf(lab, 'Endpoints')).toEqual({ ...OWNERSHIP, team: 'b', scrape: 'yes' });
    expect(await annotationsOf(lab)).toEqual({ ...FQ_NAME, owner: 'ops' });
    await expectInSync(lab);
  });

  it("G7: the exported Service's value wins while it has the key, and a key that it drops goes with it", async () => {
    const { lab } = handle;
    await mirrorWeb(lab, aService({ labels: { ...EXPORTED, tier: 'a' } }));
    await lab.source
      .as('kubectl-label')
      .patch('Service', 'shop', 'web-west', { metadata: { labels: { tier: 'mine' } } });
    expect((await lab.sync()).writes).toEqual(['PATCH Service shop/web-west']);
    expect(await labelsOf(lab)).toEqual({ ...OWNERSHIP, tier: 'a' });
    await changeTarget(lab, 'web', { metadata: { labels: { tier: null } } });
    await lab.sync();
    expect(await labelsOf(lab)).toEqual(OWNERSHIP);
    await expectInSync(lab);
  });

  it('a change of the exported Service that concerns no mirror moves its version, and nothing is written', async () => {
    const { lab } = handle;
    await mirrorWeb(lab);
    const before = await standing(lab, 'Service', 'web-west');
    await annotate(lab, { 'kubectl.kubernetes.io/last-applied-configuration': '{"a":1}' });
    await changeTarget(lab, 'web', { spec: { sessionAffinity: 'ClientIP' } });
    await expectInSync(lab);
    expect(await standing(lab, 'Service', 'web-west')).toEqual(before);
    await annotate(lab, { note: 'new' });
    await lab.sync();
    const exported = await lab.target.read('Service', 'shop', 'web');
    const mirror = await standing(lab, 'Service', 'web-west');
    expect(mirror.metadata.annotations?.['mirror.linkerd.io/remote-resource-version']).toBe(
      exported?.metadata.resourceVersion,
    );
  });
};
