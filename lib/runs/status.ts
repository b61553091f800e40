// What the deployment knows without asking any cluster: links, their gateways, what their last runs said, and the journal.
import { StateError } from '../errors.ts';
import { caughtUp } from '../gateway/digest.ts';
import { publishedBy } from '../gateway/published.ts';
import type { GatewayRecord, GatewayState } from '../model/gateway.ts';
import type { BrokenLink, LinkRecord } from '../ports.ts';
import type { Link } from '../model/link.ts';
import type { NameState } from '../model/names.ts';
import { addressRows, alivenessOf, lastChangeOf, nameRow } from './gateway-rows.ts';
import type { Data } from './report-data.ts';
import type { RunWorld } from './world.ts';

/** Newest journal entries that are shown per link. */
const JOURNAL_ENTRIES = 20;

/** Stores only: what a status needs, no cluster is asked. */
export type StatusWorld = Pick<RunWorld, 'links' | 'gateways' | 'names' | 'journal' | 'clock'>;

export interface StatusData {
  readonly links: readonly Data[];
  readonly broken: readonly BrokenLink[];
}

const iso = (ms: number): string => new Date(ms).toISOString();

/** A record of a link and what the deployment knows of its name. */
interface KnownName {
  readonly record: GatewayRecord;
  readonly name: NameState | undefined;
}

const knownName = async ({ names }: StatusWorld, record: GatewayRecord): Promise<KnownName> => {
  const name = (await names.get(record.hostname, record.family))?.value;
  return { record: name === undefined ? record : caughtUp(record, name.record), name };
};

/**
 * How fresh a name is, is known of the name and not of the link: that is told only what changes something. What the link alone finds
 * wrong with it (every address refused, it left the status) is known of the link.
 */
const nameData = ({ record, name }: KnownName, now: number): Data => {
  const isSound = record.state === 'FRESH' && record.departedAt === undefined;
  const { hostname, family, state, ...wrong } = nameRow(isSound && name !== undefined ? name.record : record);
  return {
    hostname,
    family,
    state,
    addresses: Object.entries(record.addresses).map(([ip, entry]) => ({ ip, state: entry.state })),
    nextCheckInSeconds: Math.max(0, Math.ceil((name?.nextCheckAt ?? record.nextCheckAt) - now)),
    ...wrong,
  };
};

const loadGateway = async (world: StatusWorld, link: Link): Promise<Data | string> => {
  if (link.gateway === 'none') return 'none';
  try {
    const stored = (await world.gateways.load(link.name))?.value;
    if (stored === undefined) return 'not looked at yet';
    const names = await Promise.all(stored.records.map((record) => knownName(world, record)));
    const state: GatewayState = { ...stored, records: names.map(({ record }) => record) };
    const now = world.clock.now() / 1000;
    const addresses = addressRows(publishedBy(state), state, { link, now });
    return {
      identity: state.identity ?? '',
      ...alivenessOf(addresses),
      ...lastChangeOf(state),
      literals: Object.keys(state.literals),
      addresses,
      names: names.map((name) => nameData(name, now)),
    };
  } catch (error) {
    if (error instanceof StateError) return `unreadable: ${error.message}`;
    throw error;
  }
};

const linkData = async (world: StatusWorld, { link, ending, lastRun }: LinkRecord): Promise<Data> => {
  const [gateway, journal] = await Promise.all([
    loadGateway(world, link),
    world.journal.recent(link.name, JOURNAL_ENTRIES),
  ]);
  return {
    link: link.name,
    source: link.source,
    target: link.target,
    state: ending ? 'ending' : link.paused ? 'paused' : 'active',
    gateway,
    lastRun: lastRun === undefined ? 'none yet' : { ...lastRun, at: iso(lastRun.at) },
    journal: journal.map(({ link: _link, at, ...entry }) => ({ at: iso(at), ...entry })),
  };
};

/** @param only the name of one link; undefined: all of them */
export const status = async (world: StatusWorld, only: string | undefined): Promise<StatusData> => {
  const { links, broken } = await world.links.list();
  const shown = links.filter(({ link }) => only === undefined || link.name === only);
  return {
    links: await Promise.all(shown.map((record) => linkData(world, record))),
    broken: broken.filter(({ name }) => only === undefined || name === only),
  };
};
