// Owned objects without an exported Service, and the brake on deleting too many of them.
import { describe, expect, it } from 'vitest';
import type { ObjectKey } from '../../lib/model/keys.ts';
import type { LinkDocument } from '../../lib/model/link.ts';
import type { Change } from '../../lib/model/plan.ts';
import { planOrphans } from '../../lib/plan/orphans.ts';
import { linkOf } from '../support/lab.ts';
import { mirrorEndpoints, mirrorService, OURS, ourSlice, sourceOf } from '../support/model-builders.ts';

interface Given {
  readonly source?: Parameters<typeof sourceOf>[0];
  readonly kept?: readonly string[];
  readonly link?: Partial<LinkDocument>;
  readonly force?: boolean;
  readonly covers?: (root: ObjectKey) => boolean;
}

const plan = ({ source, kept = [], link, force = false, covers = () => true }: Given) =>
  planOrphans(linkOf(link), sourceOf(source), new Set(kept), { force, covers });

const shown = ({ changes }: { readonly changes: readonly Change[] }): readonly string[] =>
  changes.map(({ action, kind, namespace, name }) => `${action} ${kind} ${namespace}/${name}`);

const named = (name: string, namespace = 'shop') => ({ meta: { name, namespace } });

/** An endpoint mirror of the headless mirror `root`. */
const ofRoot = (name: string, root: string) => ({
  meta: { name, labels: { ...OURS, 'mirror.linkerd.io/headless-mirror-svc-name': root } },
});

const MIRROR = { services: [mirrorService()], endpoints: [mirrorEndpoints()], slices: [ourSlice()] };

