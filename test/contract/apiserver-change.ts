// Contract of Kubernetes API servers: replacing and patching objects.
import { beforeAll, describe, expect, it } from 'vitest';
import { causesOf, failure, pathsIn } from './apiserver-client.ts';
import type { Client, Paths } from './apiserver-client.ts';

const STALE = 'the object has been modified; please apply your changes to the latest version and try again';

export function replaceContract(use: () => Client): void {
  describe('replace', () => {
    let paths: Paths;
    beforeAll(async () => {
      paths = pathsIn(await use().namespace('replaces'));
    });
    const created = async (name: string) =>
      (await use().create(paths.configMaps(), { metadata: { name, labels: { a: 'b' } }, data: { x: '1' } }))
        .body;

    it('takes the whole object and keeps what the server set', async () => {
      const before = await created('whole');
      const { status, body } = await use().replace(paths.configMaps('whole'), {
        metadata: { name: 'whole' },
        data: { y: '2' },
      });
      expect(status).toBe(200);
      expect(body.data).toEqual({ y: '2' });
      expect(body.metadata).not.toHaveProperty('labels');
      expect(body.metadata.uid).toBe(before.metadata.uid);
      expect(body.metadata.creationTimestamp).toBe(before.metadata.creationTimestamp);
      expect(Number(body.metadata.resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion));
    });

    it('moves no resourceVersion when nothing changes', async () => {
      const before = await created('same');
      const { body } = await use().replace(paths.configMaps('same'), before);
      expect(body).toEqual(before);
      const changed = await use().replace(paths.configMaps('same'), { ...before, data: { x: '2' } });
      expect(changed.body.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
    });

    it('409 for a stale resourceVersion', async () => {
      const before = await created('stale');
      await use().merge(paths.configMaps('stale'), { data: { x: '2' } });
      expect(await use().replace(paths.configMaps('stale'), before)).toMatchObject(
        failure({
          code: 409,
          reason: 'Conflict',
          message: `Operation cannot be fulfilled on configmaps "stale": ${STALE}`,
          details: { name: 'stale', kind: 'configmaps' },
        }),
      );
    });

    it('409 for the UID of another object', async () => {
      await created('other');
      const answer = await use().replace(paths.configMaps('other'), {
        metadata: { name: 'other', uid: 'x' },
      });
      expect(answer).toMatchObject(failure({ code: 409, reason: 'Conflict' }));
      expect(answer.body.message).toContain(
        'Precondition failed: UID in precondition: x, UID in object meta: ',
      );
    });

    it.each([
      ['another name', 'else', 'the name of the object (else) does not match the name on the URL (named)'],
      [
        'no name',
        '',
        'the name of the object (named based on URL) was undeterminable: name must be provided',
      ],
    ])('400 for %s', async (_, name, message) => {
      await created('named');
      expect(await use().replace(paths.configMaps('named'), { metadata: { name } })).toMatchObject(
        failure({
          code: 400,
          reason: 'BadRequest',
          message,
        }),
      );
      await use().remove(paths.configMaps('named'));
    });

    it.each([
      ['creates Services', 'services', { spec: { ports: [{ port: 80 }] } }, 201],
      ['creates Endpoints', 'endpoints', {}, 201],
      ['creates Leases', 'leases', {}, 201],
      ['creates Events', 'events', { involvedObject: { namespace: 'replaces' } }, 201],
      ['creates no EndpointSlices', 'slices', { addressType: 'IPv4' }, 404],
      ['creates no ConfigMaps', 'configMaps', {}, 404],
      ['creates no Secrets', 'secrets', {}, 404],
    ] as const)('%s that are not there', async (_, collection, fields, code) => {
      const { status } = await use().replace(paths[collection]('absent'), {
        metadata: { name: 'absent' },
        ...fields,
      });
      expect(status).toBe(code);
    });
  });
}

export function patchContract(use: () => Client): void {
  describe('patch', () => {
    let paths: Paths;
    beforeAll(async () => {
      paths = pathsIn(await use().namespace('patches'));
    });
    const created = async (name: string) =>
      (
        await use().create(paths.configMaps(), {
          metadata: { name, labels: { a: '1', b: '1' } },
          data: { x: '1', y: '1' },
        })
      ).body;

    it('merge: sets, keeps and removes', async () => {
      await created('merge');
      const { status, body } = await use().merge(paths.configMaps('merge'), {
        metadata: { labels: { a: null, c: '1' } },
        data: { x: '2' },
      });
      expect(status).toBe(200);
      expect(body.metadata.labels).toEqual({ b: '1', c: '1' });
      expect(body.data).toEqual({ x: '2', y: '1' });
    });

    it('merge: null removes a whole map', async () => {
      await created('maps');
      const { body } = await use().merge(paths.configMaps('maps'), {
        metadata: { labels: null },
        data: null,
      });
      expect(body.metadata).not.toHaveProperty('labels');
      expect(body).not.toHaveProperty('data');
    });

    it('merge: moves no resourceVersion when nothing changes', async () => {
      const before = await created('same');
      const same = await use().merge(paths.configMaps('same'), { metadata: { labels: { a: '1', z: null } } });
      expect(same.body).toEqual(before);
      const changed = await use().merge(paths.configMaps('same'), { metadata: { labels: { a: '2' } } });
      expect(changed.body.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
    });

    it('merge: 409 for a stale resourceVersion, even when nothing would change', async () => {
      const before = await created('stale');
      const { resourceVersion } = before.metadata;
      const fresh = await use().merge(paths.configMaps('stale'), {
        metadata: { resourceVersion },
        data: { x: '2' },
      });
      expect(fresh.status).toBe(200);
      expect(await use().merge(paths.configMaps('stale'), { metadata: { resourceVersion } })).toMatchObject(
        failure({
          code: 409,
          reason: 'Conflict',
          message: `Operation cannot be fulfilled on configmaps "stale": ${STALE}`,
          details: { name: 'stale', kind: 'configmaps' },
        }),
      );
    });

    it('merge: 422 for another UID', async () => {
      await created('uid');
      const answer = await use().merge(paths.configMaps('uid'), { metadata: { uid: 'x' } });
      expect(answer).toMatchObject(failure({ code: 422, reason: 'Invalid' }));
      expect(causesOf(answer)).toContain('metadata.uid: Invalid value: "x": field is immutable');
    });

    it('merge: 400 for another name or namespace', async () => {
      await created('renamed');
      expect(await use().merge(paths.configMaps('renamed'), { metadata: { name: 'x' } })).toMatchObject(
        failure({
          code: 400,
          message: 'the name of the object (x) does not match the name on the URL (renamed)',
        }),
      );
      expect(await use().merge(paths.configMaps('renamed'), { metadata: { namespace: 'x' } })).toMatchObject(
        failure({
          code: 400,
          message: 'the namespace of the provided object does not match the namespace sent on the request',
        }),
      );
    });

    it('merge: 404 for an object that is not there', async () => {
      expect(await use().merge(paths.configMaps('absent'), {})).toMatchObject(
        failure({ code: 404, reason: 'NotFound' }),
      );
    });

    it.each([
      ['text that is no JSON', '{bad', "error decoding patch: invalid character 'b'"],
      [
        'a list',
        '[]',
        'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
      ],
    ])('merge: 400 for %s', async (_, body, message) => {
      await use().create(paths.configMaps(), { metadata: { name: 'malformed' } });
      const answer = await use().merge(paths.configMaps('malformed'), body);
      expect(answer).toMatchObject(failure({ code: 400, reason: 'BadRequest' }));
      expect(answer.body.message).toContain(message);
    });

    it('merge: 422 for a result that is no object of the kind', async () => {
      await created('typed');
      const answer = await use().merge(paths.configMaps('typed'), { data: { x: 1 } });
      expect(answer).toMatchObject(failure({ code: 422, reason: 'Invalid' }));
      expect(answer.body.details.causes).toEqual([expect.objectContaining({ field: 'patch' })]);
    });

    it('merge: stores nothing in a dry run', async () => {
      const before = await created('dry');
      const dry = await use().merge(`${paths.configMaps('dry')}?dryRun=All`, { data: { x: '2' } });
      expect(dry.body.data).toEqual({ x: '2', y: '1' });
      expect((await use().get(paths.configMaps('dry'))).body).toEqual(before);
    });

    it('JSON patch: adds, replaces, removes, moves, copies and tests', async () => {
      await created('operations');
      const { status, body } = await use().jsonPatch(paths.configMaps('operations'), [
        { op: 'test', path: '/data/x', value: '1' },
        { op: 'replace', path: '/data/x', value: '2' },
        { op: 'remove', path: '/metadata/labels/a' },
        { op: 'add', path: '/metadata/labels/example.com~1c', value: '3' },
        { op: 'move', from: '/data/y', path: '/data/z' },
        { op: 'copy', from: '/data/x', path: '/data/w' },
      ]);
      expect(status).toBe(200);
      expect(body.data).toEqual({ x: '2', z: '1', w: '2' });
      expect(body.metadata.labels).toEqual({ b: '1', 'example.com/c': '3' });
    });

    it.each([
      ['a test that fails', [{ op: 'test', path: '/data/x', value: '9' }]],
      ['a path that is not there', [{ op: 'remove', path: '/data/none' }]],
    ])('JSON patch: 422 for %s, and nothing is done', async (_, operations) => {
      await created('failing');
      const before = (await use().get(paths.configMaps('failing'))).body;
      const first = { op: 'replace', path: '/data/y', value: '9' };
      expect(await use().jsonPatch(paths.configMaps('failing'), [first, ...operations])).toMatchObject(
        failure({
          code: 422,
          reason: 'Invalid',
          message: 'the server rejected our request due to an error in our request',
        }),
      );
      expect((await use().get(paths.configMaps('failing'))).body).toEqual(before);
    });

    it('strategic: merges maps and keyed lists, and replaces the others', async () => {
      await use().create(paths.services(), {
        metadata: { name: 'strategic', labels: { a: '1' } },
        spec: { ports: [{ name: 'one', port: 80 }], externalIPs: ['192.0.2.1'] },
      });
      const { status, body } = await use().strategicMerge(paths.services('strategic'), {
        metadata: { labels: { b: '2' } },
        spec: { ports: [{ name: 'two', port: 81 }], externalIPs: ['192.0.2.2'] },
      });
      expect(status).toBe(200);
      expect(body.metadata.labels).toEqual({ a: '1', b: '2' });
      expect(body.spec.ports.map(({ name }: { name: string }) => name)).toEqual(['two', 'one']);
      expect(body.spec.externalIPs).toEqual(['192.0.2.2']);
      const removed = await use().strategicMerge(paths.services('strategic'), {
        metadata: { labels: { a: null } },
        spec: { ports: [{ $patch: 'delete', port: 80 }] },
      });
      expect(removed.body.metadata.labels).toEqual({ b: '2' });
      expect(removed.body.spec.ports.map(({ name }: { name: string }) => name)).toEqual(['two']);
    });
  });
}
