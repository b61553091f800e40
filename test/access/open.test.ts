// Opening the clusters of a link: each kind of access, what is kept between runs, and what is said when there is no way in.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openClusters } from '../../lib/access.ts';
import type { Link } from '../../lib/model/link.ts';
import type { Cluster } from '../../lib/ports.ts';
import { everythingOf, failureOf, LAMBDA_KEY, OTHER_ACCOUNT, SECRET_ARN, TOKEN_PREFIX, WEST } from './aws.ts';
import { EXTERNAL_ID, ROLE, STATIC_TOKEN, useAccessBench } from './bench.ts';

const bench = useAccessBench();

const SECRETS = [
  LAMBDA_KEY.secretAccessKey,
  LAMBDA_KEY.sessionToken,
  EXTERNAL_ID,
  STATIC_TOKEN,
  'planted',
  TOKEN_PREFIX,
];

type Side = Link['target'];
const linkTo = (target: Side): Pick<Link, 'name' | 'source' | 'target'> => ({
  name: 'west',
  source: undefined,
  target,
});

const namesIn = async (cluster: Cluster): Promise<readonly string[]> =>
  (await cluster.list('Namespace')).map(({ meta }) => meta.name);

const uidOf = async (cluster: Cluster): Promise<string | undefined> =>
  (await cluster.get('Namespace', '', 'kube-system'))?.meta.uid;

describe('the clusters of a link', () => {
  it('are reached by IAM, each as its own', async () => {
    const { west, east } = bench();
    const { source, target } = await bench().open();
    expect([await uidOf(source), await uidOf(target)]).toEqual(
      [east, west].map(({ server }) => server.store.get('namespaces', '', 'kube-system')?.metadata.uid),
    );
  });

  it('are reached through a role of another account', async () => {
    const { aws, west } = bench();
    const arn = `arn:aws:eks:eu-central-1:${OTHER_ACCOUNT}:cluster/west`;
    aws.setCluster({ arn, endpoint: west.server.url, caData: west.certificate.cert });
    west.entries.delete('arn:aws:iam::111111111111:role/lambda');
    const access = { eks: arn, roleArn: ROLE, externalId: EXTERNAL_ID };
    const { target } = await bench().open({ link: linkTo(access) });
    expect(await namesIn(target)).toContain('kube-system');
    expect(aws.requests).toEqual([`AssumeRole ${ROLE}`, 'DescribeCluster west']);
  });

  it('are reached by a kubeconfig in a secret', async () => {
    const { target } = await bench().open({ link: linkTo({ secret: SECRET_ARN }) });
    expect(await namesIn(target)).toContain('kube-system');
  });

  it('are not asked for anything, nor is AWS, before the first request', async () => {
    const { aws, secretsAsked, west, east } = bench();
    const clusters = await bench().open({
      link: { ...linkTo({ secret: SECRET_ARN }), source: { eks: WEST } },
    });
    await clusters.close();
    expect([aws.requests, secretsAsked(), west.server.requests.all, east.server.requests.all]).toEqual([
      [],
      0,
      [],
      [],
    ]);
  });
});

describe('a kubeconfig file', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'access-test-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const inFile = (text: string): { readonly kubeconfig: string } => {
    const path = join(folder, 'config');
    writeFileSync(path, text);
    return { kubeconfig: path };
  };

  it('is read where files are allowed', async () => {
    const { kubeconfig, west } = bench();
    const { target } = await bench().open({ link: linkTo(inFile(kubeconfig(west))), allowFiles: true });
    expect(await namesIn(target)).toContain('kube-system');
  });

  it('has the context that the link names', async () => {
    const { kubeconfig, west } = bench();
    const access = { ...inFile(kubeconfig(west)), context: 'east' };
    const { target } = await bench().open({ link: linkTo(access), allowFiles: true });
    expect((await failureOf(namesIn(target))).message).toBe(
      'target kubeconfig: context: expected one of west, got "east"',
    );
  });

  it('is not read elsewhere: whoever stored the link could name any file of the machine', async () => {
    const { kubeconfig, west } = bench();
    const { target } = await bench().open({ link: linkTo(inFile(kubeconfig(west))) });
    expect(await failureOf(namesIn(target))).toMatchObject({
      kind: 'denied',
      message:
        'link west: its target is a kubeconfig file, which only the command line reads; expected eks or secret',
      request: 'target: access',
    });
  });
});

