// Every failed request becomes a ClusterError that says what happens next, and holds nothing secret.
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { ClusterError } from '../../lib/errors.ts';
import type { KubeCluster } from '../../lib/kube/cluster.ts';
import { TIMEOUTS } from '../../lib/kube/connection.ts';
import { testClock } from '../support/clock.ts';
import { selfSigned } from '../../sandbox/certificate.ts';
import {
  type ClientOptions,
  type Reply,
  type Stub,
  aService,
  clusterAt,
  startStub,
  statusBody,
} from './stub.ts';

let stub: Stub | undefined;
let cluster: KubeCluster | undefined;
afterEach(async () => {
  await cluster?.close();
  await stub?.close();
  [stub, cluster] = [undefined, undefined];
});

const failureOf = async (attempt: Promise<unknown>): Promise<ClusterError> => {
  const outcome = await attempt.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('error' in outcome && outcome.error instanceof ClusterError) return outcome.error;
  throw new Error(`expected a ClusterError, got ${inspect(outcome)}`);
};

type Act = (cluster: KubeCluster) => Promise<unknown>;
const create: Act = (it) => it.create('Service', 'shop', { metadata: { name: 'web-west' } });
const patch: Act = (it) => it.patch('Service', 'shop', 'web-west', {});
const remove: Act = (it) => it.delete('Service', 'shop', 'web-west', { uid: 'u', resourceVersion: '1' });
const get: Act = (it) => it.get('Service', 'shop', 'web-west');
const ranges: Act = (it) => it.list('ServiceCIDR');

const failing = async (
  reply: Reply,
  act: Act = patch,
  options: ClientOptions = {},
): Promise<ClusterError> => {
  stub = await startStub(() => reply);
  cluster = clusterAt(stub, options);
  return failureOf(act(cluster));
};

const status = (code: number, reason: string, message = 'no', more: object = {}): Reply => ({
  status: code,
  body: statusBody({ code, reason, message, ...more }),
});
const notFound = status(404, 'NotFound', 'services "web-west" not found', {
  details: { name: 'web-west', kind: 'services' },
});
const NO_SUCH_RESOURCE = status(404, 'NotFound', 'the server could not find the requested resource', {
  details: {},
});
const NO_SUCH_GROUP: Reply = {
  status: 404,
  body: '404 page not found\n',
  headers: { 'content-type': 'text/plain' },
};
const FULL = 'Internal error occurred: failed to allocate a serviceIP: range is full';

describe('the kind of a failure', () => {
  it.each<[string, Act, Reply, Partial<ClusterError>]>([
    ['409 AlreadyExists', create, status(409, 'AlreadyExists'), { kind: 'exists', reason: 'AlreadyExists' }],
    ['409 Conflict', patch, status(409, 'Conflict'), { kind: 'conflict', reason: 'Conflict' }],
    ['409 of a delete', remove, status(409, 'Conflict'), { kind: 'conflict' }],
    ['409 without a Status', patch, { status: 409, body: 'x' }, { kind: 'conflict' }],
    ['404 of a patch', patch, notFound, { kind: 'notFound', reason: 'NotFound' }],
    ['404 of a delete', remove, notFound, { kind: 'notFound' }],
    [
      '404 of the namespace',
      create,
      status(404, 'NotFound', 'x', { details: { name: 'shop' } }),
      { kind: 'notFound' },
    ],
    ['404 of a kind in a known group', ranges, NO_SUCH_RESOURCE, { kind: 'unsupported' }],
    ['404 of a whole group', ranges, NO_SUCH_GROUP, { kind: 'unsupported' }],
    ['404 of a read that is no API server', get, NO_SUCH_GROUP, { kind: 'unsupported' }],
    ['410', patch, status(410, 'Expired'), { kind: 'gone' }],
    ['401', patch, status(401, 'Unauthorized', 'Unauthorized'), { kind: 'denied', status: 401 }],
    ['403', patch, status(403, 'Forbidden'), { kind: 'denied', reason: 'Forbidden' }],
    [
      '403 of a namespace that ends',
      create,
      status(403, 'Forbidden', 'x', { details: { causes: [{ reason: 'NamespaceTerminating' }] } }),
      { kind: 'denied', reason: 'NamespaceTerminating' },
    ],
    ['400', patch, status(400, 'BadRequest'), { kind: 'invalid' }],
    ['422', patch, status(422, 'Invalid'), { kind: 'invalid', reason: 'Invalid' }],
    ['429', patch, status(429, 'TooManyRequests'), { kind: 'busy' }],
    ['500', patch, status(500, 'InternalError'), { kind: 'busy' }],
    ['500 of a full range', create, status(500, 'InternalError', FULL), { kind: 'exhausted', message: FULL }],
    ['503 of a proxy', patch, { status: 503, body: '<html>' }, { kind: 'busy', message: 'HTTP 503' }],
    ['504', patch, status(504, 'Timeout'), { kind: 'busy' }],
    [
      '302',
      get,
      { status: 302, headers: { location: 'https://login.example.test' } },
      { kind: 'unreachable' },
    ],
    ['no JSON', get, { body: '{"a":' }, { kind: 'unreachable' }],
    ['no object', get, { body: [] }, { kind: 'unreachable' }],
  ])('%s', async (_, act, reply, expected) => {
    expect(await failing(reply, act)).toMatchObject(expected);
  });

  it('404 of a read is no failure: the object is absent', async () => {
    stub = await startStub(() => notFound);
    cluster = clusterAt(stub);
    expect(await get(cluster)).toBeUndefined();
  });
});

