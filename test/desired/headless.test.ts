// A headless Service: which shape its mirror has, and what is in it.
import { describe, expect, it } from 'vitest';
import { headlessFault, headlessParts, shapeOf } from '../../lib/desired/headless.ts';
import type { Facts } from '../../lib/desired/facts.ts';
import type { SliceEndpoint } from '../../lib/model/objects.ts';
import type { Refusal } from '../../lib/model/plan.ts';
import {
  desiredEndpoints,
  desiredService,
  exported,
  gatewayView,
  headlessExported,
  OURS,
  podEndpoint,
  published,
  sliceEndpoint,
  targetSlice,
} from '../support/model-builders.ts';
import { facts, type GivenFacts } from './facts.ts';

const NOT_READY = { ready: false };
const DB = { namespace: 'shop', name: 'db' };

/** The facts of `shop/db`, whose endpoints are these. */
const dbFacts = (endpoints: readonly SliceEndpoint[], given: GivenFacts = {}): Facts =>
  facts({ service: headlessExported(), slices: [targetSlice(endpoints)], ...given });

const pods = (count: number, conditions: Parameters<typeof podEndpoint>[2] = {}): readonly SliceEndpoint[] =>
  Array.from({ length: count }, (_unused, index) =>
    podEndpoint(`db-${index}`, `10.1.${Math.floor(index / 250)}.${index % 250}`, conditions),
  );

describe('shapeOf', () => {
  const NAMED = [podEndpoint('db-0', '10.1.0.1')];
  const UNNAMED = [sliceEndpoint('10.1.0.1')];

  it.each<[string, Facts, ReturnType<typeof shapeOf>]>([
    ['a Service with a ClusterIP', dbFacts(NAMED, { service: exported() }), 'address'],
    ['D2: a pod with a hostname', dbFacts(NAMED), 'headless'],
    [
      'D15: a pod with a hostname that is not ready',
      dbFacts(pods(1, NOT_READY), { ready: false }),
      'headless',
    ],
    ['D7: pods with and without', dbFacts([...UNNAMED, podEndpoint('db-0', '10.1.0.2')]), 'headless'],
    ['D7: pods without a hostname', dbFacts(UNNAMED), 'address'],
    ['D7: the same where a headless mirror stands', dbFacts(UNNAMED, { standing: 'headless' }), 'address'],
    ['D13: no pod, and no mirror yet', dbFacts([], { ready: false }), 'waiting'],
    [
      'D13: no pod; a headless mirror stands',
      dbFacts([], { ready: false, standing: 'headless' }),
      'headless',
    ],
    [
      'D13: no pod; one with an address stands',
      dbFacts([], { ready: false, standing: 'address' }),
      'address',
    ],
    ['headless mirroring is off', dbFacts(NAMED, { link: { headless: false } }), 'address'],
    [
      'headless mirroring is off, and nothing was seen of the pods',
      dbFacts([], { link: { headless: false }, ready: undefined }),
      'address',
    ],
    ['E8: the slices could not be read', dbFacts([], { ready: undefined }), 'unobserved'],
    [
      'E8: the slices could not be read, and a mirror stands',
      dbFacts([], { ready: undefined, standing: 'headless' }),
      'unobserved',
    ],
    [
      'D14: it is headless now, a mirror with an address stands',
      dbFacts(NAMED, { standing: 'address' }),
      'headless',
    ],
    [
      'D14: it is headless no more, a headless mirror stands',
      dbFacts(NAMED, { service: exported(), standing: 'headless' }),
      'address',
    ],
  ])('%s', (_name, given, expected) => {
    expect(shapeOf(given)).toBe(expected);
  });
});

