// Checks a request's AWS Signature Version 4 as AWS documents it, from node:crypto alone.
import { createHash, createHmac } from 'node:crypto';
import type { UrlRequest } from './lambda.ts';

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/;

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export interface Scope {
  readonly keyId: string;
  readonly region: string;
  readonly service: string;
  readonly signedHeaders: readonly string[];
}

/** What a GET was signed for. @throws Error when the signature is not the one that `secret` makes */
export function checkSignature({ url, headers }: UrlRequest, secret: string): Scope {
  const found = AUTHORIZATION.exec(headers.authorization ?? '');
  if (found === null) throw new Error(`no signature: ${headers.authorization}`);
  const [, keyId = '', day = '', region = '', service = '', names = '', signature = ''] = found;
  const signedHeaders = names.split(';');
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const query = [...searchParams]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .toSorted()
    .join('&');
  const canonical = [
    'GET',
    pathname,
    query,
    ...signedHeaders.map((name) => `${name}:${String(headers[name])}`),
    '',
    names,
    sha256(''),
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const key = [region, service, 'aws4_request'].reduce(hmac, hmac(`AWS4${secret}`, day));
  const expected = hmac(key, text).toString('hex');
  if (expected !== signature) throw new Error(`signature: expected ${expected}, got ${signature}`);
  return { keyId, region, service, signedHeaders };
}