describe('the words of a failure', () => {
  it.each<[Act, string]>([
    [create, 'source: POST Service shop/web-west'],
    [patch, 'source: PATCH Service shop/web-west'],
    [remove, 'source: DELETE Service shop/web-west'],
    [get, 'source: GET Service shop/web-west'],
    [ranges, 'source: LIST ServiceCIDR'],
    [(it) => it.list('Service', { namespace: 'shop' }), 'source: LIST Service shop'],
    [(it) => it.get('Namespace', '', 'shop'), 'source: GET Namespace shop'],
    [(it) => it.create('Service', 'shop', {}), 'source: POST Service shop/(no name)'],
  ])('%o', async (act, request) => {
    expect((await failing(status(403, 'Forbidden'), act)).request).toBe(request);
  });

  it('a long message is cut at 500 characters', async () => {
    const { message } = await failing(status(422, 'Invalid', `spec: ${'x'.repeat(600)}`));
    expect(message).toHaveLength(500);
    expect(message).toMatch(/^spec: x+…$/);
  });
});

describe('when to try again', () => {
  const NOW = Date.parse('2025-01-31T10:00:00Z');
  const date = { date: 'Fri, 31 Jan 2025 10:00:00 GMT' };
  it.each<[string, Reply, number | undefined]>([
    ['seconds', { ...status(429, 'x'), headers: { 'retry-after': '3' } }, 3_000],
    [
      'a date',
      { ...status(503, 'x'), headers: { ...date, 'retry-after': 'Fri, 31 Jan 2025 10:00:20 GMT' } },
      20_000,
    ],
    [
      'a date that is past',
      { ...status(503, 'x'), headers: { ...date, 'retry-after': 'Fri, 31 Jan 2025 09:00:00 GMT' } },
      0,
    ],
    ['what the Status says', status(429, 'x', 'x', { details: { retryAfterSeconds: 2 } }), 2_000],
    ['nonsense', { ...status(429, 'x'), headers: { 'retry-after': 'soon' } }, undefined],
    ['nothing', status(500, 'x'), undefined],
    ['not for what no retry helps', { ...status(422, 'x'), headers: { 'retry-after': '3' } }, undefined],
  ])('%s', async (_, reply, expected) => {
    const clock = testClock(NOW - 3_600_000); // an hour behind the server
    expect((await failing(reply, patch, { clock })).retryAfterMs).toBe(expected);
  });
});

