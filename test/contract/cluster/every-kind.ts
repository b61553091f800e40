// What holds for the objects of every kind.
import { describe, expect, it } from 'vitest';
import { CONTENTS, KINDS, MANIFESTS } from './manifests.ts';
import type { Stage } from './stage.ts';

export function everyKind(stage: Stage): void {
  describe.each(KINDS)('%s', (kind) => {
    it('is created, with the answer of the server', async () => {
      const created = await stage.create(kind, 'web');
      expect(created).toEqual({
        meta: {
          namespace: stage.shop,
          name: 'web',
          uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
          resourceVersion: expect.stringMatching(/^\d+$/),
          labels: { app: 'web', tier: 'front' },
          annotations: expect.objectContaining({ note: 'a' }),
          droppable: { labels: ['app', 'tier'], annotations: ['note'] },
          createdAt: expect.any(Number),
          deleting: false,
        },
        ...CONTENTS[kind],
      });
      expect(created.meta.createdAt).toBeGreaterThan(1_700_000_000_000);
      expect(await stage.cluster.get(kind, stage.shop, 'web')).toEqual(created);
      expect(await stage.cluster.list(kind, { namespace: stage.shop })).toEqual([created]);
      expect((await stage.api.read(kind, stage.shop, 'web'))?.metadata.uid).toBe(created.meta.uid);
    });

    it('exists once', async () => {
      await stage.create(kind, 'web');
      await expect(stage.create(kind, 'web')).rejects.toMatchObject({
        kind: 'exists',
        reason: 'AlreadyExists',
        status: 409,
      });
    });

    it('cannot be created in a namespace that is not there', async () => {
      await expect(stage.cluster.create(kind, 'nowhere', MANIFESTS[kind]('web'))).rejects.toMatchObject({
        kind: 'notFound',
      });
    });

    it('is patched on the version that was read, and a null drops a key', async () => {
      const { meta } = await stage.create(kind, 'web');
      const { resourceVersion } = meta;
      const patch = {
        metadata: { resourceVersion, labels: { tier: null, zone: 'a' }, annotations: { note: null } },
      };
      const patched = await stage.cluster.patch(kind, stage.shop, 'web', patch);
      expect(patched.meta.labels).toEqual({ app: 'web', zone: 'a' });
      expect(patched.meta.annotations).not.toHaveProperty('note');
      expect(patched.meta.droppable).toEqual({ labels: ['app', 'zone'], annotations: [] });
      expect(patched.meta.resourceVersion).not.toBe(resourceVersion);
      expect({ ...patched, meta: undefined }).toEqual({ ...CONTENTS[kind], meta: undefined });
      expect(await stage.cluster.get(kind, stage.shop, 'web')).toEqual(patched);

      await expect(stage.cluster.patch(kind, stage.shop, 'web', patch)).rejects.toMatchObject({
        kind: 'conflict',
        status: 409,
      });
      expect(await stage.cluster.get(kind, stage.shop, 'web')).toEqual(patched);
    });

    it('that is not there is undefined to a read, and an error to a write', async () => {
      expect(await stage.cluster.get(kind, stage.shop, 'web')).toBeUndefined();
      await expect(stage.cluster.patch(kind, stage.shop, 'web', {})).rejects.toMatchObject({
        kind: 'notFound',
      });
      const preconditions = { uid: '6f1f9b0e-0000-4000-8000-000000000000', resourceVersion: '1' };
      await expect(stage.cluster.delete(kind, stage.shop, 'web', preconditions)).rejects.toMatchObject({
        kind: 'notFound',
      });
    });

    it('is deleted only as it was read', async () => {
      const { meta } = await stage.create(kind, 'web');
      const { meta: present } = await stage.cluster.patch(kind, stage.shop, 'web', {
        metadata: { labels: { zone: 'a' } },
      });
      const { uid, resourceVersion } = present;
      await expect(stage.cluster.delete(kind, stage.shop, 'web', meta)).rejects.toMatchObject({
        kind: 'conflict',
      });
      const another = { uid: '6f1f9b0e-0000-4000-8000-000000000000', resourceVersion };
      await expect(stage.cluster.delete(kind, stage.shop, 'web', another)).rejects.toMatchObject({
        kind: 'conflict',
      });
      expect(await stage.api.read(kind, stage.shop, 'web')).toBeDefined();
      await stage.cluster.delete(kind, stage.shop, 'web', { uid, resourceVersion });
      expect(await stage.api.read(kind, stage.shop, 'web')).toBeUndefined();
    });

    it('is listed by label and namespace', async () => {
      const names = async (labelSelector: string, namespace?: string): Promise<readonly string[]> => {
        const query = { labelSelector, ...(namespace !== undefined && { namespace }) };
        return (await stage.cluster.list(kind, query)).map(({ meta }) => meta.name);
      };
      await stage.create(kind, 'a');
      await stage.create(kind, 'b', { metadata: { name: 'b', labels: { app: 'web', run: stage.shop } } });
      await stage.create(kind, 'c', { metadata: { name: 'c', labels: { run: stage.shop } } });
      expect(await names(`run=${stage.shop}`)).toEqual(['b', 'c']);
      expect(await names(`run=${stage.shop},app in (web,api)`)).toEqual(['b']);
      expect(await names('!run', stage.shop)).toEqual(['a']);
      expect(await names('run!=other', stage.shop)).toEqual(['a', 'b', 'c']);
      expect(await names(`run=${stage.shop}`, 'default')).toEqual([]);
    });

    it('is listed without its content where only metadata is wanted', async () => {
      const { meta } = await stage.create(kind, 'web');
      const [listed] = await stage.cluster.list(kind, { namespace: stage.shop, metadataOnly: true });
      expect(listed?.meta).toEqual(meta);
      expect({ ...listed, meta: undefined }).not.toEqual({ ...CONTENTS[kind], meta: undefined });
    });

    it('that is wrong is refused with the field that is', async () => {
      await expect(stage.create(kind, 'Not_A_Name')).rejects.toMatchObject({
        kind: 'invalid',
        status: 422,
        message: expect.stringContaining('metadata.name'),
      });
    });
  });
}
