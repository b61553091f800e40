// What the sandbox's clusters take as a token, and everything that they refuse.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseClusterArn } from '../../lib/eks/arn.ts';
import { eksToken } from '../../lib/eks/token.ts';
import { type EmbeddedApiServer, startApiServer } from '../../sandbox/apiserver/server.ts';
import { type EksTokenRules, eksTokenReview } from '../../sandbox/eks-token.ts';
import { LAMBDA, LAMBDA_KEY, STS_HOST, WEST } from '../access/aws.ts';
import { testClock } from '../support/clock.ts';

const START = Date.UTC(2026, 0, 2, 3, 4, 5);
const PREFIX = 'k8s-aws-v1.';

const rules = (changed: Partial<EksTokenRules> = {}): EksTokenRules => ({
  cluster: 'west',
  stsHost: STS_HOST,
  keyOf: (id) => (id === LAMBDA_KEY.accessKeyId ? LAMBDA_KEY : undefined),
  entries: new Map([[LAMBDA, 'mirror']]),
  clock: testClock(START),
  ...changed,
});

const aToken = (arn = WEST): Promise<string> => eksToken(parseClusterArn(arn), LAMBDA_KEY, START);

/** The token with its URL changed, encoded again. */
const changed = async (change: (url: URL) => void): Promise<string> => {
  const url = new URL(Buffer.from((await aToken()).slice(PREFIX.length), 'base64url').toString());
  change(url);
  return `${PREFIX}${Buffer.from(url.href).toString('base64url')}`;
};

const set =
  (name: string, value: string) =>
  (url: URL): void =>
    url.searchParams.set(name, value);

describe('a token of an EKS cluster in the sandbox', () => {
  it('is that of the user of its access entry', async () => {
    expect(eksTokenReview(rules())(await aToken())).toBe('mirror');
  });

  it('is good until it is 15 minutes old', async () => {
    const clock = testClock(START);
    const review = eksTokenReview(rules({ clock }));
    clock.advance(15 * 60 - 1);
    expect(review(await aToken())).toBe('mirror');
    clock.advance(1);
    expect(review(await aToken())).toBeUndefined();
  });

  it.each([
    ['another prefix', async () => (await aToken()).replace('v1', 'v2')],
    ['no prefix', async () => (await aToken()).slice(PREFIX.length)],
    ['padding', async () => `${await aToken()}=`],
    ['letters that are not of base64url', async () => `${await aToken()}+`],
    ['no URL within', async () => `${PREFIX}${Buffer.from('planted').toString('base64url')}`],
    ['plain http', () => changed((url) => (url.protocol = 'http:'))],
    ['another host', () => changed((url) => (url.host = 'sts.evil.test'))],
    ['the STS of another region', () => changed((url) => (url.host = 'sts.us-east-1.amazonaws.com'))],
    ['a port', () => changed((url) => (url.port = '8443'))],
    ['a path', () => changed((url) => (url.pathname = '/x'))],
    ['another action', () => changed(set('Action', 'GetSessionToken'))],
    ['another version', () => changed(set('Version', '2010-05-08'))],
    ['another algorithm', () => changed(set('X-Amz-Algorithm', 'AWS4-ECDSA-P256-SHA256'))],
    ['a signature without the name of the cluster', () => changed(set('X-Amz-SignedHeaders', 'host'))],
    ['no signature', () => changed((url) => url.searchParams.delete('X-Amz-Signature'))],
    ['a signature of something else', () => changed(set('X-Amz-Signature', 'a'.repeat(64)))],
    ['no date', () => changed((url) => url.searchParams.delete('X-Amz-Date'))],
    ['a date that was not signed', () => changed(set('X-Amz-Date', '20260102T030406Z'))],
    ['a longer life', () => changed(set('X-Amz-Expires', '901'))],
    ['no life', () => changed(set('X-Amz-Expires', '0'))],
    ['a parameter of an SDK', () => changed(set('x-id', 'GetCallerIdentity'))],
    ['a parameter twice', () => changed((url) => url.searchParams.append('Action', 'GetCallerIdentity'))],
    ['another session token', () => changed(set('X-Amz-Security-Token', 'planted'))],
    ['no session token', () => changed((url) => url.searchParams.delete('X-Amz-Security-Token'))],
    ['more than 4,096 bytes', () => changed(set('X-Amz-Security-Token', 'x'.repeat(4_096)))],
    ['the name of another cluster', () => aToken(WEST.replace('west', 'east'))],
  ])('is refused with %s', async (_, token) => {
    expect(eksTokenReview(rules())(await token())).toBeUndefined();
  });

  it('is refused when nobody has the key', async () => {
    expect(eksTokenReview(rules({ keyOf: () => undefined }))(await aToken())).toBeUndefined();
  });

  it('is refused when another secret signed it', async () => {
    const keyOf = () => ({ ...LAMBDA_KEY, secretAccessKey: 'another' });
    expect(eksTokenReview(rules({ keyOf }))(await aToken())).toBeUndefined();
  });

  it('is refused without an access entry', async () => {
    expect(eksTokenReview(rules({ entries: new Map() }))(await aToken())).toBeUndefined();
  });
});

describe('an embedded API server that has tokens reviewed', () => {
  let server: EmbeddedApiServer;
  beforeAll(async () => {
    server = await startApiServer({
      tokens: [{ token: 'static', user: 'admin' }],
      reviewToken: (token) => (token === 'reviewed' ? 'mirror' : undefined),
      authorize: ({ user }) => user === 'admin',
    });
  });
  afterAll(() => server.close());

  const answerTo = async (headers: Record<string, string>): Promise<{ status: number; text: string }> => {
    const answer = await fetch(`${server.url}/api/v1/namespaces`, { headers });
    return { status: answer.status, text: await answer.text() };
  };

  it('knows the users of its own list', async () => {
    expect(await answerTo({ authorization: 'Bearer static' })).toMatchObject({ status: 200 });
  });

  it('knows the users that the review names', async () => {
    const answer = await answerTo({ authorization: 'Bearer reviewed' });
    expect(answer).toMatchObject({
      status: 403,
      text: expect.stringContaining('User \\"mirror\\" cannot list'),
    });
  });

  it('refuses everybody else', async () => {
    expect(await answerTo({ authorization: 'Bearer other' })).toMatchObject({ status: 401 });
  });

  it('takes a request without a token as anonymous', async () => {
    const answer = await answerTo({});
    expect(answer).toMatchObject({ status: 403, text: expect.stringContaining('system:anonymous') });
  });
});
