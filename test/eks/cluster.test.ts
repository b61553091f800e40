// What is asked of EKS and STS for one cluster, how long the answers are kept, and what is said when there are none.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eksClients } from '../../lib/eks/clients.ts';
import { type EksAccess, type EksCluster, eksCluster } from '../../lib/eks/cluster.ts';
import type { AwsCredentials } from '../../lib/eks/credentials.ts';
import { selfSigned } from '../../sandbox/certificate.ts';
import { type SandboxCluster, type SandboxEks, startEks } from '../../sandbox/eks.ts';
import { type EksTokenRules, eksTokenReview } from '../../sandbox/eks-token.ts';
import {
  EAST,
  everythingOf,
  failureOf,
  LAMBDA,
  LAMBDA_KEY,
  OTHER_ACCOUNT,
  STS_HOST,
  WEST,
  clientsAt,
} from '../access/aws.ts';
import { type TestClock, testClock } from '../support/clock.ts';

const { cert: CA } = selfSigned();
const ROLE = `arn:aws:iam::${OTHER_ACCOUNT}:role/mirror`;
const FAR_WEST = `arn:aws:eks:eu-central-1:${OTHER_ACCOUNT}:cluster/far`;
const ENDPOINT = 'https://api.west.example.test';

const west = (changed: Partial<SandboxCluster> = {}): SandboxCluster => ({
  arn: WEST,
  endpoint: ENDPOINT,
  caData: CA,
  ...changed,
});

let clock: TestClock;
let aws: SandboxEks;
let opened: EksCluster[];

beforeEach(async () => {
  clock = testClock(); // AWS's clients look at the real one when they ask whether keys have expired
  opened = [];
  aws = await startEks({
    clock,
    clusters: [west(), { arn: FAR_WEST, endpoint: 'https://api.far.example.test', caData: CA }],
    keys: [LAMBDA_KEY],
    roles: [{ arn: ROLE, externalId: 'planted-external-id' }],
  });
});
afterEach(async () => {
  for (const cluster of opened) cluster.close();
  await aws.close();
});

const open = (access: EksAccess, credentials?: () => Promise<AwsCredentials>): EksCluster => {
  const clients = clientsAt(aws.endpoint, credentials === undefined ? {} : { credentials });
  const cluster = eksCluster(access, clients, clock);
  opened.push(cluster);
  return cluster;
};

/** Whose token it is for the cluster `west`; undefined: refused. */
const ownerOf = (token: string, changed: Partial<EksTokenRules> = {}): string | undefined =>
  eksTokenReview({
    cluster: 'west',
    stsHost: STS_HOST,
    keyOf: (id) => aws.keyOf(id),
    entries: new Map([
      [LAMBDA, 'lambda'],
      [ROLE, 'role'],
    ]),
    clock,
    ...changed,
  })(token);

