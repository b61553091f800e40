// Everything that one run sees: which cluster it is, what is remembered, and the gateway.
import { describe, expect, it } from 'vitest';
import { StateError } from '../../lib/errors.ts';
import type { GatewayState } from '../../lib/model/gateway.ts';
import type { LinkDocument } from '../../lib/model/link.ts';
import type { Lease } from '../../lib/model/objects.ts';
import { type Blind, observe, type Seen } from '../../lib/observe/observe.ts';
import type { GatewayStore } from '../../lib/ports.ts';
import { memoryStore } from '../../lib/store/memory.ts';
import { testClock } from '../support/clock.ts';
import { testDns } from '../support/dns.ts';
import { linkOf } from '../support/lab.ts';
import {
  copiedSlice,
  exported,
  lease,
  mirrorEndpoints,
  mirrorService,
  namespace,
  OURS,
  ourSlice,
  sliceEndpoint,
  subset,
} from '../support/model-builders.ts';
import { clusterOf } from './cluster-of.ts';

type Objects = Parameters<typeof clusterOf>[0];
type Failures = Parameters<typeof clusterOf>[1];

const HOST = 'lb.example.test';
const NOW = Date.UTC(2026, 0, 1);

const kubeSystem = (uid: string) => ({
  ...namespace('kube-system'),
  meta: { ...namespace('kube-system').meta, uid },
});
const kubernetes = (uid: string) =>
  mirrorService({ meta: { namespace: 'default', name: 'kubernetes', uid, labels: {} } });

const gateway = (ingress: readonly { ip?: string; hostname?: string }[], identity = 'gw.id') =>
  exported({
    meta: {
      namespace: 'linkerd-multicluster',
      name: 'linkerd-gateway',
      labels: {},
      annotations: identity === '' ? {} : { 'mirror.linkerd.io/gateway-identity': identity },
    },
    type: 'LoadBalancer',
    ports: [
      { name: 'mc-gateway', protocol: 'TCP', port: 4143, targetPort: 4143 },
      { name: 'mc-probe', protocol: 'TCP', port: 4191, targetPort: 4191 },
    ],
    ingress,
  });

interface Given {
  readonly source?: Objects;
  readonly target?: Objects;
  readonly sourceFails?: Failures;
  readonly targetFails?: Failures;
  readonly store?: GatewayStore;
  readonly remembered?: Partial<GatewayState>;
  readonly link?: Partial<LinkDocument>;
  readonly answers?: readonly string[];
}

const look = async (given: Given) => {
  const store = given.store ?? memoryStore();
  if (given.remembered !== undefined)
    await store.save('west', { schema: 1, records: [], literals: {}, ...given.remembered }, 0);
  const resolver = testDns();
  if (given.answers !== undefined) resolver.set(HOST, given.answers);
  const source = { Namespace: [kubeSystem('source')], Service: [kubernetes('source-svc')], ...given.source };
  const target = {
    Namespace: [kubeSystem('target')],
    Service: [kubernetes('target-svc'), gateway([{ ip: '203.0.113.1' }])],
    ...given.target,
  };
  const world = {
    source: clusterOf(source, given.sourceFails),
    target: clusterOf(target, given.targetFails),
    resolver,
    store,
    clock: testClock(NOW),
    random: () => 0,
    runId: 'run-1',
  };
  const seen = await observe(linkOf(given.link), world, { fresh: false });
  return { seen, asked: resolver.asked };
};

const isSeen = (seen: Seen | Blind): seen is Seen => 'source' in seen;
const seenIn = async (given: Given): Promise<Seen> => {
  const { seen } = await look(given);
  if (!isSeen(seen)) throw new Error(JSON.stringify(seen.unobserved));
  return seen;
};

