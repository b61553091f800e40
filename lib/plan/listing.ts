// What one endpoints object, or the EndpointSlices of one Service, should list: the common ground of both forms.
import type { DesiredEndpoints } from '../model/desired.ts';
import type { AddressState } from '../model/gateway.ts';
import { compareText } from '../model/keys.ts';
import type { EndpointPort, EndpointSlice, Family, StringMap } from '../model/objects.ts';
import type { ClusterIPOf } from '../model/plan.ts';

/** What an EndpointSlice may list: FQDN, hostnames that its readers resolve. */
export type AddressType = EndpointSlice['addressType'];

export interface Entry {
  readonly ip: string | ClusterIPOf;
  readonly family: AddressType;
  readonly state: AddressState;
  readonly ports: readonly EndpointPort[];
  readonly hostname?: string; // of an entry of a headless root
  readonly zone?: string;
}

export interface Listing {
  readonly labels: StringMap;
  readonly annotations: StringMap;
  readonly ports: readonly EndpointPort[]; // where nobody is listed
  readonly entries: readonly Entry[];
}

/** @param families those of the Service; addresses of others are of no use to its clients. Absent: all */
export const gatewayListing = (
  { labels, annotations, ports, addresses }: DesiredEndpoints,
  families?: readonly Family[],
): Listing => ({
  labels,
  annotations,
  ports,
  entries: addresses
    .filter(({ family }) => families === undefined || families.includes(family))
    .map((address) => ({ ...address, ports })),
});

/** An address as text; of one that is not given out yet, whose it will be. */
export const ipText = (ip: Entry['ip']): string =>
  typeof ip === 'string' ? ip : (ip.ip ?? `ClusterIP of ${ip.clusterIPOf.name} (${ip.family})`);

const endpointPortText = (port: EndpointPort): string => `${port.name ?? ''}:${port.port}/${port.protocol}`;

/** Ports as one text that is equal exactly when they are the same, whatever their order. */
export const portsText = (ports: readonly EndpointPort[]): string =>
  ports.map(endpointPortText).sort(compareText).join(' ');

/** A list as people read it, and line by line as it is compared. */
export interface Told {
  readonly text: string;
  readonly lines: readonly string[]; // sorted; equal exactly when the lists say the same
}

/** More lines than this are not told one by one: a reason is read by people, and kept in the journal. */
const MOST_TOLD = 12;
const MOST_DIFFERENCES = 5;

const shortened = (sign: string, lines: readonly string[]): readonly string[] => {
  const more = lines.length - MOST_DIFFERENCES;
  const told = lines.slice(0, MOST_DIFFERENCES).map((line) => `${sign} ${line}`);
  return more > 0 ? [...told, `${sign} ${more} more`] : told;
};

export const saysTheSame = (a: Told, b: Told): boolean => a.lines.join('\n') === b.lines.join('\n');

/** A new list: all of it while that is short, else how long it is. */
export const newText = ({ text, lines }: Told): string =>
  lines.length <= MOST_TOLD ? text : `${lines.length} addresses`;

/** How a list changes: all of it while that is short, else what comes and what goes. */
export const changeText = (before: Told, after: Told): string => {
  if (before.lines.length + after.lines.length <= MOST_TOLD) return `${before.text} → ${after.text}`;
  const [old, now] = [new Set(before.lines), new Set(after.lines)];
  const comes = after.lines.filter((line) => !old.has(line));
  const goes = before.lines.filter((line) => !now.has(line));
  return [...shortened('+', comes), ...shortened('-', goes)].join(', ');
};
