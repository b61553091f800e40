// The bearer token by which an EKS cluster recognises an IAM identity: a presigned request that only STS can check.
import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import type { ClusterArn } from './arn.ts';
import type { AwsCredentials } from './credentials.ts';

/**
 * How long a cluster takes a token, ms from its X-Amz-Date on, whatever X-Amz-Expires says (aws-iam-authenticator, pkg/token).
 * It ends earlier when the credentials do.
 */
export const TOKEN_LIFETIME_MS = 15 * 60_000;

const PREFIX = 'k8s-aws-v1.';
const EXPIRES_SECONDS = 60; // what AWS's own tools write

/**
 * `k8s-aws-v1.` and the unpadded base64url of a presigned GetCallerIdentity whose signed header `x-k8s-aws-id` names the cluster, so
 * that it is of no use anywhere else.
 *
 * @param now ms since the epoch
 */
export async function eksToken(
  cluster: ClusterArn,
  credentials: AwsCredentials,
  now: number,
): Promise<string> {
  const { name, region, dnsSuffix } = cluster;
  const host = `sts.${region}.${dnsSuffix}`;
  const signer = new SignatureV4({
    service: 'sts',
    region,
    credentials,
    sha256: Sha256,
  });
  const { query = {} } = await signer.presign(
    {
      method: 'GET',
      protocol: 'https:',
      hostname: host,
      path: '/',
      headers: { host, 'x-k8s-aws-id': name },
      query: { Action: 'GetCallerIdentity', Version: '2011-06-15' },
    },
    { signingDate: new Date(now), expiresIn: EXPIRES_SECONDS },
  );
  const parameters = Object.entries(query).map(
    ([key, value]) => `${key}=${encodeURIComponent(typeof value === 'string' ? value : '')}`,
  );
  const url = `https://${host}/?${parameters.toSorted().join('&')}`;
  return `${PREFIX}${Buffer.from(url).toString('base64url')}`;
}