describe('planOrphans', () => {
  it('E7: endpoints objects go before the Service that carries their addresses', () => {
    expect(shown(plan({ source: MIRROR }))).toEqual([
      'delete EndpointSlice shop/web-west-76a79620-v4-0',
      'delete Endpoints shop/web-west',
      'delete Service shop/web-west',
    ]);
  });

  it('E7: each delete says why, names what was seen, and waits for the one before', () => {
    expect(plan({ source: { services: [mirrorService()] } })).toEqual({
      changes: [
        {
          action: 'delete',
          kind: 'Service',
          namespace: 'shop',
          name: 'web-west',
          mirror: { namespace: 'shop', name: 'web-west' },
          needsEarlier: true,
          reasons: ['its Service is no longer exported'],
          uid: 'uid-of-web-west',
          resourceVersion: '7',
        },
      ],
      refusals: [],
    });
  });

  it.each<[string, Given, readonly string[]]>([
    ['a kept mirror', { source: MIRROR, kept: ['shop/web-west'] }, []],
    [
      'D6: the same name kept in another namespace does not help',
      { source: { services: [mirrorService()] }, kept: ['other/web-west'] },
      ['delete Service shop/web-west'],
    ],
    [
      'D5: endpoint mirrors of a kept root stay',
      {
        source: {
          services: [mirrorService(ofRoot('db-0-west', 'db-west'))],
          endpoints: [mirrorEndpoints(ofRoot('db-0-west', 'db-west'))],
        },
        kept: ['shop/db-west'],
      },
      [],
    ],
    [
      'D6: endpoint mirrors of a root of another namespace are not the same',
      { source: { services: [mirrorService(ofRoot('db-0-west', 'db-west'))] }, kept: ['other/db-west'] },
      ['delete Service shop/db-0-west'],
    ],
    [
      'D5: endpoint mirrors go after their root, each as a whole',
      {
        source: {
          services: [
            mirrorService(named('db-west')),
            mirrorService(ofRoot('db-1-west', 'db-west')),
            mirrorService(ofRoot('db-0-west', 'db-west')),
          ],
          endpoints: [
            mirrorEndpoints(ofRoot('db-1-west', 'db-west')),
            mirrorEndpoints(ofRoot('db-0-west', 'db-west')),
          ],
        },
      },
      [
        'delete Service shop/db-west',
        'delete Endpoints shop/db-0-west',
        'delete Service shop/db-0-west',
        'delete Endpoints shop/db-1-west',
        'delete Service shop/db-1-west',
      ],
    ],
    [
      'the lists of a root go before those of its endpoint mirrors, which its entries point to',
      {
        source: {
          endpoints: [mirrorEndpoints(ofRoot('db-0-west', 'db-west')), mirrorEndpoints(named('db-west'))],
          slices: [
            ourSlice({ ...ofRoot('db-0-west-x', 'db-west'), serviceName: 'db-0-west' }),
            ourSlice({ ...named('db-west-x'), serviceName: 'db-west' }),
          ],
        },
      },
      [
        'delete EndpointSlice shop/db-west-x',
        'delete Endpoints shop/db-west',
        'delete EndpointSlice shop/db-0-west-x',
        'delete Endpoints shop/db-0-west',
      ],
    ],
    [
      'D5: the lists of a root go before those that its entries lead to',
      {
        source: {
          services: [
            mirrorService(named('db-west')),
            mirrorService(ofRoot('a-0-west', 'db-west')),
            mirrorService(ofRoot('a-1-west', 'db-west')),
          ],
          endpoints: [mirrorEndpoints(ofRoot('a-1-west', 'db-west')), mirrorEndpoints(named('db-west'))],
          slices: [
            ourSlice({
              serviceName: 'a-0-west',
              meta: { name: 'a-0-west-x', labels: ofRoot('', 'db-west').meta.labels },
            }),
          ],
        },
      },
      [
        'delete Endpoints shop/db-west',
        'delete Service shop/db-west',
        'delete EndpointSlice shop/a-0-west-x',
        'delete Service shop/a-0-west',
        'delete Endpoints shop/a-1-west',
        'delete Service shop/a-1-west',
      ],
    ],
    [
      'a list under a kept Service is that of the Service, whatever its own label says',
      {
        source: {
          services: [mirrorService()],
          endpoints: [mirrorEndpoints(ofRoot('web-west', 'gone-west'))],
        },
        kept: ['shop/web-west'],
      },
      [],
    ],
    [
      'E3: what is not ours',
      {
        source: {
          services: [
            mirrorService({ meta: { labels: {} } }),
            mirrorService({ meta: { name: 'a-west' }, hasSelector: true }),
          ],
        },
      },
      [],
    ],
    [
      'E4: our Endpoints under a Service that somebody else made',
      {
        source: {
          services: [mirrorService({ hasSelector: true })],
          endpoints: [mirrorEndpoints()],
          slices: [ourSlice()],
        },
      },
      [],
    ],
    [
      'E4: Endpoints of an endpoint mirror under such a Service',
      {
        source: {
          services: [mirrorService({ ...named('db-0-west'), hasSelector: true })],
          endpoints: [mirrorEndpoints(ofRoot('db-0-west', 'db-west'))],
        },
      },
      [],
    ],
    [
      'D13: endpoints objects without a Service',
      { source: { endpoints: [mirrorEndpoints()], slices: [ourSlice()] } },
      ['delete EndpointSlice shop/web-west-76a79620-v4-0', 'delete Endpoints shop/web-west'],
    ],
    [
      'mirrors outside of the part that was asked for',
      { source: MIRROR, covers: ({ namespace }) => namespace === 'other' },
      [],
    ],
  ])('%s', (_name, given, expected) => {
    expect(shown(plan(given))).toEqual(expected);
  });

  it('endpoint mirrors are parts of their root, written side by side after it', () => {
    const { changes } = plan({
      source: {
        services: [mirrorService(named('db-west')), mirrorService(ofRoot('db-0-west', 'db-west'))],
      },
    });
    const mirror = { namespace: 'shop', name: 'db-west' };
    expect(changes.map(({ name, mirror, part, stage }) => ({ name, mirror, part, stage }))).toEqual([
      { name: 'db-west', mirror, part: undefined, stage: undefined },
      { name: 'db-0-west', mirror, part: { namespace: 'shop', name: 'db-0-west' }, stage: 3 },
    ]);
  });
});

