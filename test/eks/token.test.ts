// The EKS token against Signature Version 4 as its specification has it, computed here with nothing but hashes.
import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseClusterArn } from '../../lib/eks/arn.ts';
import { eksToken } from '../../lib/eks/token.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const SESSION = { ...KEYS, sessionToken: 'IQoJ/b3+Jp==' };

interface Facts {
  readonly host: string;
  readonly region: string;
  readonly cluster: string;
  readonly sessionToken?: string;
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const sign = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** A presigned GetCallerIdentity, step by step as the AWS documentation of SigV4 query strings describes it. */
const handMade = ({ host, region, cluster, sessionToken }: Facts): string => {
  const scope = `20260102/${region}/sts/aws4_request`;
  const query = [
    'Action=GetCallerIdentity',
    'Version=2011-06-15',
    'X-Amz-Algorithm=AWS4-HMAC-SHA256',
    `X-Amz-Credential=AKIDEXAMPLE%2F20260102%2F${region}%2Fsts%2Faws4_request`,
    'X-Amz-Date=20260102T030405Z',
    'X-Amz-Expires=60',
    ...(sessionToken === undefined ? [] : [`X-Amz-Security-Token=${sessionToken}`]),
    'X-Amz-SignedHeaders=host%3Bx-k8s-aws-id',
  ];
  const canonical = [
    'GET',
    '/',
    query.join('&'),
    `host:${host}`,
    `x-k8s-aws-id:${cluster}`,
    '',
    'host;x-k8s-aws-id',
    hash(''),
  ].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', '20260102T030405Z', scope, hash(canonical)].join('\n');
  const dateKey = sign(`AWS4${KEYS.secretAccessKey}`, '20260102');
  const key = sign(sign(sign(dateKey, region), 'sts'), 'aws4_request');
  const signature = sign(key, toSign).toString('hex');
  const url = `https://${host}/?${[...query.slice(0, -1), `X-Amz-Signature=${signature}`, ...query.slice(-1)].join('&')}`;
  return `k8s-aws-v1.${Buffer.from(url).toString('base64url')}`;
};

const tokenFor = (arn: string, keys: typeof KEYS | typeof SESSION = KEYS): Promise<string> =>
  eksToken(parseClusterArn(arn), keys, NOW);

describe('the bearer token of an EKS cluster', () => {
  it('is the literal that these keys give at this time', async () => {
    const token = await tokenFor('arn:aws:eks:us-east-1:111111111111:cluster/west');
    expect(token).toBe(
      [
        'k8s-aws-v1.aHR0cHM6Ly9zdHMudXMtZWFzdC0xLmFtYXpvbmF3cy5jb20vP0FjdGlvbj1HZXRDYWxsZXJJZGVudGl0eSZWZXJzaW9uPTIw',
        'MTEtMDYtMTUmWC1BbXotQWxnb3JpdGhtPUFXUzQtSE1BQy1TSEEyNTYmWC1BbXotQ3JlZGVudGlhbD1BS0lERVhBTVBMRSUyRjIwMjYwMTAy',
        'JTJGdXMtZWFzdC0xJTJGc3RzJTJGYXdzNF9yZXF1ZXN0JlgtQW16LURhdGU9MjAyNjAxMDJUMDMwNDA1WiZYLUFtei1FeHBpcmVzPTYwJlgt',
        'QW16LVNpZ25hdHVyZT1iZjQ1NTgzYmU5ZTEwNWI1YWFjYzBkZWUxNTJhNzUxN2Q2YTQyYmNiNWE5MTFhZDczMTMxMDgwNmFiODcwMjQ5Jlgt',
        'QW16LVNpZ25lZEhlYWRlcnM9aG9zdCUzQngtazhzLWF3cy1pZA',
      ].join(''),
    );
    expect(Buffer.from(token.slice('k8s-aws-v1.'.length), 'base64url').toString()).toBe(
      [
        'https://sts.us-east-1.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15',
        'X-Amz-Algorithm=AWS4-HMAC-SHA256',
        'X-Amz-Credential=AKIDEXAMPLE%2F20260102%2Fus-east-1%2Fsts%2Faws4_request',
        'X-Amz-Date=20260102T030405Z',
        'X-Amz-Expires=60',
        'X-Amz-Signature=bf45583be9e105b5aacc0dee152a7517d6a42bcb5a911ad731310806ab870249',
        'X-Amz-SignedHeaders=host%3Bx-k8s-aws-id',
      ].join('&'),
    );
  });

  it.each([
    [
      'a region',
      'arn:aws:eks:eu-central-1:111111111111:cluster/west',
      { host: 'sts.eu-central-1.amazonaws.com', region: 'eu-central-1', cluster: 'west' },
    ],
    [
      'a name with every kind of sign',
      'arn:aws:eks:us-east-1:111111111111:cluster/My_West-2',
      { host: 'sts.us-east-1.amazonaws.com', region: 'us-east-1', cluster: 'My_West-2' },
    ],
    [
      'China',
      'arn:aws-cn:eks:cn-north-1:111111111111:cluster/west',
      { host: 'sts.cn-north-1.amazonaws.com.cn', region: 'cn-north-1', cluster: 'west' },
    ],
    [
      'GovCloud',
      'arn:aws-us-gov:eks:us-gov-west-1:111111111111:cluster/west',
      { host: 'sts.us-gov-west-1.amazonaws.com', region: 'us-gov-west-1', cluster: 'west' },
    ],
  ] as const)('for %s is what SigV4 by hand gives', async (_, arn, facts) => {
    expect(await tokenFor(arn)).toBe(handMade(facts));
  });

  it('carries the session token of temporary credentials', async () => {
    const facts = { host: 'sts.us-east-1.amazonaws.com', region: 'us-east-1', cluster: 'west' };
    const token = await tokenFor('arn:aws:eks:us-east-1:111111111111:cluster/west', SESSION);
    expect(token).toBe(handMade({ ...facts, sessionToken: 'IQoJ%2Fb3%2BJp%3D%3D' }));
  });

  it('has no padding and only letters that a header takes as they are', async () => {
    for (const cluster of ['a', 'ab', 'abc']) {
      const token = await tokenFor(`arn:aws:eks:us-east-1:111111111111:cluster/${cluster}`);
      expect(token).toMatch(/^k8s-aws-v1\.[A-Za-z0-9_-]+$/);
    }
  });
});
