// From what is remembered to what is published: merge over all records of a link, the leave rule, the last resort.
import type { AddressState, GatewayRecord, GatewayState, PublishedAddress } from '../model/gateway.ts';
import type { Family } from '../model/objects.ts';
import { compareAddresses, familyOf } from './address.ts';
import type { GatewaySettings } from './settings.ts';

const RANK: Readonly<Record<AddressState, number>> = { ready: 2, draining: 1, down: 0 };

interface Vote {
  readonly ip: string;
  readonly state: AddressState;
}

/** What has left the status serves as a last resort only. */
const voteOf = (ip: string, state: AddressState, departed: boolean): Vote => ({
  ip,
  state: departed && state === 'ready' ? 'draining' : state,
});

const recordVotes = (record: GatewayRecord): readonly Vote[] =>
  Object.entries(record.addresses).map(([ip, entry]) =>
    voteOf(ip, entry.state, record.departedAt !== undefined),
  );

const literalVotes = ({ literals }: GatewayState): readonly Vote[] =>
  Object.entries(literals).map(([ip, { departedAt }]) => voteOf(ip, 'ready', departedAt !== undefined));

const votesOf = (state: GatewayState): readonly Vote[] => [
  ...state.records.flatMap(recordVotes),
  ...literalVotes(state),
];

/** Every address that a state holds, in no order. */
export const knownAddresses = (state: GatewayState): readonly string[] => [
  ...new Set(votesOf(state).map(({ ip }) => ip)),
];

/**
 * Per address over all records: ready in any → ready; else draining in any; else down. Sorted by number, before the last resort.
 *
 * @param accepted addresses that pass the filter now; the rules may have changed since an address was heard
 */
export const mergeAddresses = (
  state: GatewayState,
  accepted: ReadonlySet<string>,
): readonly PublishedAddress[] => {
  const best = new Map<string, AddressState>();
  for (const { ip, state: vote } of votesOf(state)) {
    const held = best.get(ip);
    if (held === undefined || RANK[vote] > RANK[held]) best.set(ip, vote);
  }
  return [...best]
    .filter(([ip]) => accepted.has(ip))
    .sort(([a], [b]) => compareAddresses(a, b))
    .flatMap(([ip, merged]) => {
      const [family, zone] = [familyOf(ip), state.zones?.[ip]];
      return family === undefined
        ? []
        : [{ ip, family, state: merged, ...(zone === undefined ? {} : { zone }) }];
    });
};

/** Where a family has no ready address, draining ones are published as ready: better a leaving gateway than none. */
export const withLastResort = (addresses: readonly PublishedAddress[]): readonly PublishedAddress[] => {
  const served: readonly Family[] = addresses
    .filter(({ state }) => state === 'ready')
    .map(({ family }) => family);
  return addresses.map((address) =>
    address.state === 'draining' && !served.includes(address.family)
      ? { ...address, state: 'ready' }
      : address,
  );
};

const hasReady = (state: GatewayState, accepted: ReadonlySet<string>): boolean =>
  mergeAddresses(state, accepted).some((address) => address.state === 'ready');

const stays = (departedAt: number | undefined, now: number, settings: GatewaySettings): boolean =>
  departedAt === undefined || now - departedAt < settings.leaveSpan;

/**
 * Drops what has left the status: at once when a current name has a ready address, else when its time is over. Until then it
 * stays as a last resort.
 */
export const dropDeparted = (
  state: GatewayState,
  accepted: ReadonlySet<string>,
  now: number,
  settings: GatewaySettings,
): GatewayState => {
  const served = hasReady(state, accepted); // what departed votes draining, so this is a current one
  const keep = (departedAt: number | undefined): boolean =>
    departedAt === undefined || (!served && stays(departedAt, now, settings));
  return {
    ...state,
    records: state.records.filter(({ departedAt }) => keep(departedAt)),
    literals: Object.fromEntries(
      Object.entries(state.literals).filter(([, { departedAt }]) => keep(departedAt)),
    ),
  };
};