describe('headlessFault', () => {
  const TOO_MANY =
    '1001 pods: expected at most 1000 in the Endpoints form, as Kubernetes copies only the first 1000 addresses of a subset to EndpointSlices; set endpoints: endpointslices';
  const publishing = headlessExported({ publishNotReadyAddresses: true });

  it.each<[string, Facts, string | undefined]>([
    ['1,000 pods', dbFacts(pods(1000)), undefined],
    ['1,001 pods', dbFacts(pods(1001)), TOO_MANY],
    [
      '1,001 pods, one of which is not ready',
      dbFacts([...pods(1000), podEndpoint('db-1000', '10.2.0.1', NOT_READY)]),
      undefined,
    ],
    [
      '1,001 pods that are listed though they are not ready',
      dbFacts(pods(1001, NOT_READY), { service: publishing }),
      TOO_MANY,
    ],
    [
      '1,001 pods in EndpointSlices',
      dbFacts(pods(1001), { link: { endpoints: 'endpointslices' } }),
      undefined,
    ],
    ['1,001 pods with headless mirroring off', dbFacts(pods(1001), { link: { headless: false } }), undefined],
    ['1,001 pods of a Service with a ClusterIP', dbFacts(pods(1001), { service: exported() }), undefined],
  ])('%s', (_name, given, expected) => {
    expect(headlessFault(given)).toBe(expected);
  });
});

