// `resync`, and `plan` and `sync` of a deployed link: what the function is asked, what is made of its answer, and every exit code.
import { beforeEach, describe, expect, it } from 'vitest';
import { toJson, toYaml } from '../../cli/render/data.ts';
import { planData, syncData } from '../../lib/runs/report-data.ts';
import type { Report } from '../../lib/model/report.ts';
import { aReport, CHANGES } from './cli.ts';
import { aLink, useDeployment } from './deployment.ts';

const deployment = useDeployment();
const NAME = 'eks-service-mirror-dev-resync';

const REFUSED: Partial<Report> = {
  refusals: [{ namespace: 'shop', name: 'api', reason: 'NotOwned', message: 'm' }],
};
const UNOBSERVED: Partial<Report> = {
  unobserved: [{ what: 'target cluster', message: 'target: LIST Service: refused' }],
};
const outcomes = (result: 'applied' | 'failed' | 'skipped'): Partial<Report> => ({
  changes: CHANGES,
  outcomes: CHANGES.map((change) => ({ change, result })),
});

const planned = (report: Partial<Report> = {}) => planData(aReport(report), { showObjects: false });
const synced = (report: Partial<Report> = {}) => syncData(aReport(report), { showObjects: false });

function answers(links: readonly object[], errors: readonly object[] = []): void {
  deployment.lambda.functions.set(NAME, () => ({ links, errors }));
}
const asked = () => deployment.lambda.invocations;

const EVERYTHING = { dryRun: false, namespaces: [], services: [], forceDeletes: false };

describe('what the function is asked', () => {
  beforeEach(async () => {
    answers([planned()]);
    await deployment.stores.links.put(aLink(), 0);
  });

  it.each([
    ['resync', 'Event', EVERYTHING],
    ['resync --link west', 'Event', { ...EVERYTHING, link: 'west' }],
    ['resync --wait', 'RequestResponse', EVERYTHING],
    ['resync --dry-run', 'RequestResponse', { ...EVERYTHING, dryRun: true }],
    [
      'resync --link west --namespace shop --namespace cart --service shop/web --force-deletes --wait',
      'RequestResponse',
      {
        link: 'west',
        dryRun: false,
        namespaces: ['shop', 'cart'],
        services: ['shop/web'],
        forceDeletes: true,
      },
    ],
    ['plan --link west', 'RequestResponse', { ...EVERYTHING, link: 'west', dryRun: true }],
    [
      'plan --link west --service shop/web',
      'RequestResponse',
      { ...EVERYTHING, link: 'west', dryRun: true, services: ['shop/web'] },
    ],
    [
      'sync --link west --namespace shop',
      'RequestResponse',
      { ...EVERYTHING, link: 'west', namespaces: ['shop'] },
    ],
  ])('%s', async (words, type, payload) => {
    expect(await deployment.run(words)).toMatchObject({ code: 0, stderr: '', calls: [] });
    expect(asked()).toStrictEqual([{ name: NAME, type, payload }]);
  });
});

describe('without --wait', () => {
  beforeEach(() => answers([]));

  it('says that the function runs by itself', async () => {
    await deployment.stores.links.put(aLink(), 0);
    expect((await deployment.run('resync --link west')).stdout).toBe(
      `${NAME} was started for link west; "status --link west" tells what it did, "--wait" would have\n`,
    );
    expect((await deployment.run('resync')).stdout).toBe(
      `${NAME} was started for all links; "status" tells what it did, "--wait" would have\n`,
    );
    expect(JSON.parse((await deployment.run('resync -o json')).stdout)).toStrictEqual({
      started: NAME,
      request: EVERYTHING,
    });
  });

  it('tells of a link that is not there, because the function could tell nobody', async () => {
    expect(await deployment.run('resync --link wset')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'error: link wset is not stored in eks-service-mirror-dev\n',
    });
    expect(asked()).toStrictEqual([]);
  });
});

describe('exit codes', () => {
  const north = { ...synced(), link: 'north' };
  it.each<[string, string, readonly object[], number]>([
    ['a plan without changes', 'plan --link west', [planned()], 0],
    ['a plan with changes', 'plan --link west', [planned({ changes: CHANGES })], 0],
    ['--exit-code without changes', 'plan --link west --exit-code', [planned()], 0],
    ['--exit-code with changes', 'plan --link west --exit-code', [planned({ changes: CHANGES })], 3],
    [
      '--exit-code with changes and a refusal',
      'plan --link west --exit-code',
      [planned({ changes: CHANGES, ...REFUSED })],
      1,
    ],
    ['J1: a plan with something unobserved', 'plan --link west', [planned(UNOBSERVED)], 1],
    ['a sync with every change applied', 'sync --link west', [synced(outcomes('applied'))], 0],
    ['a sync with a failed change', 'sync --link west', [synced(outcomes('failed'))], 1],
    ['a sync with a skipped change', 'sync --link west', [synced(outcomes('skipped'))], 1],
    ['a sync with a refusal', 'sync --link west', [synced(REFUSED)], 1],
    ['a resync of sound links', 'resync --wait', [north, synced(outcomes('applied'))], 0],
    ['J1: a resync of which one link fails', 'resync --wait', [north, synced(UNOBSERVED)], 1],
    ['a resync without links', 'resync --wait', [], 0],
    ['a dry run with changes', 'resync --dry-run', [planned({ changes: CHANGES })], 0],
  ])('%s: %s', async (_, words, links, code) => {
    answers(links);
    const ran = await deployment.run(words);
    expect(ran).toMatchObject({ code, stderr: '' });
    expect(ran.stdout).not.toBe('');
  });
});

