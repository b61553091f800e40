// The gateway store and the resolver of one reconcile, backed by the names that the deployment shares: a name is asked only when no
// link knows it, or when it is asked for by hand.
import { caughtUp, hasMoved } from '../gateway/digest.ts';
import { nameKey } from '../gateway/state.ts';
import type { GatewayRecord, GatewayState } from '../model/gateway.ts';
import type { Answer, GatewayStore, Resolver } from '../ports.ts';
import { journalAddresses } from './journal.ts';
import { askClaimed, CLAIM_SECONDS, join } from './names.ts';
import { resolveFor } from './resolve.ts';
import type { RunWorld } from './world.ts';

export interface SharedNames {
  readonly store: GatewayStore;
  readonly resolver: Resolver;
}

/** How late a timer may be before a reconcile asks in its place, seconds. */
const GRACE = 60;

/** What is known of a name, as an answer: for a link that comes to use a name which others know already. */
const known = (record: GatewayRecord, now: number): Answer => {
  if (record.state !== 'FRESH')
    return { kind: 'unknown', why: record.lastError ?? 'the name is being asked' };
  const ttl = Math.max(0, Math.ceil((record.expiresAt ?? now) - now));
  const addresses = Object.entries(record.addresses).filter(([, { misses }]) => misses === 0);
  return { kind: 'addresses', addresses: addresses.map(([ip]) => ip), ttl, partial: false };
};

export interface SharedNamesOptions {
  readonly dryRun: boolean; // nothing is stored
  readonly fresh: boolean; // names are asked whatever is known
  readonly runId: string;
  readonly isPinned: boolean; // the link pins its gateway's addresses
}

/** A state that is saved and publishes something else than before leaves a line in the journal. */
export const sharedNames = (world: RunWorld, link: string, options: SharedNamesOptions): SharedNames => {
  const seconds = (): number => Math.floor(world.clock.now() / 1000);
  let loaded: GatewayState | undefined;
  const answers = new Map<string, Answer>();

  /** Times as the name has them; a name that nobody asks any more, or that this link has not joined, is due. */
  const withTimes = async (record: GatewayRecord): Promise<GatewayRecord> => {
    if (record.departedAt !== undefined) return record;
    const name = await world.names.get(record.hostname, record.family);
    if (name === undefined || !name.value.links.includes(link)) return { ...record, nextCheckAt: 0 };
    return { ...caughtUp(record, name.value.record), nextCheckAt: name.value.nextCheckAt + GRACE };
  };

  const ask: Resolver['resolve'] = async (hostname, family) => {
    const place = { hostname, family };
    const name = await join(world, link, place);
    if (name.isNew) return (await askClaimed(world, name, link)).answer;
    const now = options.fresh ? Number.MAX_SAFE_INTEGER : seconds();
    const claimed = await world.names.claim(hostname, family, { now, until: seconds() + CLAIM_SECONDS });
    if (claimed === undefined) return known(name.value.record, seconds());
    return (await askClaimed(world, claimed, link)).answer;
  };

  const askAndNote: Resolver['resolve'] = async (hostname, family) => {
    const answer = await ask(hostname, family);
    answers.set(nameKey(hostname, family), answer);
    return answer;
  };

  const look: Resolver['resolve'] = async (hostname, family) =>
    (await resolveFor(world, { hostname, family }, [link])).answer;

  return {
    store: {
      async load(name) {
        const stored = await world.gateways.load(name);
        loaded = stored?.value;
        if (stored === undefined) return undefined;
        const records = await Promise.all(stored.value.records.map(withTimes));
        return { ...stored, value: { ...stored.value, records } };
      },
      async save(name, state, expected) {
        if (loaded !== undefined && !hasMoved(loaded, state)) return true;
        const isSaved = await world.gateways.save(name, state, expected);
        const { runId, isPinned } = options;
        const change = { before: loaded, after: state, answers, isPinned };
        if (isSaved) await journalAddresses(world, { link: name, runId }, change);
        return isSaved;
      },
    },
    resolver: { resolve: options.dryRun ? look : askAndNote },
  };
};