describe('which clusters they are', () => {
  const remembering = (uid: string): Lease => ({
    ...lease(),
    meta: { ...lease().meta, annotations: { 'eks-service-mirror/target-cluster-uid': uid } },
  });

  it.each<[string, Given]>([
    ['nothing is remembered yet', {}],
    ['the state remembers its namespace', { remembered: { targetUid: 'target' } }],
    ['the state remembers its Service', { remembered: { targetUid: 'target-svc' } }],
    ['the Lease remembers it', { source: { Lease: [remembering('target')] } }],
    [
      'the state wins over the Lease',
      { remembered: { targetUid: 'target' }, source: { Lease: [remembering('old')] } },
    ],
  ])('J2: the target is the one that the link was made for: %s', async (_name, given) => {
    const { target, gateway } = await seenIn(given);
    expect(target.uid).toBe('target');
    expect(gateway.state?.targetUid).toBe('target');
  });

  it.each<[string, Given, string]>([
    [
      'the state remembers another',
      { remembered: { targetUid: 'other' } },
      'the link was made for the cluster with UID other, these credentials lead to target',
    ],
    [
      'the Lease remembers another',
      { source: { Lease: [remembering('other')] } },
      'the link was made for the cluster with UID other, these credentials lead to target',
    ],
    [
      'it is the source cluster',
      { target: { Namespace: [kubeSystem('source')] } },
      'source and target are the same cluster (UID source)',
    ],
    [
      'it is the source cluster, by its Service only',
      { target: { Service: [kubernetes('source-svc')] } },
      'source and target are the same cluster (UID target)',
    ],
  ])('J2: good credentials for the wrong cluster show nothing: %s', async (_name, given, message) => {
    expect((await look(given)).seen).toEqual({
      unobserved: [{ what: 'target cluster', message }],
      refusals: [{ namespace: '', name: 'west', reason: 'WrongCluster', message }],
    });
  });
});

describe('what could not be seen', () => {
  it.each<[string, Given, readonly string[]]>([
    ['J1: the target', { targetFails: { 'LIST Service': { kind: 'unreachable' } } }, ['target Services']],
    ['J8: the source', { sourceFails: { 'LIST Service': { kind: 'unreachable' } } }, ['source Services']],
    [
      'the Lease',
      { sourceFails: { 'GET Lease': { kind: 'denied' } } },
      ['source Lease linkerd-multicluster/service-mirror-write-west'],
    ],
    [
      'J1: both clusters',
      { targetFails: { GET: { kind: 'unreachable' } }, sourceFails: { LIST: { kind: 'unreachable' } } },
      ['target cluster', 'source Namespaces'],
    ],
  ])('%s: the run is blind, and says what was missing', async (_name, given, what) => {
    const { seen } = await look(given);
    expect(isSeen(seen)).toBe(false);
    expect(seen.unobserved.map((row) => row.what)).toEqual(what);
  });

  it('E8: EndpointSlices of the target: all else is seen, and deletes are forbidden', async () => {
    const seen = await seenIn({ targetFails: { 'LIST EndpointSlice': { kind: 'denied' } } });
    expect(seen.unobserved.map(({ what }) => what)).toEqual(['target EndpointSlices']);
    expect(seen.gateway.view).toMatchObject({ addresses: [{ ip: '203.0.113.1' }] });
  });

  it('a stored state that cannot be read is not the same as none: the gateway is unobserved', async () => {
    const store = { ...memoryStore(), load: () => Promise.reject(new StateError('west.json: bad JSON')) };
    const seen = await seenIn({ store });
    expect(seen.gateway).toEqual({
      view: 'unobserved',
      refusals: [],
      unobserved: [{ what: 'remembered state of the gateway', message: 'west.json: bad JSON' }],
    });
    expect(seen.unobserved).toEqual(seen.gateway.unobserved);
  });

  it('a store that fails in any other way is a fault', async () => {
    const store = { ...memoryStore(), load: () => Promise.reject(new TypeError('a fault')) };
    await expect(look({ store })).rejects.toThrow('a fault');
  });

  it('F3: a link without a gateway asks nothing of it', async () => {
    const { seen, asked } = await look({ link: { gateway: 'none' }, answers: ['203.0.113.1'] });
    expect(isSeen(seen) && seen.gateway).toEqual({ view: 'none', refusals: [], unobserved: [] });
    expect(asked).toEqual([]);
  });
});

