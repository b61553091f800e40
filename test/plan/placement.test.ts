// Which slice each entry stands in.
import { describe, expect, it } from 'vitest';
import type { EndpointPort, EndpointSlice } from '../../lib/model/objects.ts';
import type { Change } from '../../lib/model/plan.ts';
import type { Entry } from '../../lib/plan/listing.ts';
import { placeEntries, type PlacedSlice } from '../../lib/plan/placement.ts';
import { planSlices } from '../../lib/plan/slices.ts';
import { OURS, ourSlice, podEndpoint, sliceEndpoint } from '../support/model-builders.ts';

const PG: readonly EndpointPort[] = [{ name: 'pg', protocol: 'TCP', port: 5432 }];
const NEWER: readonly EndpointPort[] = [{ name: 'pg', protocol: 'TCP', port: 5433 }];

const names = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from }, (_unused, index) => `db-${from + index}`);

/** An entry of a pod; its address tells nothing here. */
const entry = (hostname: string, ports = PG): Entry => ({
  ip: `ip-of-${hostname}`,
  family: 'IPv4',
  state: 'ready',
  ports,
  hostname,
});

const standing = (name: string, hostnames: readonly string[], ports = PG): EndpointSlice =>
  ourSlice({
    serviceName: 'db-west',
    meta: { name },
    ports,
    endpoints: hostnames.map((hostname) => podEndpoint(hostname, `ip-of-${hostname}`)),
  });

const place = (entries: readonly Entry[], slices: readonly EndpointSlice[]) =>
  placeEntries('IPv4', entries, slices, 's');

/** `s-0:5432`, with the hostnames in it. */
const shown = (placed: readonly PlacedSlice[]) =>
  Object.fromEntries(
    placed.map(({ name, ports, entries }) => [
      `${name}:${ports[0]?.port}`,
      entries.map(({ hostname }) => hostname),
    ]),
  );

const entries = (hostnames: readonly string[], ports = PG): readonly Entry[] =>
  hostnames.map((hostname) => entry(hostname, ports));

interface Row {
  readonly name: string;
  readonly slices?: readonly EndpointSlice[];
  readonly entries: readonly Entry[];
  readonly expected: Readonly<Record<string, readonly string[]>>;
}

describe('placeEntries', () => {
  it.each<Row>([
    { name: 'nobody', entries: [], expected: {} },
    { name: 'nobody, where slices stand', slices: [standing('s-0', ['a'])], entries: [], expected: {} },
    { name: 'the first hundred', entries: entries(names(0, 100)), expected: { 's-0:5432': names(0, 100) } },
    {
      name: 'the 101st goes into a new slice',
      slices: [standing('s-0', names(0, 100))],
      entries: entries(names(0, 101)),
      expected: { 's-0:5432': names(0, 100), 's-1:5432': ['db-100'] },
    },
    {
      name: 'one that sorts before all others goes there too',
      slices: [standing('s-0', names(0, 100))],
      entries: entries(['a', ...names(0, 100)]),
      expected: { 's-0:5432': names(0, 100), 's-1:5432': ['a'] },
    },
    {
      name: 'one that comes fills the gap of one that went',
      slices: [standing('s-0', ['a', 'b', 'c']), standing('s-1', ['d', 'e'])],
      entries: entries(['a', 'c', 'd', 'e', 'f']),
      expected: { 's-0:5432': ['a', 'c', 'f'], 's-1:5432': ['d', 'e'] },
    },
    {
      name: 'one that goes moves nobody',
      slices: [
        standing('s-0', names(0, 100)),
        standing('s-1', names(100, 200)),
        standing('s-2', names(200, 250)),
      ],
      entries: entries([...names(0, 10), ...names(11, 250)]),
      expected: {
        's-0:5432': [...names(0, 10), ...names(11, 100)],
        's-1:5432': names(100, 200),
        's-2:5432': names(200, 250),
      },
    },
    {
      name: 'the last one of a slice takes the slice along',
      slices: [standing('s-0', ['a']), standing('s-1', ['b'])],
      entries: entries(['b']),
      expected: { 's-1:5432': ['b'] },
    },
    {
      name: 'D9: other ports change in place',
      slices: [standing('s-0', ['a', 'b']), standing('s-1', ['c'])],
      entries: entries(['a', 'b', 'c'], NEWER),
      expected: { 's-0:5433': ['a', 'b'], 's-1:5433': ['c'] },
    },
    {
      name: 'D9: while the ports of few have changed they move out',
      slices: [standing('s-0', ['a', 'b', 'c'])],
      entries: [entry('a', NEWER), entry('b'), entry('c')],
      expected: { 's-0:5432': ['b', 'c'], 's-1:5433': ['a'] },
    },
    {
      name: 'D9: once those of most have changed the rest moves out',
      slices: [standing('s-0', ['a', 'b', 'c'])],
      entries: [entry('a', NEWER), entry('b', NEWER), entry('c')],
      expected: { 's-0:5433': ['a', 'b'], 's-1:5432': ['c'] },
    },
    {
      name: 'one that moves out goes where its ports are',
      slices: [standing('s-0', ['a', 'b', 'c']), standing('s-1', ['d'], NEWER)],
      entries: [entry('a', NEWER), entry('b'), entry('c'), entry('d', NEWER)],
      expected: { 's-0:5432': ['b', 'c'], 's-1:5433': ['a', 'd'] },
    },
    {
      name: 'a new slice gets the lowest name that is free',
      slices: [standing('s-0', names(0, 100)), standing('s-2', names(100, 200))],
      entries: entries(names(0, 201)),
      expected: {
        's-0:5432': names(0, 100),
        's-1:5432': ['db-200'],
        's-2:5432': names(100, 200),
      },
    },
    {
      name: 'a slice that lists nobody any more is used again, whatever it is called',
      slices: [standing('old-7', [])],
      entries: entries(['a']),
      expected: { 'old-7:5432': ['a'] },
    },
    {
      name: 'a slice of more than a hundred gives the rest away',
      slices: [standing('s-0', names(0, 101))],
      entries: entries(names(0, 101)),
      expected: { 's-0:5432': names(0, 100), 's-1:5432': ['db-100'] },
    },
  ])('$name', ({ slices = [], entries: given, expected }) => {
    const placed = place(given, slices);
    const sets = (all: Readonly<Record<string, readonly (string | undefined)[]>>) =>
      Object.fromEntries(Object.entries(all).map(([name, hostnames]) => [name, new Set(hostnames)]));
    expect(sets(shown(placed))).toEqual(sets(expected));
    expect(place(given, slices.toReversed())).toEqual(placed);
  });

  it('a pod is found again by its name, whatever its address', () => {
    const moved = {
      ...entry('b'),
      ip: { clusterIPOf: { namespace: 'shop', name: 'b-west' }, family: 'IPv4' },
    };
    const placed = place([entry('a'), moved as Entry], [standing('s-0', ['a']), standing('s-1', ['b'])]);
    expect(shown(placed)).toEqual({ 's-0:5432': ['a'], 's-1:5432': ['b'] });
  });

  it('an address of the gateway is found again by itself', () => {
    const address = (ip: string): Entry => ({ ip, family: 'IPv4', state: 'ready', ports: PG });
    const slices = ['203.0.113.1', '203.0.113.2'].map((ip, index) =>
      ourSlice({ meta: { name: `s-${index}` }, ports: PG, endpoints: [sliceEndpoint(ip)] }),
    );
    const placed = place([address('203.0.113.2'), address('203.0.113.1')], slices);
    expect(placed.map(({ name, entries: [first] }) => [name, first?.ip])).toEqual([
      ['s-0', '203.0.113.1'],
      ['s-1', '203.0.113.2'],
    ]);
  });
});

