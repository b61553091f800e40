// Reading parts of the source cluster again.
import { describe, expect, it } from 'vitest';
import { withNamesReadAgain } from '../../lib/observe/again.ts';
import { linkOf } from '../support/lab.ts';
import {
  mirrorEndpoints,
  mirrorService,
  ourSlice,
  podEndpoints,
  podService,
  sourceOf,
} from '../support/model-builders.ts';
import { clusterOf } from './cluster-of.ts';

describe('withNamesReadAgain', () => {
  const WEB = { namespace: 'shop', name: 'web-west' };
  const OTHER = {
    services: [mirrorService({ meta: { name: 'api-west' } })],
    endpoints: [mirrorEndpoints({ meta: { name: 'api-west' } })],
    slices: [ourSlice({ meta: { name: 'api-slice' }, serviceName: 'api-west' })],
  };
  const before = sourceOf({
    services: [mirrorService(), ...OTHER.services],
    endpoints: [mirrorEndpoints(), ...OTHER.endpoints],
    slices: [ourSlice(), ourSlice({ meta: { name: 'gone' } }), ...OTHER.slices],
  });

  it('C5: replaces what is named and leaves the rest as it was seen', async () => {
    const newer = { meta: { resourceVersion: '8' } };
    const cluster = clusterOf({
      Service: [mirrorService(newer)],
      Endpoints: [mirrorEndpoints(newer)],
      EndpointSlice: [ourSlice(newer)],
    });
    const seen = await withNamesReadAgain(cluster, linkOf(), before, [WEB]);
    const expected = sourceOf({
      services: [mirrorService(newer), ...OTHER.services],
      endpoints: [mirrorEndpoints(newer), ...OTHER.endpoints],
      slices: [...OTHER.slices, ourSlice(newer)],
    });
    expect(seen).toEqual({ observed: true, value: expected });
  });

  it('E10: forgets what is gone', async () => {
    const seen = await withNamesReadAgain(clusterOf({}), linkOf(), before, [WEB]);
    expect(seen).toEqual({ observed: true, value: sourceOf(OTHER) });
  });

  it('E4: shows Endpoints of somebody else that took the name, label or not', async () => {
    const foreign = mirrorEndpoints({ meta: { labels: {} } });
    const seen = await withNamesReadAgain(clusterOf({ Endpoints: [foreign] }), linkOf(), before, [WEB]);
    expect(seen.observed && seen.value.endpoints.get('shop/web-west')).toEqual(foreign);
  });

  it('C5: the snapshot it was given is not changed', async () => {
    const copy = structuredClone(before);
    await withNamesReadAgain(clusterOf({}), linkOf(), before, [WEB]);
    expect(before).toEqual(copy);
  });

  it('E8: is unobserved when a part cannot be read', async () => {
    const cluster = clusterOf({}, { 'GET Endpoints': { kind: 'busy' } });
    expect(await withNamesReadAgain(cluster, linkOf(), before, [WEB])).toMatchObject({
      observed: false,
      why: { what: 'source cluster' },
    });
  });
});

describe('withNamesReadAgain, many names', () => {
  const names = (count: number) =>
    Array.from({ length: count }, (_unused, index) => ({ namespace: 'shop', name: `db-${index}-west` }));
  const FOREIGN = { 'mirror.linkerd.io/cluster-name': 'east' };
  const slice = (pod: string, given: Parameters<typeof ourSlice>[0] = {}) =>
    ourSlice({ serviceName: pod, ...given, meta: { name: `${pod}-slice`, ...given.meta } });
  const newer = { meta: { resourceVersion: '8' } };
  const before = sourceOf({
    services: [podService('db-0', '10.96.0.10'), podService('db-1', '10.96.0.11'), mirrorService()],
    endpoints: [podEndpoints('db-0'), podEndpoints('db-1'), mirrorEndpoints()],
    slices: [slice('db-0-west'), slice('db-1-west'), ourSlice()],
  });
  const cluster = () =>
    clusterOf({
      Service: [
        podService('db-0', '10.96.0.10', newer),
        podService('db-2', '10.96.0.12'),
        podService('db-2', '10.96.1.12', { meta: { namespace: 'other' } }),
        mirrorService(newer),
        mirrorService({ meta: { name: 'api-west' } }),
      ],
      Endpoints: [
        podEndpoints('db-0', newer),
        podEndpoints('db-2', { meta: { labels: {} } }),
        mirrorEndpoints(newer),
        mirrorEndpoints({ meta: { name: 'api-west' } }),
      ],
      EndpointSlice: [
        slice('db-0-west', newer),
        slice('db-2-west', { meta: { labels: FOREIGN } }),
        ourSlice(newer),
      ],
    });

  it.each([
    [1, 3],
    [5, 15],
    [6, 3],
    [3000, 3],
  ])('%d names take %d requests', async (count, requests) => {
    const asking = cluster();
    await withNamesReadAgain(asking, linkOf(), before, names(count));
    expect(asking.asked).toHaveLength(requests);
  });

  it("lists the namespace of the names, and the link's slices in it", async () => {
    const asking = cluster();
    await withNamesReadAgain(asking, linkOf(), before, names(6));
    expect(asking.asked.toSorted()).toEqual([
      'LIST EndpointSlice shop mirror.linkerd.io/cluster-name=west',
      'LIST Endpoints shop',
      'LIST Service shop',
    ]);
  });

  it('few names in one namespace are read by name whatever is asked of another', async () => {
    const asking = cluster();
    const other = { namespace: 'other', name: 'db-2-west' };
    const seen = await withNamesReadAgain(asking, linkOf(), before, [...names(6), other]);
    expect(asking.asked.filter((request) => request.includes('other'))).toEqual([
      'GET Service other/db-2-west',
      'GET Endpoints other/db-2-west',
      'LIST EndpointSlice other kubernetes.io/service-name=db-2-west',
    ]);
    expect(asking.asked).toHaveLength(6);
    expect(seen.observed && seen.value.services.get('other/db-2-west')?.clusterIP).toBe('10.96.1.12');
  });

  it('C5: what is named is replaced, came or is gone, and the rest stays as it was seen', async () => {
    const seen = await withNamesReadAgain(cluster(), linkOf(), before, names(6));
    expect(seen).toEqual({
      observed: true,
      value: sourceOf({
        services: [
          mirrorService(),
          podService('db-0', '10.96.0.10', newer),
          podService('db-2', '10.96.0.12'),
        ],
        endpoints: [
          mirrorEndpoints(),
          podEndpoints('db-0', newer),
          podEndpoints('db-2', { meta: { labels: {} } }),
        ],
        slices: [ourSlice(), slice('db-0-west', newer)],
      }),
    });
  });

  it.each(['LIST Service', 'LIST Endpoints shop', 'LIST EndpointSlice'])(
    'E8: is unobserved when %s is not answered',
    async (request) => {
      const silent = clusterOf({}, { [request]: { kind: 'busy' } });
      expect(await withNamesReadAgain(silent, linkOf(), before, names(6))).toMatchObject({
        observed: false,
        why: { what: 'source cluster' },
      });
    },
  );
});
