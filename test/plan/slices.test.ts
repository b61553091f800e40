// The changes that make a mirror's own EndpointSlices what they should be.
import { describe, expect, it } from 'vitest';
import type { DesiredEndpoints } from '../../lib/model/desired.ts';
import type { Change } from '../../lib/model/plan.ts';
import { gatewayListing } from '../../lib/plan/listing.ts';
import { planSlices, readyAddresses, type SliceContext } from '../../lib/plan/slices.ts';
import {
  desiredEndpoints,
  OURS,
  ourSlice,
  published,
  sliceEndpoint,
  WEB_FQ_NAME,
  WEB_SLICE,
} from '../support/model-builders.ts';

const MIRROR = { namespace: 'shop', name: 'web-west' };
const CONTEXT: SliceContext = {
  link: 'west',
  mirror: MIRROR,
  ownerUid: 'uid-of-web-west',
  family: 'IPv4',
};
const PORT = { name: 'http', protocol: 'TCP', port: 4143 } as const;
const LABELS = {
  ...OURS,
  'kubernetes.io/service-name': 'web-west',
  'endpointslice.kubernetes.io/managed-by': 'eks-service-mirror',
};
const IDENTITY = 'mirror.linkerd.io/remote-gateway-identity';
const READY = { ready: true, serving: true, terminating: false };

const plan = (
  desired: Partial<DesiredEndpoints> = {},
  current: Parameters<typeof planSlices>[2] = [],
  context: Partial<SliceContext> = {},
): readonly Change[] =>
  planSlices({ ...CONTEXT, ...context }, gatewayListing(desiredEndpoints(desired)), current);

const namesOf = (changes: readonly Change[]): readonly string[] =>
  changes.map(({ action, name }) => `${action} ${name}`);

/** 203.0.113.1, 203.0.113.2, … */
const manyAddresses = (count: number) =>
  Array.from({ length: count }, (_unused, index) =>
    published(`198.51.${100 + Math.floor(index / 250)}.${index % 250}`),
  );

