// Contract of Kubernetes API servers: deleting objects.
import { beforeAll, describe, expect, it } from 'vitest';
import { causesOf, failure, pathsIn } from './apiserver-client.ts';
import type { Client, Paths } from './apiserver-client.ts';

export function deleteContract(use: () => Client): void {
  describe('delete', () => {
    let paths: Paths;
    beforeAll(async () => {
      paths = pathsIn(await use().namespace('deletes'));
    });
    const created = async (name: string, metadata = {}) =>
      (await use().create(paths.configMaps(), { metadata: { name, ...metadata } })).body;

    it('answers a Status with the UID', async () => {
      const { metadata } = await created('plain');
      const { status, body } = await use().remove(paths.configMaps('plain'));
      expect(status).toBe(200);
      expect(body).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Success',
        details: { name: 'plain', kind: 'configmaps', uid: metadata.uid },
      });
      expect((await use().get(paths.configMaps('plain'))).status).toBe(404);
    });

    it('answers the object for a Service', async () => {
      await use().create(paths.services(), { metadata: { name: 'web' }, spec: { ports: [{ port: 80 }] } });
      const { status, body } = await use().remove(paths.services('web'));
      expect(status).toBe(200);
      expect(body).toMatchObject({ kind: 'Service', metadata: { name: 'web' } });
    });

    it('404 for an object that is not there', async () => {
      expect(await use().remove(paths.configMaps('absent'))).toMatchObject(
        failure({ code: 404, reason: 'NotFound' }),
      );
    });

    it('409 for another UID or a stale resourceVersion, which the message says', async () => {
      const { metadata } = await created('guarded');
      const { uid, resourceVersion } = metadata;
      expect(await use().remove(paths.configMaps('guarded'), { preconditions: { uid: 'x' } })).toMatchObject(
        failure({
          code: 409,
          reason: 'Conflict',
          message: `Operation cannot be fulfilled on ConfigMap "guarded": the UID in the precondition (x) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
          details: { name: 'guarded', kind: 'ConfigMap' },
        }),
      );
      expect(
        await use().remove(paths.configMaps('guarded'), { preconditions: { resourceVersion: '1' } }),
      ).toMatchObject(
        failure({
          code: 409,
          reason: 'Conflict',
          message: `Operation cannot be fulfilled on ConfigMap "guarded": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
        }),
      );
      const { status } = await use().remove(paths.configMaps('guarded'), {
        preconditions: { uid, resourceVersion },
      });
      expect(status).toBe(200);
    });

    it('400 for options that are no JSON', async () => {
      await created('options');
      const answer = await use().remove(paths.configMaps('options'), '{bad');
      expect(answer).toMatchObject(failure({ code: 400, reason: 'BadRequest' }));
    });

    it('deletes nothing in a dry run', async () => {
      await created('dry');
      expect((await use().remove(`${paths.configMaps('dry')}?dryRun=All`)).status).toBe(200);
      expect((await use().get(paths.configMaps('dry'))).status).toBe(200);
    });

    it('waits for finalizers: marks first, ends with the last one', async () => {
      await created('held', { finalizers: ['example.com/hold'] });
      const marked = await use().remove(paths.configMaps('held'));
      expect(marked.status).toBe(200);
      expect(marked.body.metadata).toMatchObject({
        deletionTimestamp: expect.any(String),
        deletionGracePeriodSeconds: 0,
        finalizers: ['example.com/hold'],
      });
      const again = await use().remove(paths.configMaps('held'));
      expect(again.body.metadata.resourceVersion).toBe(marked.body.metadata.resourceVersion);
      expect(await use().create(paths.configMaps(), { metadata: { name: 'held' } })).toMatchObject(
        failure({
          code: 409,
          reason: 'AlreadyExists',
          message: 'object is being deleted: configmaps "held" already exists',
        }),
      );
      const more = await use().merge(paths.configMaps('held'), {
        metadata: { finalizers: ['example.com/hold', 'example.com/more'] },
      });
      expect(more).toMatchObject(failure({ code: 422 }));
      expect(causesOf(more)).toEqual([
        'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/more"}',
      ]);
      expect((await use().merge(paths.configMaps('held'), { metadata: { finalizers: null } })).status).toBe(
        200,
      );
      expect((await use().get(paths.configMaps('held'))).status).toBe(404);
    });

    it('deletes a collection by selector', async () => {
      await created('kept', { labels: { app: 'kept' } });
      await created('gone-1', { labels: { app: 'gone' } });
      await created('gone-2', { labels: { app: 'gone' } });
      const { status } = await use().remove(`${paths.configMaps()}?labelSelector=app%3Dgone`);
      expect(status).toBe(200);
      const { body } = await use().get(`${paths.configMaps()}?labelSelector=app`);
      expect(body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual([
        'kept',
      ]);
    });
  });
}
