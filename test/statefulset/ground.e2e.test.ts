// The ground of the StatefulSet tests: pods come, go and change as a real target cluster would show them.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Lab } from '../support/lab.ts';
import { type SetGround, startSetGround } from './ground.ts';
import type { Sets } from './sets.ts';

let ground: SetGround;
let lab: Lab;
let sets: Sets;
beforeAll(async () => {
  ground = await startSetGround();
});
beforeEach(async () => {
  ({ lab, sets } = await ground.open());
});
afterEach(() => lab?.close());
afterAll(() => ground?.close());

interface Endpoint {
  readonly hostname?: string;
  readonly conditions: { readonly ready: boolean };
  readonly zone?: string;
}

/** What the slices of foo in the target cluster say of each pod. */
const podsInSlices = async (): Promise<readonly string[]> => {
  const slices = await lab.target.list('EndpointSlice', 'default');
  const endpoints = slices.flatMap((slice): readonly Endpoint[] => slice['endpoints'] ?? []);
  return endpoints
    .map(
      ({ hostname, zone, conditions }) =>
        `${hostname} in ${zone}, ${conditions.ready ? 'ready' : 'not ready'}`,
    )
    .toSorted();
};

describe('the slices of a headless Service', () => {
  it('name the pods of its StatefulSet, as it is scaled', async () => {
    await sets.create({ name: 'foo', replicas: 2 });
    expect(await podsInSlices()).toEqual(['foo-0 in zone-a, ready', 'foo-1 in zone-a, ready']);
    await sets.scale('foo', 3);
    expect(await podsInSlices()).toHaveLength(3);
    await sets.scale('foo', 0);
    expect(await podsInSlices()).toEqual([]);
    await sets.scale('foo', 1);
    expect(await podsInSlices()).toEqual(['foo-0 in zone-a, ready']);
  });

  it('tell which pod is not ready', async () => {
    await sets.create({ name: 'foo', replicas: 2 });
    await sets.setReady('foo-1', false);
    expect(await podsInSlices()).toEqual(['foo-0 in zone-a, ready', 'foo-1 in zone-a, not ready']);
    await sets.setReady('foo-1', true);
    expect(await podsInSlices()).toEqual(['foo-0 in zone-a, ready', 'foo-1 in zone-a, ready']);
  });

  it('show a pod that is not ready as ready when the Service publishes such addresses', async () => {
    await sets.create({ name: 'foo', replicas: 1, publishNotReadyAddresses: true });
    await sets.setReady('foo-0', false);
    expect(await podsInSlices()).toEqual(['foo-0 in zone-a, ready']);
  });

  it('name the pods of a parallel StatefulSet from its first ordinal on', async () => {
    await sets.create({ name: 'foo', replicas: 2, podManagementPolicy: 'Parallel', start: 5 });
    expect(await podsInSlices()).toEqual(['foo-5 in zone-a, ready', 'foo-6 in zone-a, ready']);
  });
});

describe('a Service that is replaced', () => {
  const clusterIP = async () => (await lab.target.read('Service', 'default', 'foo'))?.['spec'].clusterIP;

  it('changes between headless and a ClusterIP, and its slices name the pods in both shapes', async () => {
    await sets.create({ name: 'foo', replicas: 1, headless: false });
    expect(await clusterIP()).toMatch(/^10\.97\./);
    expect(await podsInSlices()).toEqual(['foo-0 in zone-a, ready']);
    await sets.replaceService('foo', { headless: true });
    expect(await clusterIP()).toBe('None');
    expect(await podsInSlices()).toEqual(['foo-0 in zone-a, ready']);
    await sets.replaceService('foo', { headless: false });
    expect(await clusterIP()).toMatch(/^10\.97\./);
    expect(await podsInSlices()).toEqual(['foo-0 in zone-a, ready']);
  });
});

describe('an opened ground', () => {
  it('holds a Service that a test makes', async () => {
    await sets.create({ name: 'foo', replicas: 1, exported: false });
    expect((await lab.target.read('Service', 'default', 'foo'))?.metadata.labels).toBeUndefined();
    await sets.exportService('foo');
    expect((await lab.target.read('Service', 'default', 'foo'))?.metadata.labels).toEqual({
      'mirror.linkerd.io/exported': 'true',
    });
  });

  it('holds nothing of the tests before', async () => {
    const kinds = ['StatefulSet', 'Pod', 'EndpointSlice', 'Service'] as const;
    const found = await Promise.all(kinds.map((kind) => lab.target.list(kind)));
    expect(found.flat().map(({ metadata }) => metadata.name)).toEqual(['kubernetes']);
  });
});
