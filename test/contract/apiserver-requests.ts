// Contract of Kubernetes API servers: paths, methods, media types, headers, who may ask.
import { beforeAll, describe, expect, it } from 'vitest';
import { failure, pathsIn } from './apiserver-client.ts';
import type { Client, Paths } from './apiserver-client.ts';

export function requestContract(use: () => Client): void {
  describe('requests', () => {
    let paths: Paths;
    beforeAll(async () => {
      paths = pathsIn(await use().namespace('requests'));
      await use().create(paths.services(), { metadata: { name: 'web' }, spec: { ports: [{ port: 80 }] } });
    });

    it.each(['/healthz', '/livez', '/readyz'])('%s says ok', async (path) => {
      const { status, text } = await use().get(path);
      expect({ status, text }).toEqual({ status: 200, text: 'ok' });
    });

    it('/version tells major and minor', async () => {
      expect((await use().get('/version')).body).toMatchObject({ major: '1', minor: '35' });
    });

    it('discovery names the groups and their resources', async () => {
      const groups = await use().get('/apis');
      expect(groups.body.groups.map(({ name }: { name: string }) => name)).toEqual(
        expect.arrayContaining([
          'discovery.k8s.io',
          'coordination.k8s.io',
          'networking.k8s.io',
          'multicluster.linkerd.io',
        ]),
      );
      const core = await use().get('/api/v1');
      expect(core.body).toMatchObject({ kind: 'APIResourceList', groupVersion: 'v1' });
      const services = core.body.resources.find(({ name }: { name: string }) => name === 'services');
      expect(services).toMatchObject({ kind: 'Service', namespaced: true, shortNames: ['svc'] });
    });

    it.each([
      ['a resource that is not served', '/api/v1/namespaces/requests/nonsense'],
      ['a version that is not served', '/apis/discovery.k8s.io/v2/endpointslices'],
      ['a subresource that is not served', '/api/v1/namespaces/requests/services/web/nonsense'],
    ])('404 for %s', async (_, path) => {
      expect(await use().get(path)).toMatchObject(
        failure({
          code: 404,
          reason: 'NotFound',
          message: 'the server could not find the requested resource',
        }),
      );
    });

    it.each(['/nonsense', '/apis/nonsense.example.com/v1/things'])(
      '404 without a Status for %s',
      async (path) => {
        const { status, text } = await use().get(path);
        expect({ status, text }).toEqual({ status: 404, text: '404 page not found\n' });
      },
    );

    it('404 names the object that is missing', async () => {
      expect(await use().get(paths.services('nobody'))).toMatchObject(
        failure({
          code: 404,
          reason: 'NotFound',
          message: 'services "nobody" not found',
          details: { name: 'nobody', kind: 'services' },
        }),
      );
    });

    it('404 names the group where there is one', async () => {
      expect(await use().get(paths.slices('nobody'))).toMatchObject(
        failure({
          code: 404,
          message: 'endpointslices.discovery.k8s.io "nobody" not found',
          details: { name: 'nobody', group: 'discovery.k8s.io', kind: 'endpointslices' },
        }),
      );
    });

    it.each([
      ['POST', '/api/v1/namespaces/requests/services/web'],
      ['POST', '/api/v1/services'],
      ['PUT', '/api/v1/namespaces/requests/services'],
      ['PATCH', '/api/v1/namespaces/requests/services'],
      ['DELETE', '/api/v1/services'],
      ['DELETE', '/api/v1/namespaces/requests/services/web/status'],
    ])('405 for %s %s', async (method, path) => {
      expect(await use().call({ method, path, body: {} })).toMatchObject(
        failure({
          code: 405,
          reason: 'MethodNotAllowed',
          message: 'the server does not allow this method on the requested resource',
        }),
      );
    });

    it('406 for a client that takes no JSON', async () => {
      expect(await use().get(paths.services(), { accept: 'text/html' })).toMatchObject(
        failure({
          code: 406,
          reason: 'NotAcceptable',
        }),
      );
    });

    it.each(['POST', 'PUT'])('415 for %s of a text', async (method) => {
      const path = method === 'POST' ? paths.services() : paths.services('web');
      const answer = await use().call({ method, path, body: 'x', headers: { 'content-type': 'text/plain' } });
      expect(answer).toMatchObject(failure({ code: 415, reason: 'UnsupportedMediaType' }));
    });

    it('415 for a patch that is plain JSON', async () => {
      const answer = await use().call({ method: 'PATCH', path: paths.services('web'), body: {} });
      expect(answer).toMatchObject(failure({ code: 415, reason: 'UnsupportedMediaType' }));
    });

    it('prints kind and apiVersion of an object, not of the items of a list', async () => {
      expect((await use().get(paths.services('web'))).body).toMatchObject({
        kind: 'Service',
        apiVersion: 'v1',
      });
      const list = (await use().get(paths.services())).body;
      expect(list).toMatchObject({ kind: 'ServiceList', apiVersion: 'v1' });
      expect(Object.keys(list.items[0]).toSorted()).toEqual(['metadata', 'spec', 'status']);
    });

    it('answers PartialObjectMetadata for one object', async () => {
      const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
      const { body } = await use().get(paths.services('web'), { accept });
      expect(body).toMatchObject({
        kind: 'PartialObjectMetadata',
        apiVersion: 'meta.k8s.io/v1',
        metadata: { name: 'web', namespace: 'requests' },
      });
      expect(body).not.toHaveProperty('spec');
    });

    it('answers PartialObjectMetadataList for a list', async () => {
      const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
      const { body } = await use().get(paths.services(), { accept });
      expect(body).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' });
      expect(body.items).toHaveLength(1);
      expect(body.items[0]).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'web' } });
      expect(body.items[0]).not.toHaveProperty('spec');
    });

    it('passes over forms that it does not have for one that it has', async () => {
      const accept = 'application/json;as=Nonsense;v=v1;g=meta.k8s.io,application/json';
      expect((await use().get(paths.services('web'), { accept })).body).toMatchObject({ kind: 'Service' });
    });

    it('tells the time in the Date header', async () => {
      const { headers } = await use().get('/readyz');
      expect(headers.get('date')).toMatch(/^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/);
    });

    it('compresses a large answer for a client that takes it, and no small one', async () => {
      const bulk = pathsIn(await use().namespace('requests-bulk'));
      const data = { text: 'x'.repeat(150_000) };
      await use().create(bulk.configMaps(), { metadata: { name: 'bulk' }, data });
      const gzip = { 'accept-encoding': 'gzip' };
      const large = await use().get(bulk.configMaps(), gzip);
      expect(large.headers.get('content-encoding')).toBe('gzip');
      expect(large.body.items[0].data).toEqual(data);
      expect((await use().get(bulk.services(), gzip)).headers.get('content-encoding')).toBeNull();
      const plain = await use().get(bulk.configMaps(), { 'accept-encoding': 'identity' });
      expect(plain.headers.get('content-encoding')).toBeNull();
    });

    it.each(['GET', 'POST'])('warns on %s of Endpoints that they are deprecated', async (method) => {
      const body = method === 'GET' ? undefined : { metadata: { name: 'warned' } };
      const { headers } = await use().call({ method, path: paths.endpoints(), body });
      expect(headers.get('warning')).toBe(
        '299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"',
      );
    });

    it('does not warn on Services', async () => {
      expect((await use().get(paths.services())).headers.get('warning')).toBeNull();
    });

    it('401 for a token that nobody has', async () => {
      expect(await use().get(paths.services(), { authorization: 'Bearer nobody' })).toMatchObject(
        failure({
          code: 401,
          reason: 'Unauthorized',
          message: 'Unauthorized',
        }),
      );
    });

    it.each([
      ['GET', '/api/v1/namespaces/requests/services', 'list', 'in the namespace "requests"'],
      ['GET', '/api/v1/services', 'list', 'at the cluster scope'],
      ['POST', '/api/v1/namespaces/requests/services', 'create', 'in the namespace "requests"'],
      ['DELETE', '/api/v1/namespaces/requests/services', 'deletecollection', 'in the namespace "requests"'],
    ])('403 for %s %s without a token', async (method, path, verb, place) => {
      const body = method === 'POST' ? { metadata: { name: 'x' } } : undefined;
      expect(await use().call({ method, path, body, headers: { authorization: '' } })).toMatchObject(
        failure({
          code: 403,
          reason: 'Forbidden',
          message: `services is forbidden: User "system:anonymous" cannot ${verb} resource "services" in API group "" ${place}`,
          details: { kind: 'services' },
        }),
      );
    });

    it('403 names the object and the subresource', async () => {
      const path = `${paths.services('web')}/status`;
      const headers = { authorization: '', 'content-type': 'application/merge-patch+json' };
      expect(await use().call({ method: 'PATCH', path, body: {}, headers })).toMatchObject(
        failure({
          code: 403,
          message:
            'services "web" is forbidden: User "system:anonymous" cannot patch resource "services/status" in API group "" in the namespace "requests"',
          details: { name: 'web', kind: 'services' },
        }),
      );
    });

    it('lets anybody ask for health and version, and nothing else', async () => {
      const headers = { authorization: '' };
      expect((await use().get('/readyz', headers)).status).toBe(200);
      expect((await use().get('/version', headers)).status).toBe(200);
      expect(await use().get('/apis', headers)).toMatchObject(
        failure({
          code: 403,
          message: 'forbidden: User "system:anonymous" cannot get path "/apis"',
        }),
      );
    });

    it('has the system namespaces, each with a UID of its own', async () => {
      const { body } = await use().get('/api/v1/namespaces');
      const system = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];
      const found = body.items.filter(({ metadata }: { metadata: { name: string } }) =>
        system.includes(metadata.name),
      );
      expect(found.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(system);
      expect(new Set(found.map(({ metadata }: { metadata: { uid: string } }) => metadata.uid)).size).toBe(4);
    });

    it('has Service default/kubernetes with the first address of the range, and the ServiceCIDR', async () => {
      const service = await use().get('/api/v1/namespaces/default/services/kubernetes');
      expect(service.body).toMatchObject({
        metadata: { labels: { component: 'apiserver', provider: 'kubernetes' } },
        spec: { clusterIP: '10.96.0.1', clusterIPs: ['10.96.0.1'], type: 'ClusterIP', ipFamilies: ['IPv4'] },
      });
      const cidr = await use().get('/apis/networking.k8s.io/v1/servicecidrs/kubernetes');
      expect(cidr.body).toMatchObject({
        kind: 'ServiceCIDR',
        spec: { cidrs: ['10.96.0.0/16'] },
        status: { conditions: [{ type: 'Ready', status: 'True' }] },
      });
    });
  });
}
