// A headless Service of the target cluster whose pods have names, spread over EndpointSlices as Kubernetes spreads them.
import type { ObjectKey } from '../lib/model/keys.ts';
import type { KubeObject } from '../test/support/api.ts';
import { aService, aSlice } from '../test/support/builders.ts';
import { type BareClient, collectionPath } from './bare.ts';

/** As many endpoints as Kubernetes' own controller puts into one slice. */
const SLICE_SIZE = 100;

const podIP = (ordinal: number): string => `10.1.${Math.floor(ordinal / 250)}.${(ordinal % 250) + 1}`;

const podSlice = ({ namespace, name }: ObjectKey, index: number, pods: number): KubeObject => {
  const first = index * SLICE_SIZE;
  const length = Math.min(SLICE_SIZE, pods - first);
  return {
    ...aSlice({ namespace, service: name, name: `${name}-${index}` }),
    endpoints: Array.from({ length }, (_unused, offset) => ({
      hostname: `${name}-${first + offset}`,
      addresses: [podIP(first + offset)],
      conditions: { ready: true },
    })),
  };
};

/** Exports the Service at the first call; every call gives it exactly `count` pods, one at least. */
export const headlessService = (
  target: BareClient,
  service: ObjectKey,
): ((count: number) => Promise<void>) => {
  const path = collectionPath('EndpointSlice', service.namespace);
  let stored = 0; // slices
  return async (count) => {
    if (stored === 0) {
      const root = aService({ ...service, spec: { clusterIP: 'None' } });
      await target.send('POST', collectionPath('Service', service.namespace), root);
    }
    const [before, wanted] = [stored, Math.ceil(count / SLICE_SIZE)];
    const indexes = Array.from({ length: Math.max(before, wanted) }, (_unused, index) => index);
    stored = wanted;
    await target.all(indexes, async (index) => {
      if (index >= wanted) return target.send('DELETE', `${path}/${service.name}-${index}`);
      const slice = podSlice(service, index, count);
      return index >= before
        ? target.send('POST', path, slice)
        : target.send('PATCH', `${path}/${service.name}-${index}`, { endpoints: slice['endpoints'] });
    });
  };
};