/** So many mirrors, of which so many lost their Service. */
const mirrorsOf = (doomed: number, total: number): Given => {
  const names = Array.from({ length: total }, (_unused, index) => `m${String(index).padStart(3, '0')}-west`);
  return {
    source: { services: names.map((name) => mirrorService(named(name))) },
    kept: names.slice(doomed).map((name) => `shop/${name}`),
  };
};

describe('the delete brake', () => {
  it.each([
    {
      doomed: 10,
      total: 10,
      percent: 20,
      atLeast: 10,
      braked: false,
      why: 'as many as are allowed, all of them',
    },
    { doomed: 11, total: 11, percent: 20, atLeast: 10, braked: true, why: 'one more, all of them' },
    {
      doomed: 11,
      total: 55,
      percent: 20,
      atLeast: 10,
      braked: false,
      why: 'more in number, 20 percent exactly',
    },
    {
      doomed: 11,
      total: 54,
      percent: 20,
      atLeast: 10,
      braked: true,
      why: 'more in number, a little over 20 percent',
    },
    { doomed: 1, total: 1, percent: 0, atLeast: 0, braked: true, why: 'none allowed' },
    { doomed: 0, total: 5, percent: 0, atLeast: 0, braked: false, why: 'none allowed, none wanted' },
    { doomed: 100, total: 100, percent: 100, atLeast: 10, braked: false, why: 'all allowed' },
    { doomed: 3, total: 5, percent: 50, atLeast: 2, braked: true, why: 'both limits passed' },
    { doomed: 2, total: 2, percent: 50, atLeast: 2, braked: false, why: 'only the share passed' },
  ])(
    'E8: $doomed of $total, limits $percent % and $atLeast: $why',
    ({ doomed, total, percent, atLeast, braked }) => {
      const given = { ...mirrorsOf(doomed, total), link: { deleteBrake: { percent, atLeast } } };
      const { changes, refusals } = plan(given);
      expect(changes).toHaveLength(braked ? 0 : doomed);
      expect(refusals.map(({ reason }) => reason)).toEqual(braked ? ['DeleteBrake'] : []);
      expect(plan({ ...given, force: true }).changes).toHaveLength(doomed);
    },
  );

  it('E8: says what it would have done', () => {
    expect(plan({ ...mirrorsOf(6, 6), link: { deleteBrake: { percent: 50, atLeast: 5 } } }).refusals).toEqual(
      [
        {
          namespace: '',
          name: 'west',
          reason: 'DeleteBrake',
          message:
            'would delete 6 of 6 mirrors (shop/m000-west, shop/m001-west, shop/m002-west, shop/m003-west, shop/m004-west, …), deleteBrake allows 50 % or 5 in one run; nothing was deleted, force deletes if this is meant',
        },
      ],
    );
  });

  it('E8: the many objects of one headless mirror count as one', () => {
    const pods = Array.from({ length: 30 }, (_unused, index) =>
      mirrorService(ofRoot(`db-${index}-west`, 'db-west')),
    );
    const { changes, refusals } = plan({
      source: { services: [mirrorService(named('db-west')), ...pods] },
      link: { deleteBrake: { percent: 0, atLeast: 1 } },
    });
    expect(changes).toHaveLength(31);
    expect(refusals).toEqual([]);
  });

  it('E8: mirrors outside of the part that was asked for count in the total only', () => {
    const given = mirrorsOf(3, 30);
    const link = { deleteBrake: { percent: 9, atLeast: 0 } };
    expect(plan({ ...given, link, covers: ({ name }) => name !== 'm000-west' }).changes).toHaveLength(2);
    expect(plan({ ...given, link }).changes).toEqual([]);
  });
});
