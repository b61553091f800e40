// Endpoints content: what should stand in `subsets`, and whether what stands there says the same.
import { compareText } from '../model/keys.ts';
import type { EndpointPort, EndpointSubset, Manifest } from '../model/objects.ts';
import { type Entry, ipText, type Listing, portsText, type Told } from './listing.ts';

interface Address {
  readonly ip: Entry['ip'];
  readonly hostname?: string;
}

export interface Subset {
  readonly addresses: readonly Address[];
  readonly notReadyAddresses: readonly Address[];
  readonly ports: readonly EndpointPort[];
}

const toAddress = ({ ip, hostname }: Entry): Address => ({
  ip,
  ...(hostname === undefined ? {} : { hostname }),
});

const toSubset = (entries: readonly Entry[]): Subset => {
  const inState = (state: Entry['state']): readonly Address[] =>
    entries.filter((entry) => entry.state === state).map(toAddress);
  return {
    addresses: inState('ready'),
    notReadyAddresses: inState('down'),
    ports: entries[0]?.ports ?? [],
  };
};

/**
 * The subsets of a mirror: one for each family and list of ports, none when it lists nobody. Draining addresses have no place in
 * Endpoints and are left out; those that are down stay visible as not ready.
 */
export const desiredSubsets = ({ entries }: Listing): readonly Subset[] => {
  const listed = entries.filter(({ state }) => state !== 'draining');
  const groups = Map.groupBy(listed, ({ family, ports }) => `${family} ${portsText(ports)}`);
  return [...groups].toSorted(([a], [b]) => compareText(a, b)).map(([, members]) => toSubset(members));
};

/** Subsets as the API takes them: an empty list of addresses is left out. */
export const subsetsBody = (subsets: readonly Subset[]): readonly Manifest[] =>
  subsets.map(({ addresses, notReadyAddresses, ports }) => ({
    ...(addresses.length > 0 ? { addresses } : {}),
    ...(notReadyAddresses.length > 0 ? { notReadyAddresses } : {}),
    ports,
  }));

const addressLines = (subset: Subset): readonly string[] => {
  const lines = (addresses: readonly Address[], mark: string): readonly string[] =>
    addresses.map(
      ({ ip, hostname }) => `${ipText(ip)}${hostname === undefined ? '' : ` (${hostname})`}${mark}`,
    );
  return [...lines(subset.addresses, ''), ...lines(subset.notReadyAddresses, ' not ready')].sort(compareText);
};

/** @param subsets planned or as they stand */
export const toldSubsets = (subsets: readonly (Subset | EndpointSubset)[]): Told => {
  const rows = subsets.map((subset) => ({ lines: addressLines(subset), ports: portsText(subset.ports) }));
  return {
    text:
      rows
        .map(({ lines, ports }) => `${lines.join(', ')} on ${ports}`)
        .sort(compareText)
        .join('; ') || '(empty)',
    lines: rows.flatMap(({ lines, ports }) => lines.map((line) => `${line} on ${ports}`)).sort(compareText),
  };
};
