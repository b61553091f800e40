// Which slice each entry stands in. Entries stay where they are, so that one that comes, goes or changes rewrites one slice.
//
//   standing   s-0 [a b c]   s-1 [d e]          desired   a c d e f
//   placed     s-0 [a c f]   s-1 [d e]          b leaves s-0, f takes its place
import { compareText } from '../model/keys.ts';
import type { EndpointPort, EndpointSlice } from '../model/objects.ts';
import { type AddressType, type Entry, ipText, portsText } from './listing.ts';

/** As many endpoints as Kubernetes' own controllers put into one slice. */
const SLICE_SIZE = 100;

export interface PlacedSlice {
  readonly name: string;
  readonly family: AddressType;
  readonly ports: readonly EndpointPort[];
  readonly entries: readonly Entry[];
}

interface Bin {
  readonly name: string;
  readonly entries: Entry[];
}

/** What an entry is found again by: a pod by its name, as its address may be given out only now. */
const identityOf = ({ hostname, ip }: Entry): string => hostname ?? ipText(ip);

/** Where each entry of one family stands, by that. */
const homesOf = (standing: readonly EndpointSlice[]): ReadonlyMap<string, string> =>
  new Map(
    standing.flatMap(({ meta, endpoints }) =>
      endpoints.flatMap(({ hostname, addresses }) =>
        (hostname === undefined ? addresses : [hostname]).map((text) => [text, meta.name] as const),
      ),
    ),
  );

/** A slice has one list of ports: that of most of the entries that stay in it. */
const portsBySlice = (
  entries: readonly Entry[],
  homes: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> => {
  const votes = new Map<string, Map<string, number>>();
  for (const entry of entries) {
    const home = homes.get(identityOf(entry));
    if (home === undefined) continue;
    const counts = votes.get(home) ?? new Map<string, number>();
    votes.set(home, counts);
    const ports = portsText(entry.ports);
    counts.set(ports, (counts.get(ports) ?? 0) + 1);
  }
  return new Map(
    [...votes].map(([name, counts]) => [
      name,
      [...counts].toSorted((a, b) => b[1] - a[1] || compareText(a[0], b[0]))[0]?.[0] ?? '',
    ]),
  );
};

/** Names that are free: `prefix-0`, `prefix-1`, … */
const newNames = function* (prefix: string, taken: ReadonlySet<string>): Generator<string, never> {
  for (let index = 0; ; index += 1) {
    const name = `${prefix}-${index}`;
    if (!taken.has(name)) yield name;
  }
};

/**
 * Places the entries of one family.
 *
 * @param standing our slices of that family
 * @param prefix of the names of new slices
 */
export const placeEntries = (
  family: AddressType,
  entries: readonly Entry[],
  standing: readonly EndpointSlice[],
  prefix: string,
): readonly PlacedSlice[] => {
  const homes = homesOf(standing);
  const owners = portsBySlice(entries, homes);
  const names = standing.map(({ meta }) => meta.name).toSorted(compareText);
  const unowned = names.filter((name) => !owners.has(name)).values();
  const fresh = newNames(prefix, new Set(names));
  const groups = Map.groupBy(entries, ({ ports }) => portsText(ports));
  return [...groups]
    .toSorted(([a], [b]) => compareText(a, b))
    .flatMap(([ports, members]) => {
      const bins = names
        .filter((name) => owners.get(name) === ports)
        .map((name): Bin => ({ name, entries: [] }));
      const byName = new Map(bins.map((bin) => [bin.name, bin]));
      const homeless = members.filter((entry) => {
        const bin = byName.get(homes.get(identityOf(entry)) ?? '');
        const stays = bin !== undefined && bin.entries.length < SLICE_SIZE;
        if (stays) bin.entries.push(entry);
        return !stays;
      });
      for (const entry of homeless) {
        let bin = bins.find((candidate) => candidate.entries.length < SLICE_SIZE);
        if (bin === undefined) {
          bin = { name: unowned.next().value ?? fresh.next().value, entries: [] };
          bins.push(bin);
        }
        bin.entries.push(entry);
      }
      return bins.map((bin) => ({ ...bin, family, ports: members[0]?.ports ?? [] }));
    });
};
