// What stands in the source cluster under the names of one link's mirrors.
import { describe, expect, it } from 'vitest';
import { NOTHING_STANDS, standingOf } from '../../lib/plan/standing.ts';
import {
  copiedSlice,
  mirrorEndpoints,
  mirrorService,
  OF_DB,
  OURS,
  ourSlice,
  podEndpoints,
  podService,
  rootEndpoints,
  rootService,
  sourceOf,
} from '../support/model-builders.ts';

type Objects = NonNullable<Parameters<typeof sourceOf>[0]>;

const indexOf = (objects: Objects) => standingOf(sourceOf(objects), 'west');
const WEB = { namespace: 'shop', name: 'web-west' };
const DB = { namespace: 'shop', name: 'db-west' };

describe('standingOf, at a name', () => {
  it('knows everything of the Service, its slices sorted by name', () => {
    const [first, second] = ['a', 'b'].map((name) => ourSlice({ meta: { name } }));
    const slices = [second, copiedSlice(), first].filter((slice) => slice !== undefined);
    const index = indexOf({ services: [mirrorService()], endpoints: [mirrorEndpoints()], slices });
    expect(index.at(WEB)).toEqual({
      service: mirrorService(),
      endpoints: mirrorEndpoints(),
      ownSlices: [first, second],
      copiedSlices: [copiedSlice()],
    });
  });

  it('D6: nothing of another name, another namespace or another link', () => {
    const other = { meta: { namespace: 'other' } };
    const east = { ...OURS, 'mirror.linkerd.io/cluster-name': 'east' };
    const index = indexOf({
      services: [mirrorService(other), rootService()],
      endpoints: [mirrorEndpoints(other)],
      slices: [ourSlice(other), ourSlice({ meta: { labels: east } }), ourSlice({ serviceName: 'api-west' })],
    });
    expect(index.at(WEB)).toEqual(NOTHING_STANDS);
  });

  it('E4: Endpoints of somebody else that are known by name only are seen; ours that came meanwhile are not', () => {
    const foreign = mirrorEndpoints({ meta: { labels: {} }, subsets: [] });
    expect(indexOf({ foreignEndpoints: [foreign] }).at(WEB).endpoints).toEqual(foreign);
    const ours = mirrorEndpoints({ subsets: [] });
    expect(indexOf({ foreignEndpoints: [ours] }).at(WEB).endpoints).toBeUndefined();
  });
});

describe('standingOf, the endpoint mirrors of a root', () => {
  const POD = ['shop/db-0-west'];
  const EAST = { meta: { labels: { ...OF_DB, 'mirror.linkerd.io/cluster-name': 'east' } } };
  const slice = ourSlice({ serviceName: 'db-0-west', meta: { name: 'db-0-slice', labels: OF_DB } });

  it.each<[string, Objects, readonly string[]]>([
    ['none', { services: [rootService()], endpoints: [rootEndpoints({ 'db-0': '10.96.0.10' })] }, []],
    ['a Service', { services: [podService('db-0', '10.96.0.10')] }, POD],
    ['Endpoints whose Service is gone', { endpoints: [podEndpoints('db-0')] }, POD],
    ['a slice whose Service is gone', { slices: [slice] }, POD],
    [
      'all of them are one',
      { services: [podService('db-0', '10.96.0.10')], endpoints: [podEndpoints('db-0')], slices: [slice] },
      POD,
    ],
    [
      'several, sorted',
      { services: [podService('db-1', '10.96.0.11')], endpoints: [podEndpoints('db-0')] },
      ['shop/db-0-west', 'shop/db-1-west'],
    ],
    [
      'D6: of the same root in another namespace',
      { services: [podService('db-0', '10.96.0.10', { meta: { namespace: 'other' } })] },
      [],
    ],
    ['of another link', { services: [podService('db-0', '10.96.0.10', EAST)] }, []],
    ['Endpoints of another link', { endpoints: [podEndpoints('db-0', EAST)] }, []],
    [
      'E3: one with a selector is nobody of ours',
      { services: [podService('db-0', '10.96.0.10', { hasSelector: true })] },
      [],
    ],
    [
      'a copy by the mirroring controller is not ours',
      { slices: [copiedSlice({ serviceName: 'db-0-west', meta: { labels: OF_DB } })] },
      [],
    ],
    ['a root that names itself as its root', { services: [rootService({ meta: { labels: OF_DB } })] }, []],
  ])('%s', (_name, objects, expected) => {
    expect(
      indexOf(objects)
        .podsOf(DB)
        .map(({ namespace, name }) => `${namespace}/${name}`),
    ).toEqual(expected);
  });
});
