// Contract of Kubernetes API servers: the garbage collector.
import { beforeAll, expect, it } from 'vitest';
import { eventually, pathsIn } from './apiserver-client.ts';
import type { Answer, Client, Paths } from './apiserver-client.ts';

/** On a server of its own with the garbage collector at work. */
export function garbageContract(use: () => Client): void {
  let paths: Paths;
  beforeAll(async () => {
    paths = pathsIn(await use().namespace('garbage'));
  });
  const service = (name: string): Promise<Answer> =>
    use().create(paths.services(), { metadata: { name }, spec: { ports: [{ port: 80 }] } });
  const slice = (name: string, ownerReferences: readonly object[] = []): Promise<Answer> =>
    use().create(paths.slices(), {
      metadata: { name, ownerReferences, labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['192.0.2.1'] }],
    });
  const gone = (path: string): Promise<Answer> =>
    eventually(
      () => use().get(path),
      ({ status }) => status === 404,
    );
  const statusOf = async (path: string): Promise<number> => (await use().get(path)).status;

  it('deletes the slices and Endpoints that a deleted Service owned, and no others', async () => {
    const web = await service('web');
    await slice('owned', [ownerOf(web, { controller: true, blockOwnerDeletion: true })]);
    await slice('named-like-it');
    await use().create(paths.endpoints(), {
      metadata: { name: 'owned-endpoints', ownerReferences: [ownerOf(web)] },
      subsets: [],
    });
    await use().remove(paths.services('web'));
    await gone(paths.slices('owned'));
    await gone(paths.endpoints('owned-endpoints'));
    expect(await statusOf(paths.slices('named-like-it'))).toBe(200);
  });

  it('keeps what another owner is left of, and drops the one that is gone', async () => {
    const [first, second] = [await service('first'), await service('second')];
    await slice('shared', [ownerOf(first), ownerOf(second)]);
    await use().remove(paths.services('first'));
    const { body } = await eventually(
      () => use().get(paths.slices('shared')),
      (answer) => answer.body.metadata?.ownerReferences?.length === 1,
    );
    expect(body.metadata.ownerReferences).toEqual([ownerOf(second)]);
    expect(body.metadata.managedFields[0].fieldsV1['f:metadata']['f:ownerReferences']).toEqual({
      '.': {},
      [`k:{"uid":"${second.body.metadata.uid}"}`]: {},
    });
    await use().remove(paths.services('second'));
    await gone(paths.slices('shared'));
  });

  it('deletes what is created for, or given to, an owner that is gone', async () => {
    const late = await service('late');
    await use().remove(paths.services('late'));
    await slice('too-late', [ownerOf(late)]);
    expect((await gone(paths.slices('too-late'))).body.reason).toBe('NotFound');
    await slice('given');
    await use().merge(paths.slices('given'), { metadata: { ownerReferences: [ownerOf(late)] } });
    expect((await gone(paths.slices('given'))).body.reason).toBe('NotFound');
  });

  it('tells owners by their UID: a Service of the same name is another one', async () => {
    const before = await service('again');
    await slice('of-the-old', [ownerOf(before)]);
    await use().remove(paths.services('again'));
    await service('again');
    await gone(paths.slices('of-the-old'));
    expect(await statusOf(paths.services('again'))).toBe(200);
  });

  it('deletes the copies of Endpoints that go with their Service', async () => {
    await service('copied');
    await use().create(paths.endpoints(), {
      metadata: { name: 'copied' },
      subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80 }] }],
    });
    const copies = (count: number): Promise<Answer> =>
      eventually(
        () => use().get(`${paths.slices()}?labelSelector=kubernetes.io%2Fservice-name%3Dcopied`),
        ({ body }) => body.items.length === count,
      );
    await copies(1);
    await use().remove(paths.services('copied'));
    expect(await statusOf(paths.endpoints('copied'))).toBe(404);
    await copies(0);
  });
}

const ownerOf = ({ body }: Answer, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  name: body.metadata.name,
  uid: body.metadata.uid,
  ...more,
});
