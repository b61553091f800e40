// The snapshot of the target cluster.
import { describe, expect, it } from 'vitest';
import type { EndpointSlice } from '../../lib/model/objects.ts';
import { observeTarget } from '../../lib/observe/target.ts';
import { exported, headlessExported, namespace, ourSlice, sliceEndpoint } from '../support/model-builders.ts';
import { clusterOf } from './cluster-of.ts';

const KUBE_SYSTEM = namespace('kube-system');

const slice = (name: string, serviceName: string, ready: readonly boolean[], place = 'shop'): EndpointSlice =>
  ourSlice({
    meta: { namespace: place, name, labels: {} },
    serviceName,
    managedBy: 'endpointslice-controller.k8s.io',
    endpoints: ready.map((isReady, index) => sliceEndpoint(`10.1.0.${index}`, { ready: isReady })),
  });

describe('observeTarget', () => {
  it('F1: sees every Service, exported or not, from one list', async () => {
    const plain = exported({ meta: { name: 'plain', labels: {} } });
    const cluster = clusterOf({ Namespace: [KUBE_SYSTEM], Service: [exported(), plain] });
    const seen = await observeTarget(cluster);
    expect(seen).toMatchObject({ observed: true, value: { uid: 'uid-of-kube-system' } });
    expect(seen.observed && [...seen.value.services.keys()]).toEqual(['shop/web', 'shop/plain']);
    expect(cluster.asked.toSorted()).toEqual([
      'GET Namespace /kube-system',
      'LIST EndpointSlice',
      'LIST Service',
    ]);
  });

  it.each<[string, readonly EndpointSlice[], readonly string[]]>([
    ['C1: one ready endpoint among others', [slice('a', 'web', [false, true])], ['shop/web']],
    ['C1: none ready', [slice('a', 'web', [false])], []],
    ['C1: no endpoint', [slice('a', 'web', [])], []],
    [
      'C4: a ready endpoint in the second slice',
      [slice('a', 'web', [false]), slice('b', 'web', [true])],
      ['shop/web'],
    ],
    ['D6: the same name in another namespace', [slice('a', 'web', [true], 'other')], ['other/web']],
    ['readiness of a slice of no Service', [slice('a', '', [true])], []],
  ])('%s', async (_name, slices, expected) => {
    const seen = await observeTarget(
      clusterOf({ Namespace: [KUBE_SYSTEM], Service: [exported()], EndpointSlice: slices }),
    );
    expect(seen.observed && seen.value.ready).toEqual({ observed: true, value: new Set(expected) });
  });

  it('E8: without EndpointSlices the Services are still seen, and readiness is unobserved', async () => {
    const cluster = clusterOf(
      { Namespace: [KUBE_SYSTEM], Service: [exported()], EndpointSlice: [slice('a', 'web', [true])] },
      { 'LIST EndpointSlice': { kind: 'denied' } },
    );
    const seen = await observeTarget(cluster);
    expect(seen.observed && seen.value.services.size).toBe(1);
    expect(seen.observed && seen.value.ready).toEqual({
      observed: false,
      why: { what: 'target EndpointSlices', message: 'source: a request: it was denied' },
      reason: 'Unobserved',
    });
  });

  it.each([
    ['LIST Service', 'target Services'],
    ['GET Namespace', 'target cluster'],
  ])('E8: when %s fails nothing of the target counts as seen', async (request, what) => {
    const cluster = clusterOf(
      { Namespace: [KUBE_SYSTEM], Service: [exported()] },
      { [request]: { kind: 'unreachable' } },
    );
    expect(await observeTarget(cluster)).toMatchObject({ observed: false, why: { what } });
  });

  it('D1: keeps the slices of headless Services, and of no others', async () => {
    const seen = await observeTarget(
      clusterOf({
        Namespace: [KUBE_SYSTEM],
        Service: [exported(), headlessExported(), headlessExported({ meta: { namespace: 'other' } })],
        EndpointSlice: [
          slice('a', 'web', [true]),
          slice('b', 'db', [true]),
          slice('c', 'db', [false]),
          slice('d', 'gone', [true]),
          slice('e', 'web', [true], 'other'),
          slice('f', '', [true]),
        ],
      }),
    );
    expect(seen.observed && [...seen.value.headless]).toEqual([
      ['shop/db', [slice('b', 'db', [true]), slice('c', 'db', [false])]],
    ]);
  });

  it('D6: those of one namespace are not those of another', async () => {
    const seen = await observeTarget(
      clusterOf({
        Namespace: [KUBE_SYSTEM],
        Service: [headlessExported(), headlessExported({ meta: { namespace: 'other' } })],
        EndpointSlice: [slice('a', 'db', [true]), slice('b', 'db', [true], 'other')],
      }),
    );
    expect(seen.observed && [...seen.value.headless]).toEqual([
      ['shop/db', [slice('a', 'db', [true])]],
      ['other/db', [slice('b', 'db', [true], 'other')]],
    ]);
  });

  it('E8: without EndpointSlices there are none, and readiness says that they are not known', async () => {
    const cluster = clusterOf(
      { Namespace: [KUBE_SYSTEM], Service: [headlessExported()], EndpointSlice: [slice('a', 'db', [true])] },
      { 'LIST EndpointSlice': { kind: 'denied' } },
    );
    const seen = await observeTarget(cluster);
    expect(seen.observed && seen.value.headless.size).toBe(0);
    expect(seen.observed && seen.value.ready.observed).toBe(false);
  });
});
