// Lists are complete or they throw: pages, expired positions, answers that break off.
import { afterEach, describe, expect, it } from 'vitest';
import type { KubeCluster } from '../../lib/kube/cluster.ts';
import type { ListQuery } from '../../lib/ports.ts';
import {
  type ClientOptions,
  type Reply,
  type Stub,
  aList,
  aService,
  clusterAt,
  inTurn,
  startStub,
  statusBody,
} from './stub.ts';

let stub: Stub;
let cluster: KubeCluster;
afterEach(async () => {
  await cluster.close();
  await stub.close();
});

const names = async (
  replies: readonly Reply[],
  options: ClientOptions = {},
  query?: ListQuery,
): Promise<string[]> => {
  stub = await startStub(inTurn(...replies));
  cluster = clusterAt(stub, options);
  return (await cluster.list('Service', query)).map(({ meta }) => meta.name);
};

const EXPIRED = {
  status: 410,
  body: statusBody({ code: 410, reason: 'Expired', message: 'The provided continue parameter is too old' }),
};
const [first, second] = [aList([aService('a'), aService('b')], 'p2'), aList([aService('c')])];

describe('pages', () => {
  it('are followed to the last, with the same selector and without a resourceVersion', async () => {
    const query = { labelSelector: 'x=y', namespace: 'shop' };
    expect(await names([{ body: first }, { body: second }], { pageSize: 2 }, query)).toEqual(['a', 'b', 'c']);
    expect(stub.seen.map(({ query }) => query)).toEqual([
      { limit: '2', labelSelector: 'x=y' },
      { limit: '2', labelSelector: 'x=y', continue: 'p2' },
    ]);
    expect(cluster.requests().reads).toBe(2);
  });

  it('an empty page in the middle is not the end', async () => {
    expect(await names([{ body: aList([], 'p2') }, { body: second }])).toEqual(['c']);
  });
});

describe('a position that expired', () => {
  it('starts the list anew, and nothing is there twice', async () => {
    expect(await names([{ body: first }, EXPIRED, { body: first }, { body: second }])).toEqual([
      'a',
      'b',
      'c',
    ]);
    expect(stub.seen.map(({ query }) => query['continue'])).toEqual([undefined, 'p2', undefined, 'p2']);
  });

  it('three times at most', async () => {
    const round = [{ body: first }, EXPIRED];
    await expect(names([...round, ...round, ...round, ...round, ...round])).rejects.toMatchObject({
      kind: 'gone',
    });
    expect(stub.seen).toHaveLength(8);
  });

  it('after three restarts the fourth attempt may still end well', async () => {
    const round = [{ body: first }, EXPIRED];
    expect(await names([...round, ...round, ...round, { body: second }])).toEqual(['c']);
  });
});

describe('E8: a list that breaks off is an error, never a shorter list', () => {
  it.each<[string, Reply]>([
    ['the connection closes within the second page', { body: second, fault: 'half' }],
    [
      'the second page is refused',
      { status: 403, body: statusBody({ code: 403, reason: 'Forbidden', message: 'no' }) },
    ],
    ['the second page is half a document', { body: JSON.stringify(second).slice(0, 40) }],
    ['the second page is something else', { body: { kind: 'APIVersions', versions: ['v1'] } }],
    [
      'the second page is a page of a proxy',
      { body: '<html>Sign in</html>', headers: { 'content-type': 'text/html' } },
    ],
  ])('%s', async (_, reply) => {
    await expect(names([{ body: first }, reply])).rejects.toMatchObject({
      name: 'ClusterError',
      kind: 'status' in reply ? 'denied' : 'unreachable',
      request: 'source: LIST Service',
    });
  });
});

describe('metadata only', () => {
  const whole = { ...aService('a'), spec: { clusterIP: '10.0.0.1', ports: [{ port: 80 }] } };
  it('leaves everything else empty, even when the server sends it', async () => {
    await names([{ body: aList([whole]) }]);
    const [service] = await cluster.list('Service', { metadataOnly: true });
    expect([service?.meta.name, service?.clusterIP, service?.ports]).toEqual(['a', '', []]);
    const [all] = await cluster.list('Service');
    expect([all?.clusterIP, all?.ports.length]).toEqual(['10.0.0.1', 1]);
  });
});
