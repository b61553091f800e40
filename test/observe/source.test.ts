// The snapshot of the source cluster, and reading parts of it again.
import { describe, expect, it } from 'vitest';
import type { Service, ServiceRange } from '../../lib/model/objects.ts';
import type { SourceSnapshot } from '../../lib/model/snapshot.ts';
import { observeLease, observeSource, withForeignEndpoints } from '../../lib/observe/source.ts';
import { linkOf } from '../support/lab.ts';
import {
  lease,
  meta,
  mirrorEndpoints,
  mirrorService,
  namespace,
  OURS,
  ourSlice,
  sliceEndpoint,
} from '../support/model-builders.ts';
import { clusterOf } from './cluster-of.ts';

const KUBERNETES = mirrorService({
  meta: { namespace: 'default', name: 'kubernetes', labels: {} },
  clusterIP: '10.96.0.1',
  clusterIPs: ['10.96.0.1'],
});
const RANGE: ServiceRange = {
  meta: meta({ namespace: '', name: 'kubernetes' }),
  cidrs: ['10.96.0.0/16', 'fd00:10::/108'],
};
const API_SERVER = ourSlice({
  meta: { namespace: 'default', name: 'kubernetes', labels: { 'kubernetes.io/service-name': 'kubernetes' } },
  endpoints: [sliceEndpoint('192.0.2.1')],
});
const FOREIGN = { meta: { name: 'own-west', labels: {} } };
const EAST = { meta: { name: 'web-east', labels: { ...OURS, 'mirror.linkerd.io/cluster-name': 'east' } } };

const OBJECTS: Parameters<typeof clusterOf>[0] = {
  Namespace: [namespace('kube-system'), namespace('shop')],
  Service: [KUBERNETES, mirrorService(), mirrorService(FOREIGN), mirrorService(EAST)],
  Endpoints: [mirrorEndpoints(), mirrorEndpoints(FOREIGN), mirrorEndpoints(EAST)],
  EndpointSlice: [ourSlice(), API_SERVER],
  ServiceCIDR: [RANGE],
};

/** Stands for the rule that guesses a range from ClusterIPs. */
const infer = (clusterIPs: readonly string[], kubernetesIP: string): string | undefined =>
  `guessed from ${clusterIPs.length} and ${kubernetesIP}`;

const observe = (objects = OBJECTS, failures: Parameters<typeof clusterOf>[1] = {}) =>
  observeSource(clusterOf(objects, failures), linkOf(), infer);

const valueOf = async (...given: Parameters<typeof observe>): Promise<SourceSnapshot> => {
  const seen = await observe(...given);
  if (!seen.observed) throw new Error(seen.why.message);
  return seen.value;
};