describe('planSlices, placed entry by entry', () => {
  const [S0, S1] = ['db-west-76a79620-v4-0', 'db-west-76a79620-v4-1'];
  const plan = (given: readonly Entry[], slices: readonly EndpointSlice[]): readonly Change[] =>
    planSlices(
      {
        link: 'west',
        mirror: { namespace: 'shop', name: 'db-west' },
        ownerUid: 'uid-of-db-west',
        family: 'IPv4',
      },
      {
        labels: OURS,
        annotations: {
          'mirror.linkerd.io/remote-svc-fq-name': 'web.shop.svc.cluster.local',
          'mirror.linkerd.io/remote-gateway-identity': 'gw.id',
        },
        ports: PG,
        entries: given,
      },
      slices,
    );
  const told = (changes: readonly Change[]) => changes.map(({ action, name }) => `${action} ${name}`);

  it.each<[string, readonly Entry[], readonly string[]]>([
    ['all as it stands', entries(names(0, 200)), []],
    ['D1: one comes: one slice is made', entries(names(0, 201)), ['create db-west-76a79620-v4-2']],
    ['D1: one goes: one slice is rewritten', entries([...names(0, 7), ...names(8, 200)]), [`update ${S0}`]],
    [
      'one has another address: one slice is rewritten',
      entries(names(0, 200)).map((one) => (one.hostname === 'db-150' ? { ...one, ip: '10.96.9.9' } : one)),
      [`update ${S1}`],
    ],
    ['the list in another order: nothing', entries(names(0, 200).toReversed()), []],
  ])('%s', (_name, given, expected) => {
    const slices = [standing(S0, names(0, 100)), standing(S1, names(100, 200))];
    expect(told(plan(given, slices))).toEqual(expected);
  });

  it('an entry that moves is gained by one slice before the other loses it', () => {
    const slices = [standing(S0, ['a', 'b', 'c']), standing(S1, ['d'], NEWER)];
    const given = [entry('a', NEWER), entry('b'), entry('c'), entry('d', NEWER)];
    expect(told(plan(given, slices))).toEqual([`update ${S1}`, `update ${S0}`]);
    expect(told(plan(given, slices.slice(0, 1)))).toEqual([`create ${S1}`, `update ${S0}`]);
  });

  it('a slice that lists nobody any more goes, after the others were written', () => {
    const slices = [standing(S0, ['a']), standing(S1, ['b', 'c'])];
    expect(told(plan([entry('b')], slices))).toEqual([`update ${S1}`, `delete ${S0}`]);
  });
});
