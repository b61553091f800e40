// Checks a bearer token as an EKS cluster and STS do together: its form, its age, and who signed it for which cluster.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { ReviewToken } from './apiserver/http/auth.ts';

/** An access key that the sandbox gave out. */
export interface SandboxKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  /** ARN of the IAM user or role that it belongs to. */
  readonly principal: string;
}

export interface EksTokenRules {
  /** Name of the cluster that the token must be made for. */
  readonly cluster: string;
  /** Host that the presigned URL must go to: `sts.eu-central-1.amazonaws.com`. */
  readonly stsHost: string;
  readonly keyOf: (accessKeyId: string) => SandboxKey | undefined;
  /** The cluster's access entries: users by the ARN of their principal. */
  readonly entries: ReadonlyMap<string, string>;
  readonly clock: { now(): number };
}

const PREFIX = 'k8s-aws-v1.';
const LIFETIME_MS = 15 * 60_000; // from X-Amz-Date on, whatever X-Amz-Expires says
const LONGEST_EXPIRES = 900; // seconds
const LONGEST_TOKEN = 4_096; // bytes

/** Each of these once, in any order, and nothing else but a session token (aws-iam-authenticator, pkg/token). */
const PARAMETERS: Readonly<Record<string, RegExp>> = {
  Action: /^GetCallerIdentity$/,
  Version: /^2011-06-15$/,
  'X-Amz-Algorithm': /^AWS4-HMAC-SHA256$/,
  'X-Amz-Credential': /^\w+\/\d{8}\/[a-z0-9-]+\/sts\/aws4_request$/,
  'X-Amz-Date': /^\d{8}T\d{6}Z$/,
  'X-Amz-Expires': /^\d{1,3}$/,
  'X-Amz-Signature': /^[0-9a-f]{64}$/,
  'X-Amz-SignedHeaders': /^host;x-k8s-aws-id$/,
};
const SESSION_TOKEN = 'X-Amz-Security-Token';

/** For the `reviewToken` of an embedded API server: the user of the token's principal. */
export const eksTokenReview =
  (rules: EksTokenRules): ReviewToken =>
  (token) => {
    const url = urlOf(token, rules.stsHost);
    if (url === undefined || !isWhole(url) || !isFresh(url, rules.clock.now())) return undefined;
    const key = rules.keyOf(parameter(url, 'X-Amz-Credential').split('/')[0] ?? '');
    if (key === undefined || !isSignedBy(key, url, rules.cluster)) return undefined;
    return rules.entries.get(key.principal);
  };

const parameter = (url: URL, name: string): string => url.searchParams.get(name) ?? '';

/** Unpadded base64url of a URL of STS, and nothing that merely can be decoded. */
function urlOf(token: string, stsHost: string): URL | undefined {
  if (token.length > LONGEST_TOKEN || !token.startsWith(PREFIX)) return undefined;
  const encoded = token.slice(PREFIX.length);
  const text = Buffer.from(encoded, 'base64url').toString('utf8');
  if (Buffer.from(text).toString('base64url') !== encoded || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.origin === `https://${stsHost}` && url.pathname === '/' ? url : undefined;
}

function isWhole(url: URL): boolean {
  const names = [...url.searchParams.keys()].filter((name) => name !== SESSION_TOKEN);
  return (
    names.length === Object.keys(PARAMETERS).length &&
    Object.entries(PARAMETERS).every(([name, form]) => form.test(parameter(url, name)))
  );
}

function isFresh(url: URL, now: number): boolean {
  const date = parameter(url, 'X-Amz-Date').replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5');
  const expires = Number(parameter(url, 'X-Amz-Expires'));
  return now - Date.parse(date) < LIFETIME_MS && expires > 0 && expires <= LONGEST_EXPIRES;
}

/** Signature Version 4 of the URL with the header `x-k8s-aws-id`, which the cluster adds and the token does not hold. */
function isSignedBy({ secretAccessKey, sessionToken }: SandboxKey, url: URL, cluster: string): boolean {
  if ((url.searchParams.get(SESSION_TOKEN) ?? undefined) !== sessionToken) return false;
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .toSorted();
  const headers = `host:${url.host}\nx-k8s-aws-id:${cluster}\n`;
  const signed = ['GET', '/', query.join('&'), headers, 'host;x-k8s-aws-id', sha256('')].join('\n');
  const [, ...scope] = parameter(url, 'X-Amz-Credential').split('/');
  const text = ['AWS4-HMAC-SHA256', parameter(url, 'X-Amz-Date'), scope.join('/'), sha256(signed)].join('\n');
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  return timingSafeEqual(hmac(key, text), Buffer.from(parameter(url, 'X-Amz-Signature'), 'hex'));
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
