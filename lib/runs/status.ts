// What the deployment knows without asking any cluster: links, their gateways, what their last runs said, and the journal.
import { StateError } from '../errors.ts';
import type { GatewayRecord, GatewayState } from '../model/gateway.ts';
import type { BrokenLink, LinkRecord } from '../ports.ts';
import type { Data } from './report-data.ts';
import type { RunWorld } from './world.ts';

/** Newest journal entries that are shown per link. */
const JOURNAL_ENTRIES = 20;

/** Stores only: what a status needs, no cluster is asked. */
export type StatusWorld = Pick<RunWorld, 'links' | 'gateways' | 'journal' | 'clock'>;

export interface StatusData {
  readonly links: readonly Data[];
  readonly broken: readonly BrokenLink[];
}

const iso = (ms: number): string => new Date(ms).toISOString();

const nameData = (record: GatewayRecord, now: number): Data => ({
  hostname: record.hostname,
  family: record.family,
  state: record.state,
  addresses: Object.entries(record.addresses).map(([ip, { state }]) => ({ ip, state })),
  nextCheckInSeconds: Math.max(0, Math.ceil(record.nextCheckAt - now)),
  ...(record.lastError === undefined ? {} : { lastError: record.lastError }),
});

const gatewayData = (state: GatewayState | undefined, now: number): Data | 'not looked at yet' =>
  state === undefined
    ? 'not looked at yet'
    : {
        identity: state.identity ?? '',
        literals: Object.keys(state.literals),
        names: state.records.map((record) => nameData(record, now)),
      };

const loadGateway = async ({ gateways, clock }: StatusWorld, name: string): Promise<Data | string> => {
  try {
    return gatewayData((await gateways.load(name))?.value, clock.now() / 1000);
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
