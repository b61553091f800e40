// What reaches the wire: paths, queries, headers, and bodies byte for byte.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeCluster } from '../../lib/kube/cluster.ts';
import type { Kind } from '../../lib/model/objects.ts';
import { type Seen, type Stub, aList, aService, clusterAt, startStub } from './stub.ts';

let stub: Stub;
let cluster: KubeCluster;

beforeEach(async () => {
  stub = await startStub(({ method, path }) => ({
    body: method === 'GET' && !path.endsWith('/web') ? aList([]) : aService('web'),
  }));
  cluster = clusterAt(stub);
});
afterEach(async () => {
  await cluster.close();
  await stub.close();
});

const only = (): Seen => {
  expect(stub.seen).toHaveLength(1);
  return stub.seen[0]!;
};

describe('bodies', () => {
  it('a merge patch keeps its nulls, byte for byte', async () => {
    await cluster.patch('Service', 'shop', 'web', { metadata: { labels: { k: null } } });
    expect(only().body).toBe('{"metadata":{"labels":{"k":null}}}');
  });

  it.each(['Namespace', 'Service', 'Endpoints', 'EndpointSlice', 'Lease', 'ServiceCIDR'] as const)(
    'a manifest of a %s is sent as given: order, times as text, and fields that the client library does not know',
    async (kind) => {
      const manifest = {
        kind,
        spec: {
          z: 1,
          renewTime: '2025-01-31T10:00:00.250000Z',
          holderIdentity: '',
          futureField: { a: [null, 0, false] },
        },
        metadata: { name: 'web', creationTimestamp: null, unknown: 'x' },
        subsets: [],
        endpoints: [{ addresses: [], 'x-unknown': 1 }],
      };
      await cluster.create(kind, 'shop', manifest);
      await cluster.patch(kind, 'shop', 'web', manifest);
      expect(stub.seen.map(({ body }) => body)).toEqual([JSON.stringify(manifest), JSON.stringify(manifest)]);
    },
  );

  it('a delete carries its preconditions and leaves dependants to the garbage collector', async () => {
    await cluster.delete('Service', 'shop', 'web', { uid: 'u-1', resourceVersion: '42' });
    expect(JSON.parse(only().body)).toEqual({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: { uid: 'u-1', resourceVersion: '42' },
      propagationPolicy: 'Background',
    });
  });
});

describe('paths and queries', () => {
  const PLACES: readonly (readonly [Kind, string, string, string])[] = [
    ['Namespace', '/api/v1/namespaces', '/api/v1/namespaces', '/api/v1/namespaces/web'],
    [
      'Service',
      '/api/v1/services',
      '/api/v1/namespaces/shop/services',
      '/api/v1/namespaces/shop/services/web',
    ],
    [
      'Endpoints',
      '/api/v1/endpoints',
      '/api/v1/namespaces/shop/endpoints',
      '/api/v1/namespaces/shop/endpoints/web',
    ],
    [
      'EndpointSlice',
      '/apis/discovery.k8s.io/v1/endpointslices',
      '/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices',
      '/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices/web',
    ],
    [
      'Lease',
      '/apis/coordination.k8s.io/v1/leases',
      '/apis/coordination.k8s.io/v1/namespaces/shop/leases',
      '/apis/coordination.k8s.io/v1/namespaces/shop/leases/web',
    ],
    [
      'ServiceCIDR',
      '/apis/networking.k8s.io/v1/servicecidrs',
      '/apis/networking.k8s.io/v1/servicecidrs',
      '/apis/networking.k8s.io/v1/servicecidrs/web',
    ],
  ];

  it.each(PLACES)('%s', async (kind, everywhere, inNamespace, one) => {
    await cluster.list(kind);
    await cluster.list(kind, { namespace: 'shop' });
    await cluster.get(kind, 'shop', 'web');
    await cluster.create(kind, 'shop', { metadata: { name: 'web' } });
    await cluster.patch(kind, 'shop', 'web', {});
    await cluster.delete(kind, 'shop', 'web', { uid: 'u', resourceVersion: '1' });
    expect(stub.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `GET ${everywhere}`,
      `GET ${inNamespace}`,
      `GET ${one}`,
      `POST ${inNamespace}`,
      `PATCH ${one}`,
      `DELETE ${one}`,
    ]);
    expect(stub.seen.map(({ query }) => query['fieldManager'])).toEqual([
      undefined,
      undefined,
      undefined,
      'eks-service-mirror',
      'eks-service-mirror',
      undefined,
    ]);
  });

  it('a path in front of the API stays', async () => {
    const behind = clusterAt(stub, { server: `${stub.url}/k8s/clusters/c-1/` });
    await behind.get('Service', 'shop', 'web');
    await behind.close();
    expect(only().path).toBe('/k8s/clusters/c-1/api/v1/namespaces/shop/services/web');
  });

  it('a list asks for pages of 1,500 by label, and names no resourceVersion', async () => {
    await cluster.list('Service', {
      labelSelector: 'mirror.linkerd.io/exported in (true,remote-discovery),!x',
    });
    expect(only().query).toEqual({
      limit: '1500',
      labelSelector: 'mirror.linkerd.io/exported in (true,remote-discovery),!x',
    });
  });
});

describe('headers', () => {
  it('writes say what they are, and who they are from', async () => {
    await cluster.create('Service', 'shop', {});
    await cluster.patch('Service', 'shop', 'web', {});
    await cluster.delete('Service', 'shop', 'web', { uid: 'u', resourceVersion: '1' });
    expect(stub.seen.map(({ headers }) => headers['content-type'])).toEqual([
      'application/json',
      'application/merge-patch+json',
      'application/json',
    ]);
    expect(stub.seen.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill('Bearer a-token'));
    expect(stub.seen.map(({ headers }) => headers['user-agent'])).toEqual(
      Array(3).fill('eks-service-mirror'),
    );
  });

  it('the token is asked for before each request', async () => {
    let serial = 0;
    const refreshing = clusterAt(stub, {
      credentials: () => Promise.resolve({ headers: { Authorization: `Bearer token-${(serial += 1)}` } }),
    });
    await refreshing.list('Service');
    await refreshing.list('Service');
    await refreshing.close();
    expect(stub.seen.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-2',
    ]);
  });

  it('only metadata is asked for where only metadata is wanted', async () => {
    await cluster.list('Service', { metadataOnly: true });
    await cluster.list('Service');
    expect(stub.seen.map(({ headers }) => headers.accept)).toEqual([
      'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
      'application/json, */*;q=0.8',
    ]);
  });
});
