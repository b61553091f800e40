// What becomes of endpoint mirrors whose pods are gone.
import { describe, expect, it } from 'vitest';
import type { LinkDocument } from '../../lib/model/link.ts';
import type { StringMap } from '../../lib/model/objects.ts';
import type { Change } from '../../lib/model/plan.ts';
import { planGone, removePod } from '../../lib/plan/gone.ts';
import type { Subject } from '../../lib/plan/mirror.ts';
import { NOTHING_STANDS, type Standing } from '../../lib/plan/standing.ts';
import { linkOf } from '../support/lab.ts';
import {
  desiredHeadless,
  mirrorService,
  OF_DB,
  OURS,
  ourSlice,
  podEndpoints,
  podService,
} from '../support/model-builders.ts';

const POD = { namespace: 'shop', name: 'db-0-west' };
const GONE_AT = 'eks-service-mirror/pod-gone-at';
const FQ_NAME = 'mirror.linkerd.io/remote-svc-fq-name';
const IDENTITY = 'mirror.linkerd.io/remote-gateway-identity';
const NOON = Date.parse('2026-01-01T12:00:00Z');
const STANDS: Standing = {
  ...NOTHING_STANDS,
  service: podService('db-0', '10.96.0.10'),
  endpoints: podEndpoints('db-0'),
};

interface Given {
  readonly link?: Partial<LinkDocument>;
  readonly standing?: Standing;
  readonly mayDelete?: boolean;
  readonly now?: number;
}

const subjectOf = ({ link, mayDelete = true }: Given): Subject => ({
  link: linkOf(link),
  key: { namespace: 'shop', name: 'db' },
  mirror: POD,
  root: { namespace: 'shop', name: 'db-west' },
  source: { family: 'IPv4' },
  mayDelete,
});

const plan = (given: Given = {}): readonly Change[] => {
  const { standing = STANDS, now = NOON } = given;
  return planGone(subjectOf(given), desiredHeadless([]).endpoints, standing, now);
};

const shown = (changes: readonly Change[]): readonly string[] =>
  changes.map(({ action, kind, name }) => `${action} ${kind} ${name}`);

const REMOVED = ['delete Endpoints db-0-west', 'delete Service db-0-west'];
const GRACE = { endpointMirrorGrace: 60 };

/** What stands once the pod was seen to be gone at that time. */
const emptied = (at: string): Standing => ({
  ...STANDS,
  endpoints: podEndpoints('db-0', {
    subsets: [],
    meta: {
      annotations: { [FQ_NAME]: 'db-0.db.shop.svc.cluster.local', [IDENTITY]: 'gw.id', [GONE_AT]: at },
    },
  }),
});

