// The change that makes a mirror's Endpoints object what it should be.
import { describe, expect, it } from 'vitest';
import type { DesiredEndpoints } from '../../lib/model/desired.ts';
import type { Endpoints, Meta } from '../../lib/model/objects.ts';
import { deleteEndpoints, planEndpoints } from '../../lib/plan/endpoints.ts';
import { gatewayListing } from '../../lib/plan/listing.ts';
import { desiredSubsets } from '../../lib/plan/subsets.ts';
import {
  desiredEndpoints,
  mirrorEndpoints,
  OURS,
  published,
  subset,
  WEB_FQ_NAME,
} from '../support/model-builders.ts';

const MIRROR = { namespace: 'shop', name: 'web-west' };
const IDENTITY = 'mirror.linkerd.io/remote-gateway-identity';
const ANNOTATIONS = { ...WEB_FQ_NAME, [IDENTITY]: 'gw.id' };
const PORT = { name: 'http', protocol: 'TCP', port: 4143 } as const;

describe('desiredSubsets', () => {
  it.each<[string, DesiredEndpoints['addresses'], object[]]>([
    ['C1: nobody', [], []],
    [
      'A4: several ready addresses',
      [published('203.0.113.1'), published('203.0.113.2')],
      [{ addresses: [{ ip: '203.0.113.1' }, { ip: '203.0.113.2' }], notReadyAddresses: [], ports: [PORT] }],
    ],
    [
      'B1: what is down is listed as not ready',
      [published('203.0.113.1'), published('203.0.113.2', 'down')],
      [{ addresses: [{ ip: '203.0.113.1' }], notReadyAddresses: [{ ip: '203.0.113.2' }], ports: [PORT] }],
    ],
    [
      'B1: all down',
      [published('203.0.113.1', 'down')],
      [{ addresses: [], notReadyAddresses: [{ ip: '203.0.113.1' }], ports: [PORT] }],
    ],
    [
      'what drains is left out',
      [published('203.0.113.1'), published('203.0.113.2', 'draining')],
      [{ addresses: [{ ip: '203.0.113.1' }], notReadyAddresses: [], ports: [PORT] }],
    ],
    ['only draining ones: nobody', [published('203.0.113.2', 'draining')], []],
  ])('%s', (_name, addresses, expected) => {
    expect(desiredSubsets(gatewayListing(desiredEndpoints({ addresses })))).toEqual(expected);
  });
});