describe('headlessParts', () => {
  const ROOT = desiredService({
    isHeadless: true,
    ports: [{ name: 'pg', protocol: 'TCP', port: 5432, targetPort: 5432 }],
  });
  const GATEWAY = desiredEndpoints({ ports: [{ name: 'pg', protocol: 'TCP', port: 4143 }] });
  const partsOf = (given: Facts, root = ROOT) => headlessParts(given, DB, root, GATEWAY);
  const FQ_NAME = 'mirror.linkerd.io/remote-svc-fq-name';
  const IDENTITY = { 'mirror.linkerd.io/remote-gateway-identity': 'gw.id' };
  const OF_ROOT = { ...OURS, 'mirror.linkerd.io/headless-mirror-svc-name': 'db-west' };

  it('D1: the root lists a pod, whose endpoint mirror lists the gateway', () => {
    expect(partsOf(dbFacts(pods(1)))).toEqual({
      endpoints: {
        labels: OURS,
        annotations: { [FQ_NAME]: 'db.shop.svc.cluster.local', ...IDENTITY },
        pods: [
          {
            hostname: 'db-0',
            mirror: { namespace: 'shop', name: 'db-0-west' },
            isListed: true,
            ports: [{ name: 'pg', protocol: 'TCP', port: 5432 }],
            service: {
              isHeadless: false,
              wantsBothFamilies: false,
              labels: OF_ROOT,
              annotations: { [FQ_NAME]: 'db-0.db.shop.svc.cluster.local' },
              ports: [{ name: 'pg', protocol: 'TCP', port: 5432, targetPort: 5432 }],
              remoteResourceVersion: '7',
            },
            endpoints: {
              labels: OF_ROOT,
              annotations: { [FQ_NAME]: 'db-0.db.shop.svc.cluster.local', ...IDENTITY },
              ports: [{ name: 'pg', protocol: 'TCP', port: 4143 }],
              addresses: [{ ip: '203.0.113.1', family: 'IPv4', state: 'ready' }],
            },
          },
        ],
      },
      refusals: [],
    });
  });

  it.each([
    ['without it: only the one that is ready', false, [true, false], [['203.0.113.1'], []]],
    ['with it: both', true, [true, true], [['203.0.113.1'], ['203.0.113.1']]],
  ])('D15: publishNotReadyAddresses, %s', (_name, publishNotReadyAddresses, listed, addresses) => {
    const service = headlessExported({ publishNotReadyAddresses });
    const endpoints = [podEndpoint('db-0', '10.1.0.1'), podEndpoint('db-1', '10.1.0.2', NOT_READY)];
    const { pods: made } = partsOf(dbFacts(endpoints, { service })).endpoints;
    expect(made.map(({ hostname }) => hostname)).toEqual(['db-0', 'db-1']);
    expect(made.map(({ isListed }) => isListed)).toEqual(listed);
    expect(made.map((pod) => pod.endpoints.addresses.map(({ ip }) => ip))).toEqual(addresses);
  });

  it('A7: a gateway without identity leaves none on any list', () => {
    const { endpoints } = partsOf(dbFacts(pods(1), { gateway: gatewayView({ identity: '' }) }));
    expect(endpoints.annotations).toEqual({ [FQ_NAME]: 'db.shop.svc.cluster.local' });
    expect(endpoints.pods[0]?.endpoints.annotations).toEqual({ [FQ_NAME]: 'db-0.db.shop.svc.cluster.local' });
  });

  it('B4: a gateway that is down is down for each pod', () => {
    const gateway = { ...GATEWAY, addresses: [published('203.0.113.1', 'down')] };
    const { endpoints } = headlessParts(dbFacts(pods(2)), DB, ROOT, gateway);
    expect(endpoints.pods.map((pod) => pod.endpoints.addresses)).toEqual([
      [{ ip: '203.0.113.1', family: 'IPv4', state: 'down' }],
      [{ ip: '203.0.113.1', family: 'IPv4', state: 'down' }],
    ]);
  });

  it('G1, G4: labels travel to every part; of annotations only the opaque ports to endpoint mirrors', () => {
    const service = headlessExported({
      meta: {
        labels: { 'mirror.linkerd.io/exported': 'true', tier: 'a' },
        annotations: { 'config.linkerd.io/opaque-ports': '5432', note: 'b' },
      },
    });
    const { endpoints } = partsOf(dbFacts(pods(1), { service }));
    expect(endpoints.labels).toEqual({ ...OURS, tier: 'a' });
    expect(endpoints.pods[0]?.service.labels).toEqual({ ...OF_ROOT, tier: 'a' });
    expect(endpoints.pods[0]?.endpoints.labels).toEqual({ ...OF_ROOT, tier: 'a' });
    expect(endpoints.pods[0]?.service.annotations).toEqual({
      'config.linkerd.io/opaque-ports': '5432',
      [FQ_NAME]: 'db-0.db.shop.svc.cluster.local',
    });
  });

  it('A10: endpoint mirrors ask for the families that the root asks for', () => {
    const { endpoints } = partsOf(dbFacts(pods(1)), { ...ROOT, wantsBothFamilies: true });
    expect(endpoints.pods[0]?.service.wantsBothFamilies).toBe(true);
  });

  it('each pod has the ports of its own slice', () => {
    const slices = [
      targetSlice(pods(1)),
      targetSlice([podEndpoint('db-1', '10.1.0.2')], {
        meta: { name: 'db-fghij' },
        ports: [{ name: 'pg', protocol: 'TCP', port: 15432 }],
      }),
    ];
    expect(partsOf(dbFacts([], { slices })).endpoints.pods.map(({ ports }) => ports)).toEqual([
      [{ name: 'pg', protocol: 'TCP', port: 5432 }],
      [{ name: 'pg', protocol: 'TCP', port: 15432 }],
    ]);
  });

  const LONGEST = `d${'b'.repeat(57)}`; // 58 characters: with -west 63

  it.each<
    [string, readonly SliceEndpoint[], readonly string[], readonly Omit<Refusal, 'namespace' | 'name'>[]]
  >([
    [
      'E1: a mirror name of 63 characters fits, one of 64 does not',
      [podEndpoint(LONGEST, '10.1.0.1'), podEndpoint(`${LONGEST}c`, '10.1.0.2')],
      [LONGEST],
      [
        {
          reason: 'NameTooLong',
          message: `pod ${LONGEST}c: mirror name ${LONGEST}c-west: expected at most 63 characters, got 64`,
        },
      ],
    ],
    [
      'a hostname that begins with a digit is no name of a Service',
      [podEndpoint('0db', '10.1.0.1'), podEndpoint('db-0', '10.1.0.2')],
      ['db-0'],
      [{ reason: 'InvalidService', message: 'pod 0db: mirror name 0db-west: expected a letter first' }],
    ],
    [
      'D7: pods without a hostname are counted',
      [sliceEndpoint('10.1.0.1'), sliceEndpoint('10.1.0.2'), podEndpoint('db-0', '10.1.0.3')],
      ['db-0'],
      [
        {
          reason: 'InvalidService',
          message: '2 of 3 pods have no hostname, so they have no endpoint mirror and are not in the root',
        },
      ],
    ],
  ])('%s: the others are mirrored', (_name, endpoints, hostnames, refusals) => {
    const parts = partsOf(dbFacts(endpoints));
    expect(parts.endpoints.pods.map(({ hostname }) => hostname)).toEqual(hostnames);
    expect(parts.refusals).toEqual(refusals.map((refusal) => ({ ...DB, ...refusal })));
  });
});
