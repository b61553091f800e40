// What holds for the slices of any list, however its entries come, go and change their ports: that they are never too long, and that
// nothing moves without need.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EndpointPort, EndpointSlice } from '../../lib/model/objects.ts';
import { type Entry, ipText } from '../../lib/plan/listing.ts';
import { placeEntries, type PlacedSlice } from '../../lib/plan/placement.ts';
import { ourSlice, sliceEndpoint } from '../support/model-builders.ts';
import { PURE } from './bounds.ts';

const PORTS: readonly (readonly EndpointPort[])[] = [
  [{ name: 'db', protocol: 'TCP', port: 5432 }],
  [{ name: 'db', protocol: 'TCP', port: 5433 }],
];

/** Pods by number, and which of the ports each has; long runs of them make slices full. */
const pods = fc
  .array(fc.record({ from: fc.nat(400), count: fc.integer({ min: 1, max: 260 }), ports: fc.nat(1) }), {
    maxLength: 4,
  })
  .map((runs) => {
    const ports = new Map<number, number>();
    for (const run of runs)
      for (let pod = run.from; pod < run.from + run.count; pod += 1) ports.set(pod, run.ports);
    return [...ports].map(([pod, index]): Entry => ({
      hostname: `db-${pod}`,
      ip: `10.96.${Math.floor(pod / 256)}.${pod % 256}`,
      family: 'IPv4',
      state: 'ready',
      ports: PORTS[index] ?? [],
    }));
  });

const place = (entries: readonly Entry[], standing: readonly EndpointSlice[]): readonly PlacedSlice[] =>
  placeEntries('IPv4', entries, standing, 'db-west');

const standingOf = (placed: readonly PlacedSlice[]): readonly EndpointSlice[] =>
  placed.map(({ name, ports, entries }) =>
    ourSlice({
      meta: { name },
      ports,
      endpoints: entries.map(({ ip, hostname = '' }) => sliceEndpoint(ipText(ip), { hostname })),
    }),
  );

const byHostname = (slices: readonly PlacedSlice[]): ReadonlyMap<string, string> =>
  new Map(
    slices.flatMap(({ name, entries }) => entries.map(({ hostname = '' }) => [hostname, name] as const)),
  );

/** Where pods stand after they came, and after they changed. */
const twice = (first: readonly Entry[], second: readonly Entry[]) => {
  const before = place(first, []);
  return { before, after: place(second, standingOf(before)) };
};

describe('for any pods that come, go and change their ports', () => {
  it('each stands in one slice, with its own ports, and no slice has more than 100', () => {
    fc.assert(
      fc.property(pods, pods, (first, second) => {
        const { after } = twice(first, second);
        expect(Math.max(0, ...after.map(({ entries }) => entries.length))).toBeLessThanOrEqual(100);
        expect(new Set(after.map(({ name }) => name)).size).toBe(after.length);
        const placed = after.flatMap(({ ports, entries }) => entries.map((entry) => ({ ...entry, ports })));
        const hostnames = ({ hostname = '' }: Entry, other: Entry): number =>
          hostname < (other.hostname ?? '') ? -1 : 1;
        expect(placed.toSorted(hostnames)).toEqual(second.toSorted(hostnames));
      }),
      PURE,
    );
  });

  it('those that stay as they are stay where they are, where all have the same ports', () => {
    const sameForAll = (entries: readonly Entry[]): readonly Entry[] =>
      entries.map((entry) => ({ ...entry, ports: PORTS[0] ?? [] }));
    fc.assert(
      fc.property(pods, pods, (first, second) => {
        const { before, after } = twice(sameForAll(first), sameForAll(second));
        const [old, now] = [byHostname(before), byHostname(after)];
        expect([...now].filter(([hostname, name]) => (old.get(hostname) ?? name) !== name)).toEqual([]);
      }),
      PURE,
    );
  });

  it('a list that has not changed is placed as it stands', () => {
    fc.assert(
      fc.property(pods, pods, (first, second) => {
        const { after } = twice(first, second);
        const again = place(second, standingOf(after));
        expect(byHostname(again)).toEqual(byHostname(after));
      }),
      PURE,
    );
  });
});
