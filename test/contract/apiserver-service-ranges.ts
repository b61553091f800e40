// Contract of Kubernetes API servers: a service range that is small.
import { expect, it } from 'vitest';
import { failure, pathsIn } from './apiserver-client.ts';
import type { Answer, Client } from './apiserver-client.ts';

/** On a server of its own with the range 10.97.0.0/29: six addresses, the first of them taken by default/kubernetes. */
export function smallRangeContract(use: () => Client): void {
  it('500 when the range is full, and again a free address when one is released', async () => {
    const paths = pathsIn(await use().namespace('small'));
    const create = (name: string): Promise<Answer> =>
      use().create(paths.services(), { metadata: { name }, spec: { ports: [{ port: 80 }] } });
    const addresses: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) addresses.push((await create(name)).body.spec.clusterIP);
    expect(addresses.toSorted()).toEqual(['10.97.0.2', '10.97.0.3', '10.97.0.4', '10.97.0.5', '10.97.0.6']);
    expect(await create('f')).toMatchObject(
      failure({
        code: 500,
        reason: 'InternalError',
        message: 'Internal error occurred: failed to allocate a serviceIP: range is full',
        details: { causes: [{ message: 'failed to allocate a serviceIP: range is full' }] },
      }),
    );
    expect((await use().get(paths.services('f'))).status).toBe(404);
    await use().remove(paths.services('c'));
    expect((await create('g')).body.spec.clusterIP).toBe(addresses[2]);
  });
}
