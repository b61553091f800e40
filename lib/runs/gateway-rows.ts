// A link's gateway as rows, from a report or from what is stored: each address with its state, its liveness, where it comes from and
// what is left of its TTL; each name with what is wrong with it; and whether all of it is alive.
import { isPinned } from '../gateway/gateway-link.ts';
import { EMPTY_GATEWAY_STATE } from '../model/gateway.ts';
import type { AddressState, GatewayRecord, GatewayState, PublishedAddress } from '../model/gateway.ts';
import type { Link } from '../model/link.ts';
import type { LivenessState } from '../model/liveness.ts';
import type { Family } from '../model/objects.ts';
import type { Report } from '../model/report.ts';

export interface LivenessRow {
  readonly state: LivenessState;
  readonly since?: string;
  readonly why?: string; // of the last failure
}

/** For whom and when something is told. */
export interface Seen {
  readonly link: Link;
  readonly now: number; // seconds since the epoch
}

/** Moments are texts of ISO 8601. */
export interface AddressRow {
  readonly ip: string;
  readonly family: Family;
  readonly state: AddressState;
  readonly hostname?: string; // absent: an address of the status itself, or pinned
  readonly ttl?: number; // whole seconds until the answer that held it ends; absent without an answer
  readonly source: string; // its hostname, `status` or `pin`
  readonly liveness: LivenessRow;
  readonly since?: string; // when it came into its state, where that was seen
}

export interface NameRow {
  readonly hostname: string;
  readonly family: Family;
  readonly state: GatewayRecord['state'];
  readonly since?: string; // when the look-ups that fail or find nothing began
  readonly lastError?: string;
  readonly departedSince?: string; // when it left the gateway's status
}

/** Whether a gateway answers, as far as it is known. */
export interface Aliveness {
  readonly alive: LivenessState;
  readonly aliveAddresses: number;
  /** Whether there is an address to send anything to, liveness apart. */
  readonly resolved: boolean;
}

export interface GatewayRows extends Aliveness {
  readonly hostnames: readonly string[];
  readonly port: number | undefined;
  readonly identity: string;
  readonly lastChange?: string; // of what is published, where that was seen
  readonly addresses: readonly AddressRow[];
  readonly names: readonly NameRow[];
}

const isoText = (seconds: number): string => new Date(seconds * 1000).toISOString();

const sinceOf = (seconds: number | undefined): { readonly since?: string } =>
  seconds === undefined ? {} : { since: isoText(seconds) };

/** The name that an address is published for: one that is still declared, and that has it ready, goes before others. */
const recordOf = ({ records }: GatewayState, ip: string): GatewayRecord | undefined => {
  const rank = (record: GatewayRecord): number =>
    (record.departedAt === undefined ? 2 : 0) + (record.addresses[ip]?.state === 'ready' ? 1 : 0);
  return records
    .filter(({ addresses }) => Object.hasOwn(addresses, ip))
    .toSorted((a, b) => rank(b) - rank(a))[0];
};

const sourceOf = (
  state: GatewayState,
  ip: string,
  { link, now }: Seen,
): Pick<AddressRow, 'source' | 'hostname' | 'ttl'> => {
  const record = recordOf(state, ip);
  if (record === undefined) return { source: isPinned(link) ? 'pin' : 'status' };
  const { hostname, expiresAt } = record;
  return {
    hostname,
    ...(expiresAt !== undefined && { ttl: Math.max(0, Math.ceil(expiresAt - now)) }),
    source: hostname,
  };
};

const livenessOf = ({ liveness = {} }: GatewayState, ip: string): LivenessRow => {
  const known = liveness[ip];
  if (known === undefined) return { state: 'unknown' };
  const { state, since, lastWhy } = known;
  return { state, ...sinceOf(since), ...(lastWhy !== undefined && { why: lastWhy }) };
};

/** @param addresses what is published, liveness included @param state with the times of its names */
export const addressRows = (
  addresses: readonly PublishedAddress[],
  gateway: GatewayState,
  seen: Seen,
): readonly AddressRow[] =>
  addresses.map(({ ip, family, state }) => ({
    ip,
    family,
    state,
    ...sourceOf(gateway, ip, seen),
    liveness: livenessOf(gateway, ip),
    ...sinceOf(gateway.published?.since[ip]),
  }));

/** What is wrong with a name, and since when. */
export const nameRow = (record: GatewayRecord): NameRow => ({
  hostname: record.hostname,
  family: record.family,
  state: record.state,
  ...sinceOf(record.failSince ?? record.negSince),
  ...(record.lastError !== undefined && { lastError: record.lastError }),
  ...(record.departedAt !== undefined && { departedSince: isoText(record.departedAt) }),
});

/** Dead: every address that is not on its way out is. Alive: one of them is. */
export const alivenessOf = (rows: readonly AddressRow[]): Aliveness => {
  const counted = rows.filter(({ state }) => state !== 'draining');
  const isIn = (wanted: LivenessState): readonly AddressRow[] =>
    counted.filter(({ liveness }) => liveness.state === wanted);
  const [aliveAddresses, dead] = [isIn('alive').length, isIn('dead').length];
  const isDead = dead > 0 && dead === counted.length;
  return {
    alive: isDead ? 'dead' : aliveAddresses > 0 ? 'alive' : 'unknown',
    aliveAddresses,
    resolved: counted.some(({ state, liveness }) => state === 'ready' || liveness.state === 'dead'),
  };
};

export const lastChangeOf = ({ published }: GatewayState): Pick<GatewayRows, 'lastChange'> =>
  published === undefined ? {} : { lastChange: isoText(published.changedAt) };

/** `none` for a link without a gateway, `unobserved` where it could not be read. */
export function gatewayRows({ gateway }: Report, seen: Seen): GatewayRows | 'none' | 'unobserved' {
  if (gateway === undefined) return 'unobserved';
  if (typeof gateway.view === 'string') return gateway.view;
  const { view, declaration, state = EMPTY_GATEWAY_STATE } = gateway;
  const addresses = addressRows(view.addresses, state, seen);
  return {
    hostnames: declaration?.hostnames ?? [],
    port: view.port,
    identity: view.identity,
    ...alivenessOf(addresses),
    ...lastChangeOf(state),
    addresses,
    names: state.records.map(nameRow),
  };
}
