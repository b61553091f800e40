// Cases of links and their credentials (J), for one link through the whole reconcile.
import { expect, it } from 'vitest';
import { InputError } from '../../lib/errors.ts';
import { bearer } from '../../lib/kube/connection.ts';
import { connectionFromKubeconfig } from '../../lib/kube/kubeconfig.ts';
import { endpointsOf, type Lab, openLab } from '../support/lab.ts';
import { changeTarget, expectInSync, type LabHandle, mirrorWeb, standing } from './suite.ts';

const FILLED = { ready: ['203.0.113.10'], notReady: [], ports: ['http:4143'] };
/** Nobody listens on it: the lowest port, which nothing is given by chance. */
const NOBODY = { server: 'http://127.0.0.1:1' };

/** A kubeconfig for the target cluster; JSON is YAML too. */
const kubeconfigText = (lab: Lab, token: string): string => {
  const { url, caData } = lab.servers.target;
  const authority =
    caData === undefined ? {} : { 'certificate-authority-data': Buffer.from(caData).toString('base64') };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'west',
    contexts: [{ name: 'west', context: { cluster: 'west', user: 'mirror' } }],
    clusters: [{ name: 'west', cluster: { server: url, ...authority } }],
    users: [{ name: 'mirror', user: { token } }],
  });
};

const reachByKubeconfig = async (lab: Lab, text: string): Promise<void> =>
  lab.reach('target', await connectionFromKubeconfig({ name: 'target', trust: 'file', text }));

/** What a reader of the source cluster sees of the mirror. */
const mirrorOf = async (lab: Lab) => [
  await standing(lab, 'Service', 'web-west'),
  await standing(lab, 'Endpoints', 'web-west'),
];

export const linkCases = (handle: LabHandle): void => {
  it('J1: while the target API is away its mirrors stay, other links go on, and it catches up by itself', async () => {
    const { lab } = handle;
    await mirrorWeb(lab);
    await changeTarget(lab, 'web', { metadata: { labels: { tier: 'a' } } });
    const before = await mirrorOf(lab);
    const asked = lab.targetFaults.requests.length;
    const reachable = lab.connection('target');
    lab.reach('target', NOBODY);
    for (const rounds of [1, 2]) {
      const { report, writes } = await lab.sync();
      expect(report.unobserved).toEqual([
        {
          what: 'target cluster',
          message: 'target: GET Namespace kube-system: no complete answer (ECONNREFUSED)',
        },
      ]);
      expect(writes).toEqual([]);
      expect(lab.targetFaults.requests.length - asked).toBe(3 * rounds);
    }
    expect(await mirrorOf(lab)).toEqual(before);
    const east = openLab(lab.servers);
    east.setLink({ name: 'east' });
    expect((await east.sync()).writes).toEqual([
      'POST Service shop/web-east',
      'POST Endpoints shop/web-east',
    ]);
    await east.close();
    lab.reach('target', reachable);
    expect((await lab.sync()).writes).toEqual([
      'PATCH Service shop/web-west',
      'PATCH Endpoints shop/web-west',
    ]);
    expect((await standing(lab, 'Service', 'web-west')).metadata.labels?.['tier']).toBe('a');
    await expectInSync(lab);
  });

  it('J1: a target that was never reached makes no mirror, and its first good run makes all', async () => {
    const { lab } = handle;
    const reachable = lab.connection('target');
    lab.reach('target', NOBODY);
    const run = await mirrorWeb(lab);
    expect(run.report.unobserved.map(({ what }) => what)).toEqual(['target cluster']);
    expect(run.writes).toEqual([]);
    expect(await lab.source.list('Lease', 'linkerd-multicluster')).toEqual([]);
    lab.reach('target', reachable);
    await lab.sync();
    expect(await endpointsOf(lab.source)).toEqual(FILLED);
    await expectInSync(lab);
  });

  it('J2: a kubeconfig that is wrong is refused with every mistake; the right one starts the link', async () => {
    const { lab } = handle;
    const { token } = lab.servers.target;
    const good = kubeconfigText(lab, token);
    const wrong = JSON.parse(good);
    wrong.clusters[0].cluster.server = 'ftp://example.test';
    wrong.contexts[0].context.user = 'nobody';
    await expect(reachByKubeconfig(lab, '{"clusters": [')).rejects.toThrow(InputError);
    await expect(reachByKubeconfig(lab, JSON.stringify(wrong))).rejects.toThrow(InputError);
    await expect(reachByKubeconfig(lab, JSON.stringify(wrong))).rejects.not.toThrow(token);
    await reachByKubeconfig(lab, good);
    await mirrorWeb(lab);
    expect(await endpointsOf(lab.source)).toEqual(FILLED);
  });

  it('J2: a token that the cluster does not know leaves everything as it is, until it is replaced', async () => {
    const { lab } = handle;
    await mirrorWeb(lab);
    await changeTarget(lab, 'web', { metadata: { labels: { tier: 'a' } } });
    const before = await mirrorOf(lab);
    for (const token of [lab.servers.source.token, 'never-issued']) {
      await reachByKubeconfig(lab, kubeconfigText(lab, token));
      const { report, writes } = await lab.sync();
      expect(report.unobserved.map(({ what }) => what)).toEqual(['target cluster']);
      expect(report.unobserved[0]?.message).toContain('Unauthorized');
      expect(JSON.stringify(report)).not.toContain(token);
      expect(writes).toEqual([]);
    }
    expect(await mirrorOf(lab)).toEqual(before);
    await reachByKubeconfig(lab, kubeconfigText(lab, lab.servers.target.token));
    await lab.sync();
    expect((await standing(lab, 'Service', 'web-west')).metadata.labels?.['tier']).toBe('a');
    await expectInSync(lab);
  });

  it('J2: credentials that cannot be had are told as such, and had again later', async () => {
    const { lab } = handle;
    await mirrorWeb(lab);
    const before = await mirrorOf(lab);
    await changeTarget(lab, 'web', { metadata: { labels: { tier: 'a' } } });
    let issued = false;
    lab.reach('target', {
      credentials: bearer(() =>
        issued ? Promise.resolve(lab.servers.target.token) : Promise.reject(new Error('secret not found')),
      ),
    });
    const { report, writes } = await lab.sync();
    expect(report.unobserved[0]?.message).toContain('no credentials: secret not found');
    expect(writes).toEqual([]);
    expect(await mirrorOf(lab)).toEqual(before);
    issued = true;
    expect((await lab.sync()).writes).toHaveLength(2);
    expect((await standing(lab, 'Service', 'web-west')).metadata.labels?.['tier']).toBe('a');
  });
};
