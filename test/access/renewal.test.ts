// Credentials that are refused and servers that are elsewhere, in the middle of the life of a process.
import { describe, expect, it } from 'vitest';
import type { Cluster } from '../../lib/ports.ts';
import { aNamespace } from '../support/builders.ts';
import { everythingOf, failureOf, LAMBDA, LAMBDA_KEY, SECRET_ARN, TOKEN_PREFIX, WEST } from './aws.ts';
import { STATIC_TOKEN, useAccessBench } from './bench.ts';

const bench = useAccessBench();

const bySecret = { link: { name: 'west', source: undefined, target: { secret: SECRET_ARN } } };

const read = async (cluster: Cluster): Promise<string | undefined> =>
  (await cluster.get('Namespace', '', 'kube-system'))?.meta.name;

const write = async (cluster: Cluster, name = 'shop'): Promise<string> =>
  (await cluster.create('Namespace', '', aNamespace(name))).meta.name;

/** Replaces the token of the secret's user; the former one is refused from now on. */
const rotate = (): void => {
  const { west, secrets, kubeconfig } = bench();
  west.tokens.clear();
  west.tokens.set('planted-new-token', 'secret-user');
  secrets.set(SECRET_ARN, kubeconfig(west, 'planted-new-token'));
};

describe('J3: a token in a secret is replaced, the old one revoked', () => {
  it('the next request reads the secret again at once, and is answered', async () => {
    const { target } = await bench().open(bySecret);
    await read(target);
    rotate();
    expect(await read(target)).toBe('kube-system');
    expect(bench().secretsAsked()).toBe(2);
  });

  it('a write is answered as well, and carried out once', async () => {
    const { target } = await bench().open(bySecret);
    await read(target);
    rotate();
    expect(await write(target)).toBe('shop');
    const posts = bench().west.server.requests.all.filter(({ method }) => method === 'POST');
    expect(posts.map(({ status }) => status)).toEqual([401, 201]);
  });

  it('many requests at once read the secret once', async () => {
    const { target } = await bench().open(bySecret);
    await read(target);
    rotate();
    expect(await Promise.all([read(target), read(target), read(target), write(target)])).toEqual([
      'kube-system',
      'kube-system',
      'kube-system',
      'shop',
    ]);
    expect(bench().secretsAsked()).toBe(2);
  });

  it('the next run needs no 401 any more', async () => {
    const first = await bench().open(bySecret);
    await read(first.target);
    rotate();
    await read(first.target);
    await first.close();
    const second = await bench().open(bySecret);
    bench().west.server.requests.reset();
    await read(second.target);
    expect(bench().west.server.requests.all.map(({ status }) => status)).toEqual([200]);
  });

  it('a rotation without a revocation is picked up after five minutes', async () => {
    const { target } = await bench().open(bySecret);
    const { west, clock, secrets, kubeconfig } = bench();
    await read(target);
    west.tokens.set('planted-new-token', 'secret-user');
    secrets.set(SECRET_ARN, kubeconfig(west, 'planted-new-token'));
    clock.advance(5 * 60);
    await read(target);
    west.tokens.delete(STATIC_TOKEN);
    expect(await read(target)).toBe('kube-system');
    expect(bench().secretsAsked()).toBe(2);
  });

  it('J2: without a new token in the secret the refusal is told, after one more look', async () => {
    const { target } = await bench().open(bySecret);
    await read(target);
    bench().west.tokens.clear();
    for (const _ of [1, 2, 3]) {
      const failure = await failureOf(read(target));
      expect(failure).toMatchObject({
        kind: 'denied',
        status: 401,
        request: 'target: GET Namespace kube-system',
      });
      expect(everythingOf(failure)).not.toContain('planted');
    }
    expect(bench().secretsAsked()).toBe(2);
  });

  it('J2: a secret that is gone by then is told', async () => {
    const { target } = await bench().open(bySecret);
    await read(target);
    bench().west.tokens.clear();
    bench().secrets.clear();
    expect(await failureOf(read(target))).toMatchObject({
      kind: 'denied',
      message: 'there is no such secret, or it has no current value',
      request: `target: GetSecretValue ${SECRET_ARN}`,
    });
  });
});