describe('where a cluster is', () => {
  it('is described by EKS: endpoint and authority', async () => {
    expect(await open({ eks: WEST }).place.get()).toEqual({ server: ENDPOINT, caData: CA });
  });

  it('is asked once in 15 minutes', async () => {
    const { place } = open({ eks: WEST });
    await place.get();
    aws.setCluster(west({ endpoint: 'https://moved.example.test' }));
    clock.advance(15 * 60 - 1);
    expect(await place.get()).toMatchObject({ server: ENDPOINT });
    clock.advance(1);
    expect(await place.get()).toMatchObject({ server: 'https://moved.example.test' });
    expect(aws.requests).toEqual(['DescribeCluster west', 'DescribeCluster west']);
  });

  it('is known on while EKS does not answer', async () => {
    const { place } = open({ eks: WEST });
    await place.get();
    await aws.close();
    clock.advance(3600);
    expect(await place.get()).toMatchObject({ server: ENDPOINT });
  });

  it('is not asked before somebody wants to know', () => {
    open({ eks: WEST });
    expect(aws.requests).toEqual([]);
  });

  it.each([
    ['CREATING', 'the cluster is CREATING, expected one that is ACTIVE or UPDATING'],
    ['DELETING', 'the cluster is DELETING, expected one that is ACTIVE or UPDATING'],
    ['FAILED', 'the cluster is FAILED, expected one that is ACTIVE or UPDATING'],
    ['PENDING', 'the cluster is PENDING, expected one that is ACTIVE or UPDATING'],
  ])('is nowhere while the cluster is %s', async (status, message) => {
    aws.setCluster(west({ status }));
    expect(await failureOf(open({ eks: WEST }).place.get())).toMatchObject({
      kind: 'denied',
      message,
      request: `DescribeCluster ${WEST}`,
    });
  });

  it('is known while the cluster is being updated', async () => {
    aws.setCluster(west({ status: 'UPDATING' }));
    expect(await open({ eks: WEST }).place.get()).toMatchObject({ server: ENDPOINT });
  });

  it.each([
    ['no endpoint', { endpoint: '' }],
    ['an endpoint without TLS', { endpoint: 'http://api.west.example.test' }],
    ['an endpoint that is no URL', { endpoint: 'https://' }],
    ['no authority', { caData: '' }],
    ['an authority that is none', { caData: 'planted-ca' }],
  ])('is nowhere when EKS names %s', async (_, changed) => {
    aws.setCluster(west(changed));
    const failure = await failureOf(open({ eks: WEST }).place.get());
    expect(failure).toMatchObject({
      kind: 'denied',
      message: 'EKS names no https endpoint with a certificate authority',
    });
    expect(everythingOf(failure)).not.toContain('planted-ca');
  });

  it('J2: is nowhere when there is no such cluster', async () => {
    expect(await failureOf(open({ eks: EAST }).place.get())).toMatchObject({
      kind: 'denied',
      message: 'there is no cluster east in eu-central-1 for these credentials',
    });
  });

  it('J2: is not that of a cluster with the same name in the account of the credentials', async () => {
    const failure = await failureOf(
      open({ eks: `arn:aws:eks:eu-central-1:${OTHER_ACCOUNT}:cluster/west` }).place.get(),
    );
    expect(failure).toMatchObject({
      kind: 'denied',
      message: `these credentials belong to another account: they find another cluster of that name (a roleArn of account ${OTHER_ACCOUNT} is needed)`,
    });
  });

  it('J2: is not told to credentials that AWS does not know', async () => {
    const stranger = () =>
      Promise.resolve({ accessKeyId: 'ASIASTRANGER', secretAccessKey: 'planted-stranger' });
    const failure = await failureOf(open({ eks: WEST }, stranger).place.get());
    expect(failure).toMatchObject({
      kind: 'denied',
      message: 'AWS does not know the credentials',
      status: 403,
    });
    expect(everythingOf(failure)).not.toContain('planted');
  });

  it('J2: is not asked without credentials', async () => {
    const none = () =>
      Promise.reject(Object.assign(new Error('planted'), { name: 'CredentialsProviderError' }));
    const failure = await failureOf(open({ eks: WEST }, none).place.get());
    expect(failure).toMatchObject({ kind: 'denied', message: 'this process has no AWS credentials' });
    expect(everythingOf(failure)).not.toContain('planted');
    expect(aws.requests).toEqual([]);
  });

  it('J1: is unknown when nobody answers for EKS', async () => {
    await aws.close();
    expect(await failureOf(open({ eks: WEST }).place.get())).toMatchObject({
      kind: 'unreachable',
      message: 'no answer from AWS (ECONNREFUSED)',
    });
  });
});