describe('planGone', () => {
  it('D1: without a grace it is removed, its list first, and it is told which address is lost', () => {
    expect(plan()).toEqual([
      {
        action: 'delete',
        kind: 'Endpoints',
        ...POD,
        mirror: POD,
        needsEarlier: true,
        reasons: ['its pod is gone'],
        uid: 'uid-of-db-0-west',
        resourceVersion: '7',
      },
      {
        action: 'delete',
        kind: 'Service',
        ...POD,
        mirror: POD,
        needsEarlier: true,
        reasons: ['its pod is gone; the ClusterIP 10.96.0.10 is lost'],
        uid: 'uid-of-db-0-west',
        resourceVersion: '7',
      },
    ]);
  });

  it('with a grace it is emptied and kept, and its list says since when, in whole seconds', () => {
    expect(plan({ link: GRACE, now: NOON + 999 })).toEqual([
      {
        action: 'update',
        kind: 'Endpoints',
        ...POD,
        mirror: POD,
        needsEarlier: false,
        reasons: [
          `annotation ${GONE_AT}: (none) → 2026-01-01T12:00:00Z`,
          'addresses: 203.0.113.1 on pg:4143/TCP → (empty)',
        ],
        uid: 'uid-of-db-0-west',
        resourceVersion: '7',
        patch: { metadata: { annotations: { [GONE_AT]: '2026-01-01T12:00:00Z' } }, subsets: [] },
      },
    ]);
  });

  it('one without a list gets an empty one that says so', () => {
    expect(plan({ link: GRACE, standing: { ...STANDS, endpoints: undefined } })).toMatchObject([
      {
        action: 'create',
        kind: 'Endpoints',
        body: {
          metadata: { labels: OF_DB, annotations: { [GONE_AT]: '2026-01-01T12:00:00Z' } },
          subsets: [],
        },
      },
    ]);
  });

  it('in the other form a slice says so', () => {
    const labels = {
      ...OF_DB,
      'kubernetes.io/service-name': 'db-0-west',
      'endpointslice.kubernetes.io/managed-by': 'eks-service-mirror',
    };
    const slice = ourSlice({ serviceName: 'db-0-west', meta: { name: 'db-0-slice', labels } });
    const standing = { ...STANDS, endpoints: undefined, ownSlices: [slice] };
    const link = { ...GRACE, endpoints: 'endpointslices' } as const;
    expect(plan({ link, standing })).toMatchObject([
      {
        action: 'update',
        kind: 'EndpointSlice',
        name: 'db-0-slice',
        patch: { metadata: { annotations: { [GONE_AT]: '2026-01-01T12:00:00Z' } }, endpoints: [] },
      },
    ]);
    expect(shown(plan({ standing }))).toEqual([
      'delete EndpointSlice db-0-slice',
      'delete Service db-0-west',
    ]);
  });

  it.each<[string, string, readonly string[]]>([
    ['just now', '2026-01-01T12:00:00Z', []],
    ['a second before the grace is over: the time it says stays', '2026-01-01T11:59:01Z', []],
    ['the grace is over', '2026-01-01T11:59:00Z', REMOVED],
    ['the grace is long over', '2025-01-01T11:59:00Z', REMOVED],
    ['a time to come, by another clock: from now on', '2026-01-01T12:00:30Z', ['update Endpoints db-0-west']],
    ['no time at all: from now on', 'yesterday', ['update Endpoints db-0-west']],
  ])('gone since %s', (_name, since, expected) => {
    expect(shown(plan({ link: GRACE, standing: emptied(since) }))).toEqual(expected);
  });

  it('a Service that is gone too is not waited for: its list goes', () => {
    expect(shown(plan({ link: GRACE, standing: { ...STANDS, service: undefined } }))).toEqual([
      'delete Endpoints db-0-west',
    ]);
  });

  it('E8: while not everything was seen nothing is removed, but it is emptied', () => {
    expect(plan({ mayDelete: false })).toEqual([]);
    expect(shown(plan({ mayDelete: false, link: GRACE }))).toEqual(['update Endpoints db-0-west']);
    const over = emptied('2026-01-01T11:00:00Z');
    expect(plan({ mayDelete: false, link: GRACE, standing: over })).toEqual([]);
  });

  const TAKEN: readonly (readonly [string, Standing['service']])[] = [
    ['E3: a Service of somebody else', mirrorService({ meta: { name: 'db-0-west', labels: {} } })],
    [
      'an endpoint mirror of another root',
      podService('db-0', '10.96.0.10', {
        meta: { labels: { ...OURS, 'mirror.linkerd.io/headless-mirror-svc-name': 'orders-west' } },
      }),
    ],
    ['a mirror of its own', mirrorService({ meta: { name: 'db-0-west' } })],
  ];
  it.each(TAKEN)('%s has the name: nothing is done to it or to what stands under it', (_name, service) => {
    expect(plan({ standing: { ...STANDS, service } })).toEqual([]);
    expect(plan({ link: GRACE, standing: { ...STANDS, service } })).toEqual([]);
  });

  it.each<[string, StringMap, readonly string[]]>([
    ['of somebody else stay', {}, ['delete Service db-0-west']],
    [
      'of somebody else that name the root stay',
      { 'mirror.linkerd.io/headless-mirror-svc-name': 'db-west' },
      ['delete Service db-0-west'],
    ],
    [
      'with the label of another root go with the Service: whose it is they are',
      { ...OURS, 'mirror.linkerd.io/headless-mirror-svc-name': 'orders-west' },
      ['delete Endpoints db-0-west', 'delete Service db-0-west'],
    ],
    ['without the label of a root do too', OURS, ['delete Endpoints db-0-west', 'delete Service db-0-west']],
  ])('E4: Endpoints under its name %s', (_name, labels, expected) => {
    const standing = { ...STANDS, endpoints: podEndpoints('db-0', { meta: { labels } }) };
    expect(shown(plan({ standing }))).toEqual(expected);
  });

  it.each(['endpoints', 'endpointslices'] as const)(
    'E4: %s: those of somebody else are never emptied; where no time can be kept there is no grace',
    (endpoints) => {
      const standing = { ...STANDS, endpoints: podEndpoints('db-0', { meta: { labels: {} } }) };
      expect(shown(plan({ link: { ...GRACE, endpoints }, standing }))).toEqual(['delete Service db-0-west']);
    },
  );

  it('E4: nor are they where a slice of ours keeps the time', () => {
    const slice = ourSlice({ serviceName: 'db-0-west', meta: { name: 'db-0-slice', labels: OF_DB } });
    const foreign = podEndpoints('db-0', { meta: { labels: {} } });
    const standing = { ...STANDS, endpoints: foreign, ownSlices: [slice] };
    const link = { ...GRACE, endpoints: 'endpointslices' } as const;
    expect(shown(plan({ link, standing }))).toEqual(['update EndpointSlice db-0-slice']);
  });

  it('slices with the label of another root go with the Service', () => {
    const labels = { ...OURS, 'mirror.linkerd.io/headless-mirror-svc-name': 'orders-west' };
    const [own, other] = [OF_DB, labels].map((given, index) =>
      ourSlice({ serviceName: 'db-0-west', meta: { name: `slice-${index}`, labels: given } }),
    );
    const ownSlices = [own, other].filter((slice) => slice !== undefined);
    expect(shown(plan({ standing: { ...STANDS, endpoints: undefined, ownSlices } }))).toEqual([
      'delete EndpointSlice slice-0',
      'delete EndpointSlice slice-1',
      'delete Service db-0-west',
    ]);
  });
});

describe('removePod', () => {
  it('says why', () => {
    const reasons = removePod(subjectOf({}), STANDS, 'shop/db-west is not headless').map(
      (change) => change.reasons,
    );
    expect(reasons).toEqual([
      ['shop/db-west is not headless'],
      ['shop/db-west is not headless; the ClusterIP 10.96.0.10 is lost'],
    ]);
  });
});