describe('text', () => {
  it('of a plan is that of a plan from here', async () => {
    const explanations = [{ service: { namespace: 'shop', name: 'web' }, lines: ['exported'] }];
    answers([planned({ changes: CHANGES, ...REFUSED, notes: ['a note'], explanations })]);
    expect((await deployment.run('plan --link west')).stdout).toBe(
      `+ Service shop/web-west  (shop/web is exported)
~ Endpoints shop/api-west  (addresses: 10.0.0.1 → 10.0.0.2, label tier: a → b)
- Service shop/old-west

refused shop/api: NotOwned: m
note: a note

shop/web
  exported

1 to create, 1 to update, 1 to delete; 1 refused
`,
    );
  });

  it('of a sync is that of a sync from here', async () => {
    const [create, update] = CHANGES;
    if (create === undefined || update === undefined) throw new Error('two changes expected');
    answers([
      synced({
        outcomes: [
          { change: create, result: 'applied' },
          { change: update, result: 'failed', message: 'source: PATCH Endpoints shop/api-west: 500' },
        ],
      }),
    ]);
    expect((await deployment.run('sync --link west')).stdout).toBe(
      `+ Service shop/web-west  (shop/web is exported)
~ Endpoints shop/api-west  failed: source: PATCH Endpoints shop/api-west: 500

1 created, 0 updated, 0 deleted; 1 failed
`,
    );
  });

  it('of a run that saw too little is no sign that all is well', async () => {
    answers([planned(UNOBSERVED)]);
    expect((await deployment.run('plan --link west')).stdout).toBe(
      `NOT OBSERVED: target cluster: target: LIST Service: refused

nothing to do in what could be observed; 1 not observed
`,
    );
  });

  it('of a resync has a headline per link, and none for the one that was asked for', async () => {
    answers([
      { ...synced(), link: 'north' },
      synced({ outcomes: CHANGES.slice(2).map((change) => ({ change, result: 'applied' })) }),
    ]);
    expect((await deployment.run('resync --wait')).stdout).toBe(
      `link north
nothing to do

link west
- Service shop/old-west

0 created, 0 updated, 1 deleted
`,
    );
    answers([planned()]);
    expect((await deployment.run('resync --link west --dry-run')).stdout).toBe('nothing to do\n');
    answers([]);
    expect((await deployment.run('resync --wait')).stdout).toBe('no links are stored\n');
  });

  it('lets nothing of an answer steer the terminal', async () => {
    answers([planned({ notes: ['\u001B[2J'] })], [{ link: 'x', message: '\u001B[2J' }]);
    const { stdout, stderr } = await deployment.run('resync --dry-run');
    expect(stdout + stderr).not.toContain('\u001B');
    expect(stderr).toBe('error: link x:  [2J\n');
  });
});

describe('data', () => {
  it('of a plan and a sync is what the same command prints from here', async () => {
    const report = { changes: CHANGES.slice(2), ...REFUSED };
    answers([planned(report)]);
    expect((await deployment.run('plan --link west -o json')).stdout).toBe(toJson(planned(report)));
    answers([synced(outcomes('applied'))]);
    expect((await deployment.run('sync --link west -o yaml')).stdout).toBe(
      toYaml(synced(outcomes('applied'))),
    );
  });

  it('of a resync holds every link, and those that could not be looked at', async () => {
    const errors = [{ link: 'north', message: 'paused: expected true or false, got "perhaps"' }];
    answers([planned()], errors);
    const { code, stdout, stderr } = await deployment.run('resync --dry-run -o json');
    expect({ code, stderr }).toStrictEqual({ code: 1, stderr: '' });
    expect(JSON.parse(stdout)).toStrictEqual({ links: [planned()], errors });
    expect((await deployment.run('resync --dry-run -o yaml')).stdout).toMatch(/^links:\n {2}- link: west\n/);
  });
});

describe('a link that cannot be looked at', () => {
  it.each(['plan --link west', 'sync --link west', 'resync --link west --wait'])('%s', async (words) => {
    answers([], [{ link: 'west', message: 'link west is not stored' }]);
    expect(await deployment.run(words)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'error: link west is not stored\n',
    });
  });

  it('beside others that can', async () => {
    answers([synced()], [{ link: 'north', message: 'paused: expected true or false' }]);
    expect(await deployment.run('resync --wait')).toMatchObject({
      code: 1,
      stdout: 'link west\nnothing to do\n',
      stderr: 'error: link north: paused: expected true or false\n',
    });
  });
});

describe('wrong input', () => {
  it('all of it at once, and nothing is asked', async () => {
    answers([]);
    const words =
      'resync --link West --namespace Shop --service web -o xml --stage a/b --region here --exit-code';
    const { code, stdout, stderr } = await deployment.run(words);
    expect({ code, stdout }).toStrictEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(`error: --exit-code: unknown flag
error: --link: expected a DNS label (lower-case letters, digits and -, at most 63), got "West"
error: --stage: expected a stage (at most 20 letters, digits and -), got "a/b"
error: --region: expected a region like eu-west-1, got "here"
error: --output: expected one of text, json, yaml, got "xml"
error: --namespace: expected a namespace, got "Shop"
error: --service: expected NAMESPACE/NAME, got "web"
nothing was touched; see eks-service-mirror resync --help
`);
    expect(asked()).toStrictEqual([]);
  });
});
