// Contract of Kubernetes API servers: the controller that copies Endpoints to EndpointSlices.
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually, pathsIn } from './apiserver-client.ts';
import type { Answer, Client, Paths } from './apiserver-client.ts';

export function mirroringContract(use: () => Client): void {
  describe('the mirroring controller', () => {
    let paths: Paths;
    beforeAll(async () => {
      paths = pathsIn(await use().namespace('mirroring'));
    });
    const service = (name: string, spec: object = {}): Promise<Answer> =>
      use().create(paths.services(), {
        metadata: { name },
        spec: { ports: [{ name: 'http', port: 80 }], ...spec },
      });
    const copiesOf = (name: string, satisfied: (items: Answer['body'][]) => boolean): Promise<Answer> =>
      eventually(
        () => use().get(`${paths.slices()}?labelSelector=kubernetes.io%2Fservice-name%3D${name}`),
        ({ body }) => satisfied(body.items),
      );

    it('copies subsets, labels and annotations of the Endpoints of a Service without selector', async () => {
      await service('web');
      const { body: endpoints } = await use().create(paths.endpoints(), {
        metadata: {
          name: 'web',
          labels: { a: '1', 'mirror.linkerd.io/cluster-name': 'west' },
          annotations: { b: '2', 'endpoints.kubernetes.io/last-change-trigger-time': '2026-01-02T03:04:05Z' },
        },
        subsets: [
          {
            addresses: [{ ip: '192.0.2.1', hostname: 'foo-0' }],
            notReadyAddresses: [{ ip: '192.0.2.2' }],
            ports: [{ name: 'http', port: 4143 }],
          },
        ],
      });
      const { body } = await copiesOf('web', (items) => items.length === 1);
      const [slice] = body.items;
      expect(slice.metadata).toMatchObject({
        generateName: 'web-',
        name: expect.stringMatching(/^web-\w{5}$/),
      });
      expect(slice.metadata.labels).toEqual({
        a: '1',
        'mirror.linkerd.io/cluster-name': 'west',
        'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io',
        'kubernetes.io/service-name': 'web',
      });
      expect(slice.metadata.annotations).toEqual({ b: '2' });
      expect(slice.metadata.ownerReferences).toEqual([
        {
          apiVersion: 'v1',
          kind: 'Endpoints',
          name: 'web',
          uid: endpoints.metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ]);
      expect(slice.addressType).toBe('IPv4');
      expect(slice.ports).toEqual([{ name: 'http', port: 4143, protocol: 'TCP' }]);
      expect(slice.endpoints).toHaveLength(2);
      expect(slice.endpoints).toEqual(
        expect.arrayContaining([
          { addresses: ['192.0.2.1'], conditions: { ready: true }, hostname: 'foo-0' },
          { addresses: ['192.0.2.2'], conditions: { ready: false } },
        ]),
      );
    });

    it('follows changes in place', async () => {
      await service('moving');
      const subsets = (ip: string) => [{ addresses: [{ ip }], ports: [{ port: 1 }] }];
      await use().create(paths.endpoints(), { metadata: { name: 'moving' }, subsets: subsets('192.0.2.1') });
      const before = await copiesOf('moving', (items) => items.length === 1);
      await use().merge(paths.endpoints('moving'), { subsets: subsets('192.0.2.2') });
      const after = await copiesOf('moving', ([slice]) => slice.endpoints[0].addresses[0] === '192.0.2.2');
      expect(after.body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual([
        before.body.items[0].metadata.name,
      ]);
    });

    it('makes a slice for each family', async () => {
      await service('families');
      const addresses = [{ ip: '192.0.2.1' }, { ip: '2001:db8::1' }];
      await use().create(paths.endpoints(), {
        metadata: { name: 'families' },
        subsets: [{ addresses, ports: [{ port: 1 }] }],
      });
      const { body } = await copiesOf('families', (items) => items.length === 2);
      const types = body.items.map(({ addressType }: { addressType: string }) => addressType);
      expect(types.toSorted()).toEqual(['IPv4', 'IPv6']);
    });

    it('copies nothing for a selector or skip-mirror, while a neighbour is copied', async () => {
      const subsets = [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 1 }] }];
      await service('selecting', { selector: { app: 'a' } });
      await use().create(paths.endpoints(), { metadata: { name: 'selecting' }, subsets });
      await service('skipped');
      const labels = { 'endpointslice.kubernetes.io/skip-mirror': 'true' };
      await use().create(paths.endpoints(), { metadata: { name: 'skipped', labels }, subsets });
      await service('neighbour');
      await use().create(paths.endpoints(), { metadata: { name: 'neighbour' }, subsets });
      await copiesOf('neighbour', (items) => items.length === 1);
      expect((await copiesOf('selecting', () => true)).body.items).toEqual([]);
      expect((await copiesOf('skipped', () => true)).body.items).toEqual([]);
    });

    it('deletes the copies with the addresses, the Endpoints or the Service', async () => {
      const subsets = [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 1 }] }];
      for (const name of ['emptied', 'unendpointed', 'unserviced']) {
        await service(name);
        await use().create(paths.endpoints(), { metadata: { name }, subsets });
        await copiesOf(name, (items) => items.length === 1);
      }
      await use().merge(paths.endpoints('emptied'), { subsets: [] });
      await use().remove(paths.endpoints('unendpointed'));
      await use().remove(paths.services('unserviced'));
      for (const name of ['emptied', 'unendpointed', 'unserviced']) {
        expect((await copiesOf(name, (items) => items.length === 0)).body.items).toEqual([]);
      }
    });
  });
}