describe('the bearer token', () => {
  it('is taken by the cluster that it is made for, and by no other', async () => {
    const token = await open({ eks: WEST }).token.get();
    expect(ownerOf(token)).toBe('lambda');
    expect(ownerOf(token, { cluster: 'east' })).toBeUndefined();
  });

  it('is used for 10 minutes, then there is a new one', async () => {
    const { token } = open({ eks: WEST });
    const first = await token.get();
    clock.advance(10 * 60 - 1);
    expect(await token.get()).toBe(first);
    clock.advance(1);
    const second = await token.get();
    expect(second).not.toBe(first);
    clock.advance(5 * 60);
    expect([ownerOf(first), ownerOf(second)]).toEqual([undefined, 'lambda']); // 15 minutes are the end of the first
  });

  it('ends with the credentials that signed it, where they end first', async () => {
    const { token } = open({ eks: WEST }, () =>
      Promise.resolve({ ...LAMBDA_KEY, expiration: new Date(clock.now() + 5 * 60_000) }),
    );
    const first = await token.get();
    clock.advance(4 * 60 - 1);
    expect(await token.get()).toBe(first);
    clock.advance(1); // a minute before the end
    expect(await token.get()).not.toBe(first);
  });

  it('is made anew on demand, with credentials that are asked for again', async () => {
    let sessionToken = 'old';
    const { token } = open({ eks: WEST }, () => Promise.resolve({ ...LAMBDA_KEY, sessionToken }));
    const first = await token.get();
    sessionToken = 'new';
    const second = await token.renew();
    const parameterOf = (text: string): string | null =>
      new URL(Buffer.from(text.slice('k8s-aws-v1.'.length), 'base64url').toString()).searchParams.get(
        'X-Amz-Security-Token',
      );
    expect([parameterOf(first), parameterOf(second)]).toEqual(['old', 'new']);
    expect(await token.get()).toBe(second);
  });
});

describe('an assumed role', () => {
  const far = { eks: FAR_WEST, roleArn: ROLE, externalId: 'planted-external-id' };

  it('describes a cluster of its account, and signs the token', async () => {
    const { place, token } = open(far);
    expect(await place.get()).toMatchObject({ server: 'https://api.far.example.test' });
    expect(ownerOf(await token.get(), { cluster: 'far' })).toBe('role');
    expect(aws.requests).toEqual([`AssumeRole ${ROLE}`, 'DescribeCluster far']);
  });

  it('is assumed again five minutes before the hour is over', async () => {
    const { token } = open(far);
    const assumed = () => aws.requests.filter((request) => request.startsWith('AssumeRole')).length;
    for (let minute = 0; minute < 54; minute += 6) {
      await token.get();
      clock.advance(6 * 60);
    }
    clock.advance(59);
    await token.get();
    expect(assumed()).toBe(1);
    clock.advance(10 * 60);
    await token.get();
    expect(assumed()).toBe(2);
  });

  it.each([
    ['another external ID', { externalId: 'planted-wrong-id' }],
    ['no external ID', { externalId: undefined }],
    ['another role', { roleArn: `arn:aws:iam::${OTHER_ACCOUNT}:role/other` }],
  ])('J2: is refused for %s', async (_, changed) => {
    const access = { ...far, ...changed };
    const failure = await failureOf(open(access).token.get());
    expect(failure).toMatchObject({
      kind: 'denied',
      message: 'AWS answered AccessDenied (HTTP 403)',
      request: `AssumeRole ${access.roleArn}`,
    });
    expect(everythingOf(failure)).not.toContain('planted');
  });

  it('J2: tells both what is asked of the cluster and of the token', async () => {
    const { place } = open({ ...far, externalId: 'planted-wrong-id' });
    expect(await failureOf(place.get())).toMatchObject({ request: `AssumeRole ${ROLE}` });
    expect(aws.requests).toEqual([`AssumeRole ${ROLE}`]);
  });
});

describe('the clients of the product', () => {
  it('ask STS in the region of the process, and EKS in that of the cluster', async () => {
    const clients = eksClients({ region: 'eu-west-1' });
    const [eks, sts] = [clients.eks('eu-central-1'), clients.sts('eu-central-1')];
    expect([await eks.config.region(), await sts.config.region()]).toEqual(['eu-central-1', 'eu-west-1']);
    eks.destroy();
    sts.destroy();
  });

  it('ask STS in the region of the cluster where the process has none', async () => {
    const sts = eksClients().sts('eu-central-1');
    expect(await sts.config.region()).toBe('eu-central-1');
    sts.destroy();
  });
});