describe('a token of EKS that is refused', () => {
  it('is made anew once, and the request sent again', async () => {
    const { west, clock } = bench();
    const { target } = await bench().open();
    await read(target);
    west.entries.clear();
    clock.advance(1); // a token of the same second is the same token
    expect(await failureOf(read(target))).toMatchObject({ status: 401 });
    west.entries.set(LAMBDA, 'lambda');
    const later = await bench().open();
    expect(await read(later.target)).toBe('kube-system');
    expect(west.server.requests.all.map(({ status }) => status)).toEqual([200, 401, 401, 200]);
  });

  it('does not make the cluster be described again', async () => {
    const { west, clock, aws } = bench();
    const { target } = await bench().open();
    await read(target);
    west.entries.clear();
    clock.advance(1);
    await failureOf(read(target));
    expect(aws.requests).toEqual(['DescribeCluster west']);
  });
});

describe('a cluster that cannot be reached where it was', () => {
  it('is described again: a read goes to where it is now', async () => {
    const { west, aws } = bench();
    const { target } = await bench().open();
    await read(target);
    await bench().replace(west);
    expect(await read(target)).toBe('kube-system');
    expect(aws.requests).toEqual(['DescribeCluster west', 'DescribeCluster west']);
    expect(target.requests()).toMatchObject({ reads: 3 }); // one of them was sent again by the connection itself
  });

  it('is described again after a TLS failure: another authority is trusted', async () => {
    const { west, east, aws } = bench();
    aws.setCluster({ arn: WEST, endpoint: west.server.url, caData: east.certificate.cert });
    const { target } = await bench().open();
    const failure = await failureOf(read(target));
    expect(failure).toMatchObject({
      kind: 'unreachable',
      message: expect.stringMatching(/\((DEPTH|SELF|UNABLE)_/),
    });
    for (const secret of [LAMBDA_KEY.secretAccessKey, LAMBDA_KEY.sessionToken, TOKEN_PREFIX]) {
      expect(everythingOf(failure)).not.toContain(secret);
    }
    aws.setCluster({ arn: WEST, endpoint: west.server.url, caData: west.certificate.cert });
    const later = await bench().open();
    expect(await read(later.target)).toBe('kube-system');
  });

  it('a write is left to its sender, whose next try goes to where it is now', async () => {
    const { west } = bench();
    const { target } = await bench().open();
    await read(target);
    const moved = await bench().replace(west);
    expect(await failureOf(write(target))).toMatchObject({ kind: 'unreachable' });
    expect(moved.server.requests.all).toEqual([]);
    expect(await write(target)).toBe('shop');
  });

  it('J1: is told as it is while EKS says nothing new, after one more look', async () => {
    const { west, aws } = bench();
    const { target } = await bench().open();
    await read(target);
    await west.server.close();
    for (const _ of [1, 2]) {
      expect(await failureOf(read(target))).toMatchObject({
        kind: 'unreachable',
        message: 'no complete answer (ECONNREFUSED)',
        request: 'target: GET Namespace kube-system',
      });
    }
    expect(aws.requests).toEqual(['DescribeCluster west', 'DescribeCluster west']);
  });

  it('J1: is told as it is while EKS cannot be reached either', async () => {
    const { west, aws } = bench();
    const { target } = await bench().open();
    await read(target);
    await Promise.all([west.server.close(), aws.close()]);
    expect(await failureOf(read(target))).toMatchObject({ request: 'target: GET Namespace kube-system' });
  });

  it('is told to be deleted when EKS says so', async () => {
    const { west, aws } = bench();
    const { target } = await bench().open();
    await read(target);
    await west.server.close();
    aws.setCluster({
      arn: WEST,
      endpoint: west.server.url,
      caData: west.certificate.cert,
      status: 'DELETING',
    });
    expect(await failureOf(read(target))).toMatchObject({
      message: 'the cluster is DELETING, expected one that is ACTIVE or UPDATING',
      request: `target: DescribeCluster ${WEST}`,
    });
  });

  it('is found by a secret that names another server now', async () => {
    const { west, secrets, kubeconfig } = bench();
    const { target } = await bench().open(bySecret);
    await read(target);
    secrets.set(SECRET_ARN, kubeconfig(await bench().replace(west)));
    expect(await read(target)).toBe('kube-system');
  });

  it('J1: comes back by itself, in the same process', async () => {
    const { west } = bench();
    const first = await bench().open();
    await read(first.target);
    await first.close();
    await west.server.close();
    const second = await bench().open();
    await failureOf(read(second.target));
    await second.close();
    await bench().replace(west);
    const third = await bench().open();
    expect(await read(third.target)).toBe('kube-system');
  });
});