describe('J2: without a way in, requests say why and show no secret', () => {
  const user = (fields: string): string =>
    `clusters: [{name: w, cluster: {server: 'https://127.0.0.1:1'}}]\nusers: [{name: u, user: ${fields}}]\ncontexts: [{name: c, context: {cluster: w, user: u}}]\ncurrent-context: c\n`;

  it.each<readonly [string, string, string]>([
    ['no YAML', 'a: b: planted', 'target kubeconfig: line 1: expected YAML, got BLOCK_AS_IMPLICIT_KEY'],
    ['a text', 'planted', 'target kubeconfig: expected a kubeconfig, got text'],
    [
      'a token that looks like an alias',
      user('{token: *planted }'),
      'target kubeconfig: expected YAML, got something that cannot be read',
    ],
    [
      'nobody in it',
      user('{}'),
      'target kubeconfig: users[u]: expected an inline token or client certificate, got nothing',
    ],
    [
      'a program to run',
      user('{exec: {command: planted}}'),
      'target kubeconfig: users[u].exec: expected an inline token or client certificate, got a program to run',
    ],
    [
      'a file to read',
      user('{tokenFile: /planted}'),
      'target kubeconfig: users[u].tokenFile: expected an inline token or client certificate, got a file to read',
    ],
    [
      'a client certificate that is none',
      user('{client-certificate-data: planted, client-key-data: planted}'),
      'target kubeconfig: users[u].client-certificate-data: expected base64 of PEM, got something else; target kubeconfig: users[u].client-key-data: expected base64 of PEM, got something else',
    ],
    ['an empty text', '', 'expected the text of a kubeconfig, got nothing'],
  ])('a secret with %s', async (_, text, message) => {
    bench().secrets.set(SECRET_ARN, text);
    const { target } = await bench().open({ link: linkTo({ secret: SECRET_ARN }) });
    const failure = await failureOf(namesIn(target));
    expect(failure).toMatchObject({ kind: 'denied', message });
    for (const secret of SECRETS) expect(everythingOf(failure)).not.toContain(secret);
  });

  it('no secret', async () => {
    bench().secrets.clear();
    const { target } = await bench().open({ link: linkTo({ secret: SECRET_ARN }) });
    expect(await failureOf(namesIn(target))).toMatchObject({
      kind: 'denied',
      message: 'there is no such secret, or it has no current value',
      request: `target: GetSecretValue ${SECRET_ARN}`,
    });
  });

  it.each<readonly [string, Side, string]>([
    ['no access', undefined, 'link west does not say how its target cluster is accessed'],
    [
      'an ARN of something else',
      { eks: 'arn:aws:eks:eu-central-1:1:nodegroup/x' },
      'eks: expected the ARN of an EKS cluster (arn:aws:eks:REGION:ACCOUNT:cluster/NAME), got "arn:aws:eks:eu-central-1:1:nodegroup/x"',
    ],
    [
      'an ARN of something else for a secret',
      { secret: 'west' },
      'secret: expected the ARN of a secret (arn:aws:secretsmanager:REGION:ACCOUNT:secret:NAME), got "west"',
    ],
  ])('a link with %s', async (_, access, message) => {
    const { target } = await bench().open({ link: linkTo(access) });
    expect(await failureOf(namesIn(target))).toMatchObject({
      kind: 'denied',
      message,
      request: 'target: access',
    });
  });

  it('a role that may not be assumed', async () => {
    const access = { eks: WEST, roleArn: ROLE, externalId: 'planted-wrong' };
    const { target } = await bench().open({ link: linkTo(access) });
    const failure = await failureOf(namesIn(target));
    expect(failure).toMatchObject({ kind: 'denied', request: `target: AssumeRole ${ROLE}` });
    for (const secret of SECRETS) expect(everythingOf(failure)).not.toContain(secret);
  });

  it('an identity without an access entry', async () => {
    bench().west.entries.clear();
    const { target } = await bench().open();
    const failure = await failureOf(namesIn(target));
    expect(failure).toMatchObject({
      kind: 'denied',
      status: 401,
      message: 'Unauthorized',
      request: 'target: LIST Namespace',
    });
    for (const secret of SECRETS) expect(everythingOf(failure)).not.toContain(secret);
  });

  it('AWS is asked once for all the requests of a run', async () => {
    const { aws } = bench();
    aws.setCluster({ arn: WEST, endpoint: 'https://127.0.0.1:1', caData: '', status: 'CREATING' });
    const { target } = await bench().open();
    await Promise.all([failureOf(namesIn(target)), failureOf(uidOf(target))]);
    expect((await failureOf(uidOf(target))).message).toBe(
      'the cluster is CREATING, expected one that is ACTIVE or UPDATING',
    );
    expect(aws.requests).toEqual(['DescribeCluster west']);
  });

  it('the next run asks again, and finds what was set right', async () => {
    const { secrets, kubeconfig, west } = bench();
    secrets.clear();
    const link = linkTo({ secret: SECRET_ARN });
    const first = await bench().open({ link });
    await failureOf(namesIn(first.target));
    secrets.set(SECRET_ARN, kubeconfig(west));
    const second = await bench().open({ link });
    expect(await namesIn(second.target)).toContain('kube-system');
  });
});

