// `links`: what is listed of stored links, on a table of dynalite.
import { describe, expect, it } from 'vitest';
import type { RunSummary } from '../../lib/model/summary.ts';
import { NOW } from './cli.ts';
import { aLink, EAST, useDeployment, WEST } from './deployment.ts';

const deployment = useDeployment();

const SUMMARY: RunSummary = {
  at: NOW,
  runId: 'run-1',
  mirrors: { 'in sync': 2, 'to create': 1, 'to update': 0, waiting: 0, refused: 1 },
  failed: 1,
  refusals: [{ namespace: 'shop', name: 'api', reason: 'NotOwned', message: 'm' }],
  moreRefusals: 2,
  unobserved: [],
  notes: [],
};

const SECRET = 'arn:aws:secretsmanager:eu-west-1:444455556666:secret:kubeconfig-north-AbCdEf';

async function storeSome(): Promise<void> {
  const { links } = deployment.stores;
  await links.put(aLink(), 0);
  await links.saveRun('west', SUMMARY);
  await links.put(aLink({ name: 'north', target: { secret: SECRET }, paused: true }), 0);
  await links.put(aLink({ name: 'old' }), 0);
  await links.saveRun('old', {
    ...SUMMARY,
    mirrors: { 'in sync': 0, 'to create': 0, 'to update': 0, waiting: 0, refused: 0 },
    failed: 0,
    refusals: [],
    moreRefusals: 0,
    unobserved: [{ what: 'target cluster', message: 'refused' }],
  });
  await links.end('old');
}

describe('links', () => {
  it('as a table', async () => {
    await storeSome();
    expect(await deployment.run('links')).toMatchObject({
      code: 0,
      stderr: '',
      stdout: `LINK   STATE   SOURCE          TARGET                                    MIRRORS                                           REFUSALS  SINCE
north  paused  eu-west-1/east  secret eu-west-1/kubeconfig-north-AbCdEf  no run yet                                        -         -
old    ending  eu-west-1/east  eu-west-1/west                            1 not observed                                    0         2026-01-01T00:00:00.000Z
west   active  eu-west-1/east  eu-west-1/west                            2 in sync, 1 to create, 1 refused, 1 not applied  3         2026-01-01T00:00:00.000Z
`,
    });
  });

  it('J9: one with fields of a newer version is as good as any', async () => {
    await deployment.storeRaw('west', { ...aLink(), colour: 'green', probe: { every: 5 } });
    expect(await deployment.run('links')).toMatchObject({
      code: 0,
      stdout: `LINK  STATE   SOURCE          TARGET          MIRRORS     REFUSALS  SINCE
west  active  eu-west-1/east  eu-west-1/west  no run yet  -         -
`,
    });
  });

  it('as JSON', async () => {
    await storeSome();
    const { stdout, code } = await deployment.run('links -o json');
    expect(code).toBe(0);
    const data = JSON.parse(stdout);
    expect(data.broken).toStrictEqual([]);
    expect(data.links).toMatchObject([
      { link: 'north', state: 'paused', target: { secret: SECRET }, lastRun: 'none yet' },
      { link: 'old', state: 'ending' },
      {},
    ]);
    expect(data.links[2]).toStrictEqual({
      link: 'west',
      state: 'active',
      source: { eks: EAST },
      target: { eks: WEST },
      version: 1,
      lastRun: { ...SUMMARY, at: '2026-01-01T00:00:00.000Z' },
    });
  });

  it('of a deployment without links', async () => {
    expect(await deployment.run('links')).toMatchObject({
      code: 0,
      stdout: 'no links in eks-service-mirror-dev in eu-west-1\n',
    });
    expect(await deployment.run('links -o yaml')).toMatchObject({
      code: 0,
      stdout: 'links: []\nbroken: []\n',
    });
  });

  it('one that cannot be used is told beside the others, and by the exit code', async () => {
    await deployment.stores.links.put(aLink(), 0);
    await deployment.storeRaw('north', { name: 'north', paused: 'perhaps' });
    expect(await deployment.run('links')).toMatchObject({
      code: 1,
      stderr: '',
      stdout: `LINK  STATE   SOURCE          TARGET          MIRRORS     REFUSALS  SINCE
west  active  eu-west-1/east  eu-west-1/west  no run yet  -         -

BROKEN north: paused: expected true or false, got "perhaps"
`,
    });
    expect(JSON.parse((await deployment.run('links -o json')).stdout)).toMatchObject({
      links: [{ link: 'west' }],
      broken: [{ name: 'north', why: 'paused: expected true or false, got "perhaps"' }],
    });
  });

  it('of wrong input is none', async () => {
    expect(await deployment.run('links west -o xml --stage a/b')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `error: "west": unexpected argument
error: --stage: expected a stage (at most 20 letters, digits and -), got "a/b"
error: --output: expected one of text, json, yaml, got "xml"
nothing was touched; see eks-service-mirror links --help
`,
    });
  });
});