describe('no answer', () => {
  const quick = { ...TIMEOUTS, headers: 200, body: 200, read: 400, write: 400 };
  it.each<[string, Act, Reply, string]>([
    ['the connection closes before the answer', patch, { fault: 'cut' }, 'UND_ERR_SOCKET'],
    [
      'the connection closes within the answer',
      patch,
      { body: aService('a'), fault: 'half' },
      'UND_ERR_SOCKET',
    ],
    ['nothing comes to a write', patch, { fault: 'hang' }, 'TimeoutError'],
    ['nothing comes to a read', get, { fault: 'hang' }, 'TimeoutError'],
    ['the answer does not end', get, { body: aService('a'), fault: 'stall' }, 'TimeoutError'],
  ])('%s', async (_, act, reply, code) => {
    const failure = await failing(reply, act, { timeouts: quick });
    expect(failure.kind).toBe('unreachable');
    expect(failure.message).toBe(`no complete answer (${code})`);
  });

  it('J1: nobody listens', async () => {
    stub = await startStub(() => ({}));
    const { url } = stub;
    await stub.close();
    cluster = clusterAt(stub, { server: url });
    expect(await failureOf(get(cluster))).toMatchObject({
      kind: 'unreachable',
      message: 'no complete answer (ECONNREFUSED)',
      request: 'source: GET Service shop/web-west',
    });
  });

  it('a certificate that nobody vouches for', async () => {
    stub = await startStub(() => ({ body: aService('a') }), { protocol: 'https', certificate: selfSigned() });
    cluster = clusterAt(stub, { caData: selfSigned().cert });
    expect((await failureOf(get(cluster))).message).toMatch(
      /^no complete answer \((DEPTH_ZERO_SELF_SIGNED_CERT|CERT_SIGNATURE_FAILURE)\)$/,
    );
    expect(stub.seen).toHaveLength(0);
  });

  it('an answer that says it is compressed and is not', async () => {
    const failure = await failing({ body: 'plain', headers: { 'content-encoding': 'gzip' } });
    expect(failure).toMatchObject({ kind: 'unreachable', message: 'no complete answer (Z_DATA_ERROR)' });
  });
});

describe('no credentials', () => {
  it('J2: nothing is sent, and the reason is told', async () => {
    stub = await startStub(() => ({ body: aService('a') }));
    cluster = clusterAt(stub, {
      credentials: () => Promise.reject(new Error('the role may not be assumed')),
    });
    expect(await failureOf(patch(cluster))).toMatchObject({
      kind: 'denied',
      message: 'no credentials: the role may not be assumed',
      request: 'source: PATCH Service shop/web-west',
    });
    expect(stub.seen).toHaveLength(0);
    expect(cluster.requests().writes).toBe(0);
  });
});

describe('credentials that do not come', () => {
  it('are waited for no longer than for the request itself', async () => {
    stub = await startStub(() => ({ body: aService('a') }));
    const timeouts = { ...TIMEOUTS, write: 100 };
    cluster = clusterAt(stub, { timeouts, credentials: () => new Promise(() => {}) });
    expect(await failureOf(patch(cluster))).toMatchObject({
      kind: 'denied',
      message: 'no credentials: they did not come in time',
    });
    expect(stub.seen).toHaveLength(0);
  });
});

describe('secrets', () => {
  const SECRET = 'k8s-aws-v1.c2VjcmV0';
  const credentials = () =>
    Promise.resolve({ headers: { Authorization: `Bearer ${SECRET}`, 'Impersonate-User': SECRET } });
  const leaking = { 'set-cookie': SECRET, 'www-authenticate': SECRET, warning: `299 - "${SECRET}"` };
  const body = { metadata: { name: 'web-west' }, data: SECRET };

  it.each<[string, Reply]>([
    [
      'a page that repeats the request',
      { status: 403, body: `<html>Authorization: Bearer ${SECRET}</html>`, headers: leaking },
    ],
    [
      'JSON that is no Status',
      { status: 500, body: { kind: 'Secret', message: SECRET, data: SECRET }, headers: leaking },
    ],
    ['half of a JSON document', { body: `{"data":"${SECRET}`, headers: leaking }],
    ['text where an object should be', { body: JSON.stringify(SECRET), headers: leaking }],
    ['a redirect', { status: 307, headers: { location: `https://x.example.test/?token=${SECRET}` } }],
    ['a connection that closes', { body, fault: 'half', headers: leaking }],
    ['a Status', { ...status(422, 'Invalid', 'Service "web-west" is invalid'), headers: leaking }],
  ])('are in no part of the error: %s', async (_, reply) => {
    const failure = await failing(reply, (it) => it.create('Service', 'shop', body), { credentials });
    expect(stub?.seen[0]?.headers.authorization).toBe(`Bearer ${SECRET}`);
    expect(inspect(failure, { depth: 10, showHidden: true })).not.toContain(SECRET);
  });

  it('are not in the error of a token that no header can hold', async () => {
    const failure = await failing({}, patch, {
      credentials: () => Promise.resolve({ headers: { Authorization: `Bearer ${SECRET}\r\nX: y` } }),
    });
    expect(failure.kind).toBe('unreachable');
    expect(inspect(failure, { depth: 10, showHidden: true })).not.toContain(SECRET);
  });
});
