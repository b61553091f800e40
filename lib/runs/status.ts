// What the deployment knows without asking any cluster: links, their gateways, what their last runs said, and the journal.
import { StateError } from '../errors.ts';
import type { GatewayRecord, GatewayState } from '../model/gateway.ts';
import type { BrokenLink, LinkRecord } from '../ports.ts';
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

/** How fresh a name is, is known of the name and not of the link: that is told only what changes something. */
const nameData = async ({ names, clock }: StatusWorld, record: GatewayRecord): Promise<Data> => {
  const name = (await names.get(record.hostname, record.family))?.value;
  const { state, lastError } = name?.record ?? record;
  const now = clock.now() / 1000;
  return {
    hostname: record.hostname,
    family: record.family,
    state: record.state === 'FRESH' ? state : record.state,
    addresses: Object.entries(record.addresses).map(([ip, entry]) => ({ ip, state: entry.state })),
    nextCheckInSeconds: Math.max(0, Math.ceil((name?.nextCheckAt ?? record.nextCheckAt) - now)),
    ...(lastError === undefined ? {} : { lastError }),
  };
};

const livenessData = ({ liveness = {} }: GatewayState): Data =>
  Object.fromEntries(
    Object.entries(liveness).map(([ip, { state, lastWhy }]) => [
      ip,
      lastWhy === undefined ? state : `${state} (${lastWhy})`,
    ]),
  );

const loadGateway = async (world: StatusWorld, link: string): Promise<Data | string> => {
  try {
    const state = (await world.gateways.load(link))?.value;
    if (state === undefined) return 'not looked at yet';
    return {
      identity: state.identity ?? '',
      literals: Object.keys(state.literals),
      names: await Promise.all(state.records.map((record) => nameData(world, record))),
      ...(state.liveness === undefined ? {} : { liveness: livenessData(state) }),
    };
  } catch (error) {
    if (error instanceof StateError) return `unreadable: ${error.message}`;
    throw error;
  }
};

const linkData = async (world: StatusWorld, { link, ending, lastRun }: LinkRecord): Promise<Data> => {
  const [gateway, journal] = await Promise.all([
    loadGateway(world, link.name),
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