describe('planEndpoints', () => {
  it('creates what is missing, after the Service', () => {
    expect(planEndpoints(MIRROR, gatewayListing(desiredEndpoints()), undefined)).toEqual({
      action: 'create',
      kind: 'Endpoints',
      ...MIRROR,
      mirror: MIRROR,
      needsEarlier: true,
      reasons: ['203.0.113.1 on http:4143/TCP'],
      body: {
        apiVersion: 'v1',
        kind: 'Endpoints',
        metadata: { ...MIRROR, labels: OURS, annotations: ANNOTATIONS },
        subsets: [{ addresses: [{ ip: '203.0.113.1' }], ports: [PORT] }],
      },
    });
  });

  it('C1: creates an empty one where nobody is to be listed', () => {
    expect(
      planEndpoints(MIRROR, gatewayListing(desiredEndpoints({ addresses: [] })), undefined),
    ).toMatchObject({
      reasons: ['(empty)'],
      body: { subsets: [] },
    });
  });

  it.each<[string, Partial<DesiredEndpoints>, Partial<Endpoints>]>([
    ['equal objects', {}, {}],
    [
      'A9: the same addresses in another order',
      { addresses: [published('203.0.113.1'), published('203.0.113.2')] },
      { subsets: [subset(['203.0.113.2', '203.0.113.1'])] },
    ],
    [
      'A9: the same subsets in another order',
      {
        addresses: [published('203.0.113.1'), published('203.0.113.2', 'down')],
        ports: [PORT, { ...PORT, name: 'admin' }],
      },
      {
        subsets: [
          {
            ...subset(['203.0.113.1'], ['203.0.113.2']),
            ports: [{ ...PORT, name: 'admin' }, PORT],
          },
        ],
      },
    ],
    ['nobody, both times', { addresses: [] }, { subsets: [] }],
  ])('%s: nothing to do', (_name, desired, current) => {
    expect(
      planEndpoints(MIRROR, gatewayListing(desiredEndpoints(desired)), mirrorEndpoints(current)),
    ).toBeUndefined();
  });

  it('G7: a foreign label: nothing to do', () => {
    const meta: Partial<Meta> = {
      labels: { ...OURS, scrape: 'yes' },
      droppable: { labels: Object.keys(OURS), annotations: [] },
    };
    expect(
      planEndpoints(MIRROR, gatewayListing(desiredEndpoints()), mirrorEndpoints({ meta })),
    ).toBeUndefined();
  });

  interface Row {
    readonly name: string;
    readonly desired?: Partial<DesiredEndpoints>;
    readonly current?: Parameters<typeof mirrorEndpoints>[0];
    readonly patch: object;
    readonly reasons: readonly string[];
  }

  it.each<Row>([
    {
      name: 'A6: the gateway has another address',
      desired: { addresses: [published('203.0.113.9')] },
      patch: { subsets: [{ addresses: [{ ip: '203.0.113.9' }], ports: [PORT] }] },
      reasons: ['addresses: 203.0.113.1 on http:4143/TCP → 203.0.113.9 on http:4143/TCP'],
    },
    {
      name: 'A7: the gateway has another port',
      desired: { ports: [{ ...PORT, port: 4144 }] },
      patch: { subsets: [{ addresses: [{ ip: '203.0.113.1' }], ports: [{ ...PORT, port: 4144 }] }] },
      reasons: ['addresses: 203.0.113.1 on http:4143/TCP → 203.0.113.1 on http:4144/TCP'],
    },
    {
      name: 'A7: the identity changed',
      desired: { annotations: { ...WEB_FQ_NAME, [IDENTITY]: 'id-2' } },
      patch: { metadata: { annotations: { [IDENTITY]: 'id-2' } } },
      reasons: [`annotation ${IDENTITY}: gw.id → id-2`],
    },
    {
      name: 'A7: the identity was dropped by the link',
      desired: { annotations: WEB_FQ_NAME },
      patch: { metadata: { annotations: { [IDENTITY]: null } } },
      reasons: [`annotation ${IDENTITY}: gw.id → (none)`],
    },
    {
      name: 'C1: nobody is left',
      desired: { addresses: [] },
      patch: { subsets: [] },
      reasons: ['addresses: 203.0.113.1 on http:4143/TCP → (empty)'],
    },
    {
      name: 'B1: the address went down',
      desired: { addresses: [published('203.0.113.1', 'down')] },
      patch: { subsets: [{ notReadyAddresses: [{ ip: '203.0.113.1' }], ports: [PORT] }] },
      reasons: ['addresses: 203.0.113.1 on http:4143/TCP → 203.0.113.1 not ready on http:4143/TCP'],
    },
    {
      name: 'C7: labels of the exported Service changed',
      desired: { labels: { ...OURS, tier: 'b' } },
      current: { meta: { labels: { ...OURS, tier: 'a', old: 'x' } } },
      patch: { metadata: { labels: { old: null, tier: 'b' } } },
      reasons: ['label tier: a → b', 'label old: x → (none)'],
    },
    {
      name: 'the same address with a hostname is another one',
      current: { subsets: [{ ...subset([]), addresses: [{ ip: '203.0.113.1', hostname: 'web-0' }] }] },
      patch: { subsets: [{ addresses: [{ ip: '203.0.113.1' }], ports: [PORT] }] },
      reasons: ['addresses: 203.0.113.1 (web-0) on http:4143/TCP → 203.0.113.1 on http:4143/TCP'],
    },
  ])('$name: updated', ({ desired, current, patch, reasons }) => {
    expect(
      planEndpoints(MIRROR, gatewayListing(desiredEndpoints(desired)), mirrorEndpoints(current)),
    ).toEqual({
      action: 'update',
      kind: 'Endpoints',
      ...MIRROR,
      mirror: MIRROR,
      needsEarlier: false,
      reasons,
      uid: 'uid-of-web-west',
      resourceVersion: '7',
      patch,
    });
  });
});

describe('deleteEndpoints', () => {
  it('names the object by what was seen of it', () => {
    expect(deleteEndpoints(mirrorEndpoints(), MIRROR, 'why')).toEqual({
      action: 'delete',
      kind: 'Endpoints',
      ...MIRROR,
      mirror: MIRROR,
      needsEarlier: true,
      reasons: ['why'],
      uid: 'uid-of-web-west',
      resourceVersion: '7',
    });
  });
});