describe('observeSource', () => {
  it("E3: sees every Service, but endpoints objects of this link's label only", async () => {
    const seen = await valueOf();
    expect([...seen.services.keys()]).toEqual([
      'default/kubernetes',
      'shop/web-west',
      'shop/own-west',
      'shop/web-east',
    ]);
    expect([...seen.endpoints.keys()]).toEqual(['shop/web-west']);
    expect([...seen.slices.keys()]).toEqual(['shop/web-west-76a79620-v4-0']);
    expect([...seen.namespaces.keys()]).toEqual(['kube-system', 'shop']);
    expect(seen.uid).toBe('uid-of-kube-system');
    expect(seen.foreignEndpoints).toBeUndefined();
  });

  it('knows the addresses that no gateway may have', async () => {
    const seen = await valueOf();
    expect(seen.serviceRanges).toEqual({ cidrs: ['10.96.0.0/16', 'fd00:10::/108'], inferred: false });
    expect([...seen.apiServers]).toEqual(['192.0.2.1']);
  });

  it.each(['unsupported', 'denied', 'notFound'] as const)(
    'guesses the Service range where ServiceCIDRs are %s',
    async (kind) => {
      const seen = await valueOf(OBJECTS, { 'LIST ServiceCIDR': { kind } });
      expect(seen.serviceRanges).toEqual({ cidrs: ['guessed from 4 and 10.96.0.1'], inferred: true });
    },
  );

  it('guesses the Service range where no ServiceCIDR is listed', async () => {
    const seen = await valueOf({ ...OBJECTS, ServiceCIDR: [] });
    expect(seen.serviceRanges).toEqual({ cidrs: ['guessed from 4 and 10.96.0.1'], inferred: true });
  });

  it('goes on without the API servers where their slices may not be read', async () => {
    const seen = await valueOf(OBJECTS, { 'LIST EndpointSlice default': { kind: 'denied' } });
    expect(seen.apiServers.size).toBe(0);
    expect(seen.slices.size).toBe(1);
  });

  it.each<[string, Partial<Service>, 'IPv4' | 'IPv6']>([
    ['IPv4', { ipFamilies: ['IPv4'] }, 'IPv4'],
    ['IPv6', { ipFamilies: ['IPv6'] }, 'IPv6'],
    ['both, IPv6 first', { ipFamilies: ['IPv6', 'IPv4'] }, 'IPv6'],
    ['none told', { ipFamilies: [] }, 'IPv4'],
  ])(
    'A10: the family of the cluster is that of Service default/kubernetes: %s',
    async (_name, given, family) => {
      const seen = await valueOf({ ...OBJECTS, Service: [{ ...KUBERNETES, ...given }] });
      expect(seen.family).toBe(family);
    },
  );

  const V4 = { ...RANGE, cidrs: ['10.96.0.0/16'] };
  const V6 = { ...RANGE, cidrs: ['fd00:10::/108'] };
  const BOTH = { ipFamilies: ['IPv4', 'IPv6'] } as const;
  const IPV6_FIRST = { ...KUBERNETES, ipFamilies: ['IPv6'] } as const;
  it.each<[string, readonly ServiceRange[], readonly Service[], 'IPv4' | 'IPv6' | undefined]>([
    ['a range of it is declared', [RANGE], [KUBERNETES], 'IPv6'],
    ['a range of it is declared beside the first', [V4, V6], [KUBERNETES], 'IPv6'],
    ['only ranges of the first family are declared', [V4], [KUBERNETES], undefined],
    ['the first is IPv6, and the other is declared', [RANGE], [IPV6_FIRST], 'IPv4'],
    ['the first is IPv6, and nothing else is declared', [V6], [IPV6_FIRST], undefined],
    ['nothing is declared, a Service has both', [], [KUBERNETES, mirrorService(BOTH)], 'IPv6'],
    ['nothing is declared, every Service has one', [], [KUBERNETES, mirrorService()], undefined],
    [
      'nothing is declared, only a headless Service is said to have both',
      [],
      [KUBERNETES, mirrorService({ ...BOTH, clusterIP: 'None', clusterIPs: ['None'] })],
      undefined,
    ],
  ])('A10: the second family of the cluster: %s', async (_name, ranges, services, expected) => {
    const seen = await valueOf({ ...OBJECTS, ServiceCIDR: ranges, Service: services });
    expect(seen.secondFamily).toBe(expected);
    expect('secondFamily' in seen).toBe(expected !== undefined);
  });

  it.each([
    ['LIST Namespace', 'source Namespaces'],
    ['LIST Service', 'source Services'],
    ['LIST Endpoints', 'source Endpoints'],
    ['LIST EndpointSlice mirror.linkerd.io', 'source EndpointSlices'],
    ['LIST EndpointSlice default', 'source API servers'],
    ['LIST ServiceCIDR', 'source ServiceCIDRs'],
  ])('J8: when %s does not answer nothing of the source counts as seen', async (request, what) => {
    // `LIST Service` alone would also be the start of `LIST ServiceCIDR`, which is asked for later.
    expect(await observe(OBJECTS, { [request]: { kind: 'unreachable' } })).toMatchObject({
      observed: false,
      why: { what },
      reason: 'Unobserved',
    });
  });
});

describe('withForeignEndpoints', () => {
  it('E4: adds the names of all other Endpoints, and no content', async () => {
    const seen = await withForeignEndpoints(clusterOf(OBJECTS), await valueOf());
    expect(
      seen.observed && [...(seen.value.foreignEndpoints ?? [])].map(([key, { subsets }]) => [key, subsets]),
    ).toEqual([
      ['shop/own-west', []],
      ['shop/web-east', []],
    ]);
  });

  it('E8: is unobserved when they cannot be listed', async () => {
    const cluster = clusterOf(OBJECTS, { 'LIST Endpoints': { kind: 'busy' } });
    expect(await withForeignEndpoints(cluster, await valueOf())).toMatchObject({ observed: false });
  });
});

describe('observeLease', () => {
  it('tells a Lease, none, and no sight apart', async () => {
    const look = (...given: Parameters<typeof clusterOf>) =>
      observeLease(clusterOf(...given), 'linkerd-multicluster', 'service-mirror-write-west');
    expect(await look({ Lease: [lease()] })).toEqual({ observed: true, value: lease() });
    expect(await look({})).toEqual({ observed: true, value: undefined });
    expect(await look({}, { 'GET Lease': { kind: 'denied' } })).toMatchObject({
      observed: false,
      why: { what: 'source Lease linkerd-multicluster/service-mirror-write-west' },
    });
  });
});