describe('planSlices, creating', () => {
  it('writes the ownership pair, the Service and us as the manager, after the Service', () => {
    expect(plan()).toEqual([
      {
        action: 'create',
        kind: 'EndpointSlice',
        namespace: 'shop',
        name: WEB_SLICE,
        mirror: MIRROR,
        needsEarlier: true,
        reasons: ['203.0.113.1 on http:4143/TCP'],
        ownedBy: { name: 'web-west', uid: 'uid-of-web-west' },
        body: {
          apiVersion: 'discovery.k8s.io/v1',
          kind: 'EndpointSlice',
          metadata: {
            namespace: 'shop',
            name: WEB_SLICE,
            labels: LABELS,
            annotations: { ...WEB_FQ_NAME, [IDENTITY]: 'gw.id' },
          },
          addressType: 'IPv4',
          endpoints: [{ addresses: ['203.0.113.1'], conditions: READY }],
          ports: [PORT],
        },
      },
    ]);
  });

  it('its owner is filled in later while the Service is yet to be created', () => {
    expect(plan({}, [], { ownerUid: undefined })).toMatchObject([
      { ownedBy: { name: 'web-west', uid: undefined } },
    ]);
  });

  it('a port without a name gets an empty one', () => {
    expect(plan({ ports: [{ protocol: 'TCP', port: 4143 }] })).toMatchObject([
      { body: { ports: [{ name: '', protocol: 'TCP', port: 4143 }] } },
    ]);
  });

  it.each([
    ['ready', READY],
    ['draining', { ready: false, serving: true, terminating: true }],
    ['down', { ready: false, serving: false, terminating: false }],
  ] as const)('B1: conditions of an address that is %s', (state, conditions) => {
    expect(plan({ addresses: [published('203.0.113.1', state)] })).toMatchObject([
      { body: { endpoints: [{ addresses: ['203.0.113.1'], conditions }] } },
    ]);
  });

  it('A10: families never share a slice', () => {
    const changes = plan({
      addresses: [published('203.0.113.1'), published('2001:db8::1'), published('203.0.113.2')],
    });
    expect(changes).toMatchObject([
      {
        name: 'web-west-76a79620-v4-0',
        body: {
          addressType: 'IPv4',
          endpoints: [{ addresses: ['203.0.113.1'] }, { addresses: ['203.0.113.2'] }],
        },
      },
      {
        name: 'web-west-76a79620-v6-0',
        body: { addressType: 'IPv6', endpoints: [{ addresses: ['2001:db8::1'] }] },
      },
    ]);
    expect(changes).toHaveLength(2);
  });

  it.each([
    ['IPv4', 'web-west-76a79620-v4-0'],
    ['IPv6', 'web-west-76a79620-v6-0'],
  ] as const)(
    'C1: a mirror that lists nobody has one empty slice of the family of the cluster: %s',
    (family, name) => {
      expect(plan({ addresses: [] }, [], { family })).toMatchObject([
        { name, reasons: ['(empty) on http:4143/TCP'], body: { addressType: family, endpoints: [] } },
      ]);
    },
  );

  it.each([
    [100, [100]],
    [101, [100, 1]],
    [250, [100, 100, 50]],
  ])('%d addresses make slices of %j', (count, sizes) => {
    const changes = plan({ addresses: manyAddresses(count) });
    expect(changes.map(({ name }) => name)).toEqual(
      sizes.map((_size, index) => `web-west-76a79620-v4-${index}`),
    );
    expect(
      changes.map((change) => (change.action === 'create' ? change.body['endpoints'] : [])),
    ).toMatchObject(sizes.map((size) => ({ length: size })));
  });

  it('many are told by their number', () => {
    expect(plan({ addresses: manyAddresses(100) }).map(({ reasons }) => reasons)).toEqual([
      ['100 addresses'],
    ]);
  });

  it('another link gets other names for the same Service', () => {
    expect(namesOf(plan({}, [], { link: 'east' }))).toEqual(['create web-west-6bdb262b-v4-0']);
  });
});

