// Contract of Kubernetes API servers: service ranges that are small, and that are two.
import { beforeAll, expect, it } from 'vitest';
import { causesOf, failure, pathsIn } from './apiserver-client.ts';
import type { Answer, Client, Paths } from './apiserver-client.ts';

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

/** On a server of its own with the ranges 10.98.0.0/24 and fd00:98::/112. */
export function dualStackContract(use: () => Client): void {
  let paths: Paths;
  beforeAll(async () => {
    paths = pathsIn(await use().namespace('dual'));
  });
  const create = (name: string, spec: object): Promise<Answer> =>
    use().create(paths.services(), { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } });

  it('gives one address unless asked for both', async () => {
    const single = await create('single', {});
    expect(single.body.spec).toMatchObject({ ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });
    const both = await create('both', { ipFamilyPolicy: 'PreferDualStack' });
    expect(both.body.spec).toMatchObject({
      ipFamilies: ['IPv4', 'IPv6'],
      clusterIPs: [
        expect.stringMatching(/^10\.98\.0\.\d+$/),
        expect.stringMatching(/^fd00:98::[0-9a-f]{1,4}$/),
      ],
    });
    expect(both.body.spec.clusterIP).toBe(both.body.spec.clusterIPs[0]);
  });

  it('takes the order of families that is asked for', async () => {
    const { body } = await create('six-first', {
      ipFamilyPolicy: 'RequireDualStack',
      ipFamilies: ['IPv6', 'IPv4'],
    });
    expect(body.spec.clusterIP).toMatch(/^fd00:98::/);
  });

  it('adds the second address and takes it away again', async () => {
    const { body } = await create('growing', {});
    const grown = await use().merge(paths.services('growing'), {
      spec: { ipFamilyPolicy: 'PreferDualStack' },
    });
    expect(grown.body.spec.clusterIPs).toHaveLength(2);
    expect(grown.body.spec.clusterIP).toBe(body.spec.clusterIP);
    const shrunk = await use().merge(paths.services('growing'), { spec: { ipFamilyPolicy: 'SingleStack' } });
    expect(shrunk.body.spec).toMatchObject({ clusterIPs: [body.spec.clusterIP], ipFamilies: ['IPv4'] });
  });

  it('422 for two addresses of one family', async () => {
    const answer = await create('twins', {
      ipFamilyPolicy: 'RequireDualStack',
      clusterIP: '10.98.0.20',
      clusterIPs: ['10.98.0.20', '10.98.0.21'],
    });
    expect(answer).toMatchObject(failure({ code: 422, reason: 'Invalid' }));
    expect(causesOf(answer)).toContain(
      'spec.clusterIPs: Invalid value: ["10.98.0.20","10.98.0.21"]: may specify no more than one IP for each IP family',
    );
  });
}
