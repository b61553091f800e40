// Contract of Kubernetes API servers: Leases, Links, Secrets, Events and Namespaces.
import { beforeAll, describe, expect, it } from 'vitest';
import { causesOf, eventually, failure, pathsIn } from './apiserver-client.ts';
import type { Client, Paths } from './apiserver-client.ts';

export function otherContract(use: () => Client): void {
  leaseContract(use);
  linkContract(use);
  secretAndEventContract(use);
  namespaceContract(use);
}

function leaseContract(use: () => Client): void {
  describe('Leases', () => {
    let paths: Paths;
    beforeAll(async () => {
      paths = pathsIn(await use().namespace('leases'));
    });
    const time = '2026-01-02T03:04:05.123456Z';
    const create = (name: string, spec: object) => use().create(paths.leases(), { metadata: { name }, spec });

    it('keep microseconds', async () => {
      const { status, body } = await create('micro', {
        holderIdentity: 'me',
        leaseDurationSeconds: 30,
        renewTime: time,
      });
      expect(status).toBe(201);
      expect(body.spec).toEqual({ holderIdentity: 'me', leaseDurationSeconds: 30, renewTime: time });
    });

    it.each([
      ['milliseconds', '2026-01-02T03:04:05.123Z', '.123Z'],
      ['seconds', '2026-01-02T03:04:05Z', 'Z'],
    ])('400 for a time in %s', async (_, renewTime, rest) => {
      expect(await create('bad-time', { renewTime })).toMatchObject(
        failure({
          code: 400,
          reason: 'BadRequest',
          message: `Lease in version "v1" cannot be handled as a Lease: parsing time "${renewTime}" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "${rest}" as ".000000"`,
        }),
      );
    });

    it('turn other time zones into UTC', async () => {
      const { body } = await create('zone', { renewTime: '2026-01-02T03:04:05.123456+02:00' });
      expect(body.spec.renewTime).toBe('2026-01-02T01:04:05.123456Z');
    });

    it('tell an empty holder from none', async () => {
      const path = paths.leases('holder');
      await create('holder', { holderIdentity: 'me' });
      expect((await use().merge(path, { spec: { holderIdentity: '' } })).body.spec).toEqual({
        holderIdentity: '',
      });
      expect((await use().merge(path, { spec: { holderIdentity: null } })).body.spec).toEqual({});
    });

    it('422 for a duration that is none', async () => {
      const answer = await create('bad', { leaseDurationSeconds: 0, leaseTransitions: -1 });
      expect(answer).toMatchObject(failure({ code: 422, reason: 'Invalid' }));
      expect(causesOf(answer)).toEqual([
        'spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0',
        'spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0',
      ]);
    });

    it('422 for a replacement without resourceVersion', async () => {
      await create('guarded', {});
      const answer = await use().replace(paths.leases('guarded'), {
        metadata: { name: 'guarded' },
        spec: {},
      });
      expect(answer).toMatchObject(failure({ code: 422, reason: 'Invalid' }));
      expect(causesOf(answer)).toEqual([
        'metadata.resourceVersion: Invalid value: 0: must be specified for an update',
      ]);
    });

    it('go to one of two who take the same version', async () => {
      const { body } = await create('raced', { holderIdentity: '' });
      const take = (holderIdentity: string) =>
        use().merge(paths.leases('raced'), {
          metadata: { resourceVersion: body.metadata.resourceVersion },
          spec: { holderIdentity },
        });
      const answers = await Promise.all([take('one'), take('two')]);
      expect(answers.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([200, 409]);
    });
  });
}

function linkContract(use: () => Client): void {
  describe('Links', () => {
    let paths: Paths;
    beforeAll(async () => {
      paths = pathsIn(await use().namespace('links'));
    });
    const link = (name: string, fields: object = {}, version = 'v1alpha3') => ({
      apiVersion: `multicluster.linkerd.io/${version}`,
      kind: 'Link',
      metadata: { name },
      spec: { targetClusterName: name },
      ...fields,
    });

    it('are the same object in all three versions', async () => {
      await use().create(paths.links(), link('west', {}, 'v1alpha1'));
      for (const version of ['v1alpha1', 'v1alpha2', 'v1alpha3']) {
        const path = `/apis/multicluster.linkerd.io/${version}/namespaces/links/links/west`;
        expect((await use().get(path)).body).toMatchObject({
          apiVersion: `multicluster.linkerd.io/${version}`,
          kind: 'Link',
          spec: { targetClusterName: 'west' },
        });
      }
    });

    it('carry kind and apiVersion in lists', async () => {
      const { body } = await use().get(paths.linksV3());
      expect(body).toMatchObject({ kind: 'LinkList', metadata: { continue: '' } });
      expect(body.items[0]).toMatchObject({ kind: 'Link', apiVersion: 'multicluster.linkerd.io/v1alpha3' });
    });

    it('take status and spec apart, and count generations by spec', async () => {
      const created = await use().create(paths.linksV3(), link('parts', { status: { x: 1 } }));
      expect(created.body).not.toHaveProperty('status');
      expect(created.body.metadata.generation).toBe(1);
      const path = paths.linksV3('parts');
      const set = await use().merge(`${path}/status`, {
        metadata: { labels: { a: 'b' } },
        spec: { y: 2 },
        status: { mirrorServices: [{ controllerName: 'linkerd.io/service-mirror' }] },
      });
      expect(set.body.status).toEqual({ mirrorServices: [{ controllerName: 'linkerd.io/service-mirror' }] });
      expect(set.body.spec).toEqual({ targetClusterName: 'parts' });
      expect(set.body.metadata).not.toHaveProperty('labels');
      expect(set.body.metadata.generation).toBe(1);
      const changed = await use().merge(path, { spec: { y: 2 }, status: null });
      expect(changed.body).toMatchObject({
        spec: { targetClusterName: 'parts', y: 2 },
        metadata: { generation: 2 },
      });
      expect(changed.body.status).toEqual(set.body.status);
      const labelled = await use().merge(path, { metadata: { labels: { a: 'b' } } });
      expect(labelled.body.metadata.generation).toBe(2);
    });

    it('400 without kind, or for another version than the URL has', async () => {
      const unnamed = await use().create(paths.linksV3(), { metadata: { name: 'x' }, spec: {} });
      expect(unnamed).toMatchObject(failure({ code: 400, reason: 'BadRequest' }));
      expect(unnamed.body.message).toContain("Object 'Kind' is missing in");
      expect(await use().create(paths.linksV3(), link('x', {}, 'v1alpha1'))).toMatchObject(
        failure({
          code: 400,
          message:
            'the API version in the data (multicluster.linkerd.io/v1alpha1) does not match the expected API version (multicluster.linkerd.io/v1alpha3)',
        }),
      );
    });

    it('415 for a strategic merge patch', async () => {
      await use().create(paths.linksV3(), link('patched'));
      const answer = await use().strategicMerge(paths.linksV3('patched'), { spec: {} });
      expect(answer).toMatchObject(failure({ code: 415, reason: 'UnsupportedMediaType' }));
    });

    it('422 for a replacement without resourceVersion', async () => {
      await use().create(paths.linksV3(), link('replaced'));
      const answer = await use().replace(paths.linksV3('replaced'), link('replaced'));
      expect(answer).toMatchObject(failure({ code: 422, reason: 'Invalid' }));
    });

    it('answer a Status with their group when they are deleted', async () => {
      await use().create(paths.linksV3(), link('deleted'));
      expect((await use().remove(paths.linksV3('deleted'))).body).toMatchObject({
        status: 'Success',
        details: { name: 'deleted', group: 'multicluster.linkerd.io', kind: 'links' },
      });
    });
  });
}

function secretAndEventContract(use: () => Client): void {
  describe('Secrets and Events', () => {
    let paths: Paths;
    beforeAll(async () => {
      paths = pathsIn(await use().namespace('misc'));
    });

    it('a Secret takes texts as data, and keeps its type', async () => {
      const { body } = await use().create(paths.secrets(), {
        metadata: { name: 's' },
        stringData: { a: 'b' },
      });
      expect(body).toMatchObject({ data: { a: 'Yg==' }, type: 'Opaque' });
      expect(body).not.toHaveProperty('stringData');
      const answer = await use().merge(paths.secrets('s'), { type: 'other' });
      expect(causesOf(answer)).toEqual(['type: Invalid value: "other": field is immutable']);
    });

    it('an Event belongs to the namespace of what it is about', async () => {
      const event = (namespace: string) => ({
        metadata: { name: `e-${namespace}` },
        involvedObject: { kind: 'Service', namespace, name: 'web' },
        reason: 'ServiceMirroringSkipped',
        type: 'Normal',
        source: { component: 'linkerd-service-mirror-west' },
        firstTimestamp: '2026-01-02T03:04:05Z',
        count: 1,
      });
      const { status, body } = await use().create(paths.events(), event('misc'));
      expect(status).toBe(201);
      expect(body).toMatchObject({
        firstTimestamp: '2026-01-02T03:04:05Z',
        lastTimestamp: null,
        eventTime: null,
        reportingComponent: '',
        reportingInstance: '',
      });
      expect(causesOf(await use().create(paths.events(), event('default')))).toEqual([
        'involvedObject.namespace: Invalid value: "default": does not match event.namespace',
      ]);
    });

    it('Events can be found by what they are about', async () => {
      const selector = encodeURIComponent('involvedObject.name=web,reason=ServiceMirroringSkipped');
      const { body } = await use().get(`${paths.events()}?fieldSelector=${selector}`);
      expect(body.items).toHaveLength(1);
      const none = await use().get(`${paths.events()}?fieldSelector=involvedObject.name%3Dother`);
      expect(none.body.items).toEqual([]);
    });
  });
}

function namespaceContract(use: () => Client): void {
  describe('Namespaces', () => {
    const path = (name: string) => `/api/v1/namespaces/${name}`;
    const create = (name: string, fields: object = {}) =>
      use().create('/api/v1/namespaces', { metadata: { name, ...fields } });

    it('carry their name as a label, a finalizer and a phase', async () => {
      const { status, body } = await create('labelled');
      expect(status).toBe(201);
      expect(body).toMatchObject({
        metadata: { labels: { 'kubernetes.io/metadata.name': 'labelled' } },
        spec: { finalizers: ['kubernetes'] },
        status: { phase: 'Active' },
      });
      const { body: changed } = await use().merge(path('labelled'), {
        metadata: { labels: { 'kubernetes.io/metadata.name': 'other' } },
        spec: { finalizers: [] },
        status: { phase: 'Terminating' },
      });
      expect(changed).toEqual(body);
    });

    it.each(['default', 'kube-system', 'kube-public'])('403 for the deletion of %s', async (name) => {
      expect(await use().remove(path(name))).toMatchObject(
        failure({
          code: 403,
          reason: 'Forbidden',
          message: `namespaces "${name}" is forbidden: this namespace may not be deleted`,
        }),
      );
    });

    it('409 for the deletion of another one than was meant', async () => {
      const { body } = await create('mistaken');
      expect(await use().remove(path('mistaken'), { preconditions: { uid: 'x' } })).toMatchObject(
        failure({
          code: 409,
          reason: 'Conflict',
          message: `Operation cannot be fulfilled on namespaces "mistaken": Precondition failed: UID in precondition: x, UID in object meta: ${body.metadata.uid}`,
        }),
      );
    });

    it('go with all that is in them', async () => {
      const paths = pathsIn(await use().namespace('leaving'));
      await use().create(paths.services(), {
        metadata: { name: 'web' },
        spec: { clusterIP: '10.96.0.240', ports: [{ port: 80 }] },
      });
      await use().create(paths.configMaps(), { metadata: { name: 'a' } });
      const { status, body } = await use().remove(path('leaving'));
      expect(status).toBe(200);
      expect(body).toMatchObject({
        kind: 'Namespace',
        metadata: { deletionTimestamp: expect.any(String) },
        status: { phase: 'Terminating' },
      });
      await eventually(
        () => use().get(path('leaving')),
        (answer) => answer.status === 404,
      );
      expect((await use().get(paths.configMaps('a'))).status).toBe(404);
      const again = pathsIn(await use().namespace('leaving'));
      const taken = await use().create(again.services(), {
        metadata: { name: 'web' },
        spec: { clusterIP: '10.96.0.240', ports: [{ port: 80 }] },
      });
      expect(taken.status).toBe(201);
    });

    it('403 for a new object in one that is going, for the cause NamespaceTerminating; old ones can change', async () => {
      await create('going', { finalizers: ['example.com/hold'] });
      const paths = pathsIn('going');
      const held = { metadata: { name: 'old', finalizers: ['example.com/hold'] } };
      await use().create(paths.configMaps(), held);
      await use().remove(path('going'));
      expect(await use().create(paths.configMaps(), { metadata: { name: 'new' } })).toMatchObject(
        failure({
          code: 403,
          reason: 'Forbidden',
          message:
            'configmaps "new" is forbidden: unable to create new content in namespace going because it is being terminated',
          details: {
            name: 'new',
            kind: 'configmaps',
            causes: [
              {
                reason: 'NamespaceTerminating',
                message: 'namespace going is being terminated',
                field: 'metadata.namespace',
              },
            ],
          },
        }),
      );
      expect((await use().merge(paths.configMaps('old'), { data: { a: 'b' } })).status).toBe(200);
      await use().merge(paths.configMaps('old'), { metadata: { finalizers: null } });
      await use().merge(path('going'), { metadata: { finalizers: null } });
      await eventually(
        () => use().get(path('going')),
        (answer) => answer.status === 404,
      );
    });
  });
}