describe('planSlices, comparing', () => {
  it.each<[string, Partial<DesiredEndpoints>, Parameters<typeof ourSlice>[0]]>([
    ['equal slices', {}, {}],
    [
      'A9: the same endpoints in another order',
      { addresses: [published('203.0.113.1'), published('203.0.113.2')] },
      { endpoints: [sliceEndpoint('203.0.113.2'), sliceEndpoint('203.0.113.1')] },
    ],
    [
      'an unnamed port, which is stored as an empty name',
      { ports: [{ protocol: 'TCP', port: 4143 }] },
      { ports: [{ protocol: 'TCP', port: 4143 }] },
    ],
    [
      'G7: a foreign label',
      {},
      { meta: { labels: { ...LABELS, scrape: 'yes' }, droppable: { labels: [], annotations: [] } } },
    ],
    ['more owners than the Service', {}, { ownerUids: ['uid-of-web-west', 'uid-of-somebody'] }],
  ])('%s: nothing to do', (_name, desired, current) => {
    expect(plan(desired, [ourSlice(current)])).toEqual([]);
  });

  interface Row {
    readonly name: string;
    readonly desired?: Partial<DesiredEndpoints>;
    readonly current?: Parameters<typeof ourSlice>[0];
    readonly patch: object;
    readonly reasons: readonly string[];
  }

  it.each<Row>([
    {
      name: 'A6: the gateway has another address',
      desired: { addresses: [published('203.0.113.9')] },
      patch: { endpoints: [{ addresses: ['203.0.113.9'], conditions: READY }], ports: [PORT] },
      reasons: ['addresses: 203.0.113.1 on http:4143/TCP → 203.0.113.9 on http:4143/TCP'],
    },
    {
      name: 'an address drains',
      desired: { addresses: [published('203.0.113.1', 'draining')] },
      patch: {
        endpoints: [
          { addresses: ['203.0.113.1'], conditions: { ready: false, serving: true, terminating: true } },
        ],
        ports: [PORT],
      },
      reasons: ['addresses: 203.0.113.1 on http:4143/TCP → 203.0.113.1 draining on http:4143/TCP'],
    },
    {
      name: 'A7: the identity changed',
      desired: { annotations: { ...WEB_FQ_NAME, [IDENTITY]: 'id-2' } },
      patch: { metadata: { annotations: { [IDENTITY]: 'id-2' } } },
      reasons: [`annotation ${IDENTITY}: gw.id → id-2`],
    },
    {
      name: 'C7: a label of the exported Service went',
      current: { meta: { labels: { ...LABELS, tier: 'a' } } },
      patch: { metadata: { labels: { tier: null } } },
      reasons: ['label tier: a → (none)'],
    },
  ])('$name: updated', ({ desired, current, patch, reasons }) => {
    expect(plan(desired, [ourSlice(current)])).toEqual([
      {
        action: 'update',
        kind: 'EndpointSlice',
        namespace: 'shop',
        name: WEB_SLICE,
        mirror: MIRROR,
        needsEarlier: false,
        reasons,
        patch,
        uid: `uid-of-${WEB_SLICE}`,
        resourceVersion: '7',
      },
    ]);
  });

  it('E10: a slice of a Service that was made anew gets the new one as its owner', () => {
    expect(plan({}, [ourSlice({ ownerUids: ['uid-of-the-former'] })])).toMatchObject([
      {
        action: 'update',
        needsEarlier: false,
        reasons: ['owner: → the mirror Service'],
        patch: {},
        ownedBy: { name: 'web-west', uid: 'uid-of-web-west' },
      },
    ]);
  });

  it('C6: a slice whose Service is gone waits for the new one, or it would be collected with the former', () => {
    expect(plan({}, [ourSlice()], { ownerUid: undefined })).toMatchObject([
      { action: 'update', needsEarlier: true, ownedBy: { name: 'web-west', uid: undefined } },
    ]);
  });

  it('slices that are no longer needed are deleted after the others were written', () => {
    const surplus = ourSlice({ meta: { name: 'web-west-76a79620-v6-0' }, addressType: 'IPv6' });
    expect(namesOf(plan({ addresses: [published('203.0.113.9')] }, [surplus, ourSlice()]))).toEqual([
      `update ${WEB_SLICE}`,
      'delete web-west-76a79620-v6-0',
    ]);
    expect(plan({}, [surplus, ourSlice()])).toEqual([
      {
        action: 'delete',
        kind: 'EndpointSlice',
        namespace: 'shop',
        name: 'web-west-76a79620-v6-0',
        mirror: MIRROR,
        needsEarlier: true,
        reasons: ['no address left for it'],
        uid: 'uid-of-web-west-76a79620-v6-0',
        resourceVersion: '7',
      },
    ]);
  });

  it('fewer addresses empty the last slices first, and those go', () => {
    const current = [0, 1].map((index) =>
      ourSlice({
        meta: { name: `web-west-76a79620-v4-${index}` },
        endpoints: manyAddresses(200)
          .slice(index * 100, (index + 1) * 100)
          .map(({ ip }) => sliceEndpoint(ip)),
      }),
    );
    expect(namesOf(plan({ addresses: manyAddresses(100) }, current))).toEqual([
      'delete web-west-76a79620-v4-1',
    ]);
  });
});

describe('readyAddresses', () => {
  it('is every address of every ready endpoint', () => {
    const slices = [
      ourSlice({ endpoints: [sliceEndpoint('203.0.113.1'), sliceEndpoint('203.0.113.2', { ready: false })] }),
      ourSlice({
        endpoints: [{ ...sliceEndpoint('203.0.113.3'), addresses: ['203.0.113.3', '203.0.113.4'] }],
      }),
    ];
    expect([...readyAddresses(slices)]).toEqual(['203.0.113.1', '203.0.113.3', '203.0.113.4']);
  });
});