describe('a gateway of which nothing is remembered', () => {
  const byName: Objects = { Service: [kubernetes('target-svc'), gateway([{ hostname: HOST }])] };
  const addressesOf = ({ gateway: { view } }: Seen): unknown =>
    typeof view === 'string' ? view : view.addresses.map(({ ip, state }) => `${ip} ${state}`);

  it.each<[string, Objects, readonly string[]]>([
    ['Endpoints of a mirror', { Endpoints: [mirrorEndpoints()] }, ['203.0.113.1 ready']],
    [
      'a slice of ours',
      { EndpointSlice: [ourSlice({ endpoints: [sliceEndpoint('203.0.113.2')] })] },
      ['203.0.113.2 ready'],
    ],
    ['a copy of Endpoints', { EndpointSlice: [copiedSlice()] }, ['203.0.113.1 ready']],
    ['what is not ready', { Endpoints: [mirrorEndpoints({ subsets: [subset([], ['203.0.113.1'])] })] }, []],
    [
      'entries with a hostname, which are ClusterIPs',
      {
        Endpoints: [
          mirrorEndpoints({
            subsets: [{ ...subset([]), addresses: [{ ip: '10.1.2.3', hostname: 'db-0' }] }],
          }),
        ],
      },
      [],
    ],
    [
      'Endpoints of the probe Service, which lack a label of the pair',
      { Endpoints: [mirrorEndpoints({ meta: { labels: { 'mirror.linkerd.io/cluster-name': 'west' } } })] },
      [],
    ],
    [
      'a slice that somebody merely labelled alike',
      { EndpointSlice: [ourSlice({ managedBy: 'somebody' })] },
      [],
    ],
    [
      'mirrors of another link',
      {
        Endpoints: [
          mirrorEndpoints({ meta: { labels: { ...OURS, 'mirror.linkerd.io/cluster-name': 'east' } } }),
        ],
      },
      [],
    ],
    [
      "addresses of the source cluster's own Services",
      {
        Service: [
          kubernetes('source-svc'),
          mirrorService({ clusterIP: '203.0.113.1', clusterIPs: ['203.0.113.1'] }),
        ],
        Endpoints: [mirrorEndpoints()],
      },
      [],
    ],
  ])(
    'A8: while its name does not resolve mirrors keep what they hold: %s',
    async (_name, source, expected) => {
      expect(addressesOf(await seenIn({ source, target: byName }))).toEqual(expected);
    },
  );

  it('A8: what the mirrors hold counts only as long as nothing is remembered', async () => {
    const seen = await seenIn({
      source: { Endpoints: [mirrorEndpoints()] },
      target: byName,
      remembered: { targetUid: 'target' },
    });
    expect(addressesOf(seen)).toEqual([]);
  });

  it('A8: the answer joins what the mirrors hold', async () => {
    const seen = await seenIn({
      source: { Endpoints: [mirrorEndpoints()] },
      target: byName,
      answers: ['203.0.113.1', '203.0.113.2'],
    });
    expect(addressesOf(seen)).toEqual(['203.0.113.1 ready', '203.0.113.2 ready']);
  });

  interface IdentityRow {
    readonly name: string;
    readonly declared: string;
    readonly source?: Objects;
    readonly remembered?: Partial<GatewayState>;
    readonly expected: string;
    readonly reasons: readonly string[];
  }

  it.each<IdentityRow>([
    { name: 'the declared one', declared: 'gw.id', expected: 'gw.id', reasons: [] },
    {
      name: 'what mirrors carry, where none is declared',
      declared: '',
      source: { Endpoints: [mirrorEndpoints()] },
      expected: 'gw.id',
      reasons: ['IdentityChanged'],
    },
    {
      name: 'what is remembered, where none is declared',
      declared: '',
      remembered: { identity: 'former.id' },
      expected: 'former.id',
      reasons: ['IdentityChanged'],
    },
    {
      name: 'what is remembered before what mirrors carry',
      declared: '',
      source: { Endpoints: [mirrorEndpoints()] },
      remembered: { identity: 'former.id' },
      expected: 'former.id',
      reasons: ['IdentityChanged'],
    },
    { name: 'none at all', declared: '', expected: '', reasons: [] },
  ])('A7: the identity is $name', async ({ declared, source = {}, remembered, expected, reasons }) => {
    const target = { Service: [kubernetes('target-svc'), gateway([{ ip: '203.0.113.1' }], declared)] };
    const seen = await seenIn({ source, target, ...(remembered === undefined ? {} : { remembered }) });
    expect(seen.gateway.view).toMatchObject({ identity: expected });
    expect(seen.gateway.state?.identity).toBe(expected);
    expect(seen.gateway.refusals.map(({ reason }) => reason)).toEqual(reasons);
  });

  it('A13: a name is asked once for its family, and not again while its TTL lasts', async () => {
    const store = memoryStore();
    const first = await look({ store, target: byName, answers: ['203.0.113.1'] });
    expect(first.asked).toEqual([`${HOST} IPv4`]);
    expect(isSeen(first.seen)).toBe(true);
    const state = isSeen(first.seen) ? first.seen.gateway.state : undefined;
    const second = await look({
      target: byName,
      answers: ['203.0.113.9'],
      ...(state === undefined ? {} : { remembered: state }),
    });
    expect(second.asked).toEqual([]);
    expect(isSeen(second.seen) && addressesOf(second.seen)).toEqual(['203.0.113.1 ready']);
  });
});