describe('what is kept between runs', () => {
  it('is what AWS said, and the token', async () => {
    const { aws, west } = bench();
    for (const _ of [1, 2, 3]) {
      const clusters = await bench().open();
      await namesIn(clusters.target);
      await clusters.close();
    }
    expect(aws.requests).toEqual(['DescribeCluster west']);
    expect(west.server.requests.all).toHaveLength(3);
  });

  it('is looked up anew for a run that wants it fresh', async () => {
    const { aws, secretsAsked } = bench();
    const link = { ...linkTo({ secret: SECRET_ARN }), source: { eks: WEST } };
    for (const fresh of [false, true, false]) {
      const clusters = await bench().open({ link, fresh });
      const { source, target } = clusters;
      await Promise.all([uidOf(source), uidOf(source), uidOf(target), uidOf(target)]);
      await clusters.close();
    }
    expect([aws.requests.length, secretsAsked()]).toEqual([2, 2]);
  });

  it('is not what was counted: requests are those of a run', async () => {
    const first = await bench().open();
    await namesIn(first.target);
    await namesIn(first.target);
    expect(first.target.requests()).toMatchObject({ reads: 2, writes: 0, leases: 0 });
    await first.close();
    const second = await bench().open();
    expect(second.target.requests()).toEqual({ reads: 0, writes: 0, leases: 0, bytes: 0 });
    await uidOf(second.target);
    expect(second.target.requests()).toMatchObject({ reads: 1 });
  });

  it('is not shared by two runs at the same time', async () => {
    const [first, second] = [await bench().open(), await bench().open()];
    await namesIn(first.target);
    await namesIn(second.target);
    await namesIn(second.target);
    expect([first.target.requests().reads, second.target.requests().reads]).toEqual([1, 2]);
  });

  it('is nothing without a cache', async () => {
    const { west, clock } = bench();
    const clients = { eks: never, sts: never, secrets: never };
    const file = join(mkdtempSync(join(tmpdir(), 'access-test-')), 'config');
    writeFileSync(file, bench().kubeconfig(west));
    const link = linkTo({ kubeconfig: file });
    const clusters = await openClusters({ link, clients, clock, allowFiles: true });
    await namesIn(clusters.target);
    await clusters.close();
    expect(await failureOf(namesIn(clusters.target))).toMatchObject({
      kind: 'unreachable',
      message: 'the connection is closed',
    });
  });
});

const never = (): never => {
  throw new Error('AWS is not asked');
};

it("the time is the caller's until the server has told its own", async () => {
  const { clock } = bench();
  const { target } = await bench().open();
  expect(target.now()).toBe(clock.now());
  await namesIn(target);
  expect(target.now()).toBe(Math.floor(clock.now() / 1000) * 1000);
});
