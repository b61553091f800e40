// Reconciles whose clusters are reached as a Lambda reaches them: what a broken access does to mirrors, and what a rotation does.
import { beforeEach, describe, expect, it } from 'vitest';
import type { AccessOptions } from '../../lib/access.ts';
import type { LinkDocument } from '../../lib/model/link.ts';
import type { Report } from '../../lib/model/report.ts';
import { reconcile } from '../../lib/reconcile.ts';
import { memoryStore } from '../../lib/store/memory.ts';
import type { TestApi } from '../support/api.ts';
import { aGateway, aNamespace, aService, aSlice } from '../support/builders.ts';
import { testDns } from '../support/dns.ts';
import { linkOf } from '../support/lab.ts';
import { EAST, everythingOf, LAMBDA_KEY, SECRET_ARN, TOKEN_PREFIX, WEST } from './aws.ts';
import { EXTERNAL_ID, STATIC_TOKEN, useAccessBench } from './bench.ts';

const bench = useAccessBench();
const SERVICES = Array.from({ length: 50 }, (_, index) => `web-${index + 10}`);
const PLANTED = [
  LAMBDA_KEY.secretAccessKey,
  LAMBDA_KEY.sessionToken,
  EXTERNAL_ID,
  STATIC_TOKEN,
  'planted',
  TOKEN_PREFIX,
];

const byIam = { source: { eks: EAST }, target: { eks: WEST } };
const bySecret = { source: { eks: EAST }, target: { secret: SECRET_ARN } };

let source: TestApi;

/** 50 exported Services behind a gateway at 203.0.113.10. */
beforeEach(async () => {
  const target = bench().arrange(bench().west);
  source = bench().arrange(bench().east);
  for (const api of [source, target]) {
    for (const name of ['shop', 'linkerd-multicluster']) await api.create('Namespace', aNamespace(name));
  }
  await target.create('Service', aGateway({ ingress: [{ ip: '203.0.113.10' }] }));
  for (const name of SERVICES) {
    await target.create('Service', aService({ name }));
    await target.create('EndpointSlice', aSlice({ service: name }));
  }
});

/** One run, as a function does it: open, reconcile, close. */
const run = async (
  document: Partial<LinkDocument>,
  options: Partial<AccessOptions> = {},
): Promise<Report> => {
  const link = linkOf(document);
  const { clock } = bench();
  const clusters = await bench().open({ link, ...options });
  try {
    const world = {
      ...clusters,
      resolver: testDns(),
      store: memoryStore(),
      clock,
      random: () => 0,
      runId: 'run',
    };
    return await reconcile(link, world, { dryRun: false });
  } finally {
    await clusters.close();
  }
};

const results = ({ outcomes = [] }: Report): readonly string[] => [
  ...new Set(outcomes.map(({ result }) => result)),
];

/** Every mirror with what its readers see. */
const mirrors = async (): Promise<ReadonlyMap<string, string>> => {
  const rows = new Map<string, string>();
  for (const kind of ['Service', 'Endpoints'] as const) {
    for (const object of await source.list(kind, 'shop'))
      rows.set(`${kind} ${object.metadata.name}`, JSON.stringify(object));
  }
  return rows;
};

describe.each([
  ['by IAM', byIam],
  ['by a kubeconfig in a secret', bySecret],
])('a link whose target is reached %s', (_, access) => {
  it('is mirrored, and the second run has nothing to do', async () => {
    expect(results(await run(access))).toEqual(['applied']);
    const second = await run(access);
    expect([second.changes, second.refusals, second.unobserved]).toEqual([[], [], []]);
    expect((await mirrors()).size).toBe(100);
  });

  it('J2: without credentials nothing is written, the report says why, and it goes on once they are there', async () => {
    await run(access);
    const before = await mirrors();
    const { secrets, west, kubeconfig } = bench();
    secrets.clear();
    west.entries.clear();
    west.tokens.clear();
    const blind = await run(access, { fresh: true });
    expect(blind.outcomes).toEqual([]);
    expect(blind.unobserved.map(({ what }) => what)).toEqual(['target cluster']);
    expect(await mirrors()).toEqual(before);
    for (const secret of PLANTED) expect(everythingOf(blind)).not.toContain(secret);
    west.entries.set('arn:aws:iam::111111111111:role/lambda', 'lambda');
    west.tokens.set('planted-new-token', 'secret-user');
    secrets.set(SECRET_ARN, kubeconfig(west, 'planted-new-token'));
    const after = await run(access);
    expect([after.changes, after.unobserved]).toEqual([[], []]);
  });
});

describe('J2: what the report of a run without a way in says', () => {
  it.each<readonly [string, Partial<LinkDocument>, string]>([
    [
      'no access at all',
      { source: { eks: EAST } },
      'target: access: link west does not say how its target cluster is accessed',
    ],
    [
      'a kubeconfig file in a stored link',
      { ...byIam, target: { kubeconfig: '/etc/planted' } },
      'target: access: link west: its target is a kubeconfig file, which only the command line reads; expected eks or secret',
    ],
    [
      'a cluster that is not there',
      { ...byIam, target: { eks: WEST.replace('west', 'north') } },
      `target: DescribeCluster ${WEST.replace('west', 'north')}: there is no cluster north in eu-central-1 for these credentials`,
    ],
    [
      'another secret',
      { ...byIam, target: { secret: `${SECRET_ARN}x` } },
      `target: GetSecretValue ${SECRET_ARN}x: there is no such secret, or it has no current value`,
    ],
  ])('%s', async (_, document, message) => {
    const report = await run(document);
    expect(report.unobserved).toEqual([{ what: 'target cluster', message }]);
    expect(report.outcomes).toEqual([]);
    for (const secret of PLANTED) expect(everythingOf(report)).not.toContain(secret);
  });

  it('a token for another cluster than the one that the link was made for', async () => {
    await run(bySecret);
    const before = await mirrors();
    const { secrets, kubeconfig, east } = bench();
    secrets.set(SECRET_ARN, kubeconfig(east));
    const report = await run(bySecret, { fresh: true });
    expect(report.refusals.map(({ reason }) => reason)).toEqual(['WrongCluster']);
    expect(await mirrors()).toEqual(before);
  });
});

it('J1: a target that cannot be reached leaves the mirrors, and is mirrored again when it answers', async () => {
  await run(byIam);
  const before = await mirrors();
  const { west } = bench();
  await west.server.close();
  const blind = await run(byIam);
  expect(blind.unobserved).toEqual([
    {
      what: 'target cluster',
      message: 'target: GET Namespace kube-system: no complete answer (ECONNREFUSED)',
    },
  ]);
  expect(await mirrors()).toEqual(before);
});

it('J3, J4: a rotated token under 50 mirrors changes none of them', async () => {
  await run(bySecret);
  const before = await mirrors();
  expect(before.size).toBe(100);
  const { west, secrets, kubeconfig } = bench();
  west.tokens.clear();
  west.tokens.set('planted-new-token', 'secret-user');
  secrets.set(SECRET_ARN, kubeconfig(west, 'planted-new-token'));
  const report = await run(bySecret);
  expect([report.changes, report.refusals, report.unobserved]).toEqual([[], [], []]);
  expect(await mirrors()).toEqual(before);
});
