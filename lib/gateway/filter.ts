// What may be looked up and what may be published. The target cluster names hosts and addresses; without this filter it could
// send our pods' traffic anywhere inside the source cluster, so everything passes here, the deny list first.
import { isIP } from 'node:net';
import type { RefusedAddress } from '../model/gateway.ts';
import { compareAddresses, contains, formatAddress, parseAddress, parseRange } from './address.ts';
import type { Address, Range } from './address.ts';

export { inferServiceRange } from './service-range.ts';

export interface AddressRules {
  /** The link's; empty: everything that the deny list leaves. */
  readonly allowedCIDRs: readonly string[];
  /** The ranges that the source cluster's Services live in. */
  readonly serviceRanges: readonly string[];
  /** ClusterIPs of the source cluster, in canonical text: those that no range covers, and our own mirrors'. */
  readonly serviceAddresses: ReadonlySet<string>;
  /** Addresses of the source cluster's API servers, in canonical text. */
  readonly apiServers: ReadonlySet<string>;
}

export interface FilteredAddresses {
  readonly accepted: readonly string[]; // canonical text, unique, by number
  readonly refused: readonly RefusedAddress[]; // unique, by number
}

interface NamedRange extends Range {
  readonly why: string;
}

/**
 * Never a gateway, whatever a link allows (IANA special-purpose registries; the fd00:ec2 row: EC2 and EKS documentation).
 * The API server itself lets most of the second half through.
 */
const DENIED: readonly (readonly [range: string, why: string])[] = [
  ['0.0.0.0/8', 'this host'],
  ['::/96', 'unspecified, loopback or IPv4-compatible'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local: instance metadata and node services'],
  ['fd00:ec2::/32', 'instance metadata and node services'],
  ['fe80::/10', 'link-local'],
  ['fec0::/10', 'site-local'],
  ['224.0.0.0/4', 'multicast'],
  ['ff00::/8', 'multicast'],
  ['240.0.0.0/4', 'reserved or broadcast'],
  ['::ffff:0:0/96', 'IPv4-mapped'],
  ['64:ff9b::/96', 'NAT64: may wrap any IPv4 address'],
  ['64:ff9b:1::/48', 'NAT64: may wrap any IPv4 address'],
  ['2002::/16', '6to4: may wrap any IPv4 address'],
  ['2001::/32', 'Teredo: may wrap any IPv4 address'],
  ['192.0.0.0/24', 'protocol assignments'],
  ['192.88.99.0/24', 'former 6to4 relays'],
  ['198.18.0.0/15', 'benchmarking'],
  ['100::/64', 'discard-only'],
];

const readRanges = (rows: readonly (readonly [string, string])[]): readonly NamedRange[] =>
  rows.flatMap(([text, why]) => {
    const range = parseRange(text);
    return range === undefined ? [] : [{ ...range, why: `${why} (${text})` }];
  });

const DENIED_RANGES = readRanges(DENIED);

interface ReadRules {
  readonly denied: readonly NamedRange[];
  readonly allowed: readonly NamedRange[] | undefined;
  readonly rules: AddressRules;
}

const readRules = (rules: AddressRules): ReadRules => ({
  denied: [...DENIED_RANGES, ...readRanges(rules.serviceRanges.map((text) => [text, 'Service range']))],
  allowed:
    rules.allowedCIDRs.length === 0 ? undefined : readRanges(rules.allowedCIDRs.map((text) => [text, ''])),
  rules,
});

/** Why this address may not be published; undefined when it may. */
const objection = (address: Address, { denied, allowed, rules }: ReadRules): string | undefined => {
  const text = formatAddress(address);
  const range = denied.find((row) => contains(row, address));
  if (range !== undefined) return range.why;
  if (rules.serviceAddresses.has(text)) return 'ClusterIP of a Service in the source cluster';
  if (rules.apiServers.has(text)) return 'API server of the source cluster';
  if (allowed !== undefined && !allowed.some((row) => contains(row, address))) return 'outside allowedCIDRs';
  return undefined;
};

/** Splits addresses into those that may be published and those that may not, whatever their order and spelling. */
export const filterAddresses = (addresses: readonly string[], rules: AddressRules): FilteredAddresses => {
  const read = readRules(rules);
  const accepted = new Set<string>();
  const refused = new Map<string, string>();
  for (const text of addresses) {
    const address = parseAddress(text);
    const why = address === undefined ? 'not an IP address in plain form' : objection(address, read);
    if (address === undefined || why !== undefined) refused.set(text, why ?? '');
    else accepted.add(formatAddress(address));
  }
  return {
    accepted: [...accepted].sort(compareAddresses),
    refused: [...refused.keys()]
      .sort(compareAddresses)
      .map((address) => ({ address, why: refused.get(address) ?? '' })),
  };
};

export type HostnameCheck =
  | { readonly ok: true; readonly name: string }
  | { readonly ok: false; readonly message: string };

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const NUMERIC = /^(\d+|0x[0-9a-f]*)$/; // how inet_aton and URL parsers spell numbers
const LOCAL_SUFFIXES = ['localhost', 'local', 'internal', 'arpa'] as const; // local covers cluster.local
const REGION = '[a-z]{2,}(?:-[a-z]+)+-[0-9]+';
const LOAD_BALANCER = new RegExp(
  `^(?:[a-z0-9-]+\\.)+(?:elb\\.${REGION}|${REGION}\\.elb)\\.amazonaws\\.com(?:\\.cn)?$`,
);

const canonicalName = (name: string): string => name.toLowerCase().replace(/\.$/, '');

const isUnder = (name: string, suffix: string): boolean => name === suffix || name.endsWith(`.${suffix}`);

/** `example.test`, `.example.test` and `*.example.test` in a link mean the same suffix. */
const allowedSuffix = (entry: string): string => canonicalName(entry).replace(/^(\*\.|\.)/, '');

const nameFault = (name: string): string | undefined => {
  const labels = name.split('.');
  if (isIP(name) !== 0) return 'expected a hostname, found an IP address';
  if (name.length > 253) return `expected at most 253 characters, found ${name.length}`;
  if (!labels.every((label) => LABEL.test(label)))
    return 'expected labels of a-z, 0-9 and -, 1 to 63 characters';
  if (labels.length < 2) return 'expected at least two labels';
  if (NUMERIC.test(labels.at(-1) ?? '')) return 'the last label is a number';
  const local = LOCAL_SUFFIXES.find((suffix) => isUnder(name, suffix));
  return local === undefined ? undefined : `names under ${local} are never looked up`;
};

/**
 * Whether a hostname may be looked up: a load balancer of AWS (both name forms, China too), or one the link's owner listed.
 * The name that comes back is lower case without the final dot.
 */
export const checkHostname = (name: string, allowedHostnames: readonly string[]): HostnameCheck => {
  const canonical = canonicalName(name);
  const fault = nameFault(canonical);
  if (fault !== undefined) return { ok: false, message: fault };
  const listed = allowedHostnames.some((entry) => isUnder(canonical, allowedSuffix(entry)));
  if (listed || LOAD_BALANCER.test(canonical)) return { ok: true, name: canonical };
  return { ok: false, message: 'neither a load balancer of AWS nor listed in allowedHostnames' };
};
