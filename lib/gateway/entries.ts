// One answer with addresses, told to every address a record knows: what was seen, what was missed, what came back.
//
//   not in the answer          the answer is complete and            the answer may be a part
//                              overlaps the ready   is disjoint      (8 or more, cut, rotating)
//   ready, 1st miss            draining             ready            ready
//   ready, 2nd miss            draining             draining         ready
//   removed after              2 misses and 120 s   the same         5 misses and 300 s
import type { AddressEntry, GatewayRecord } from '../model/gateway.ts';
import { compareAddresses } from './address.ts';
import type { GatewaySettings, Moment } from './settings.ts';

type Entries = GatewayRecord['addresses'];
type ReturnEvents = GatewayRecord['returnEvents'];

export interface Sighting {
  readonly addresses: readonly string[];
  readonly partial: boolean; // the resolver knows that this is not all
  readonly complete?: true; // who answers knows that it is, whatever it looks like
  readonly independent: boolean; // not the cached copy that was heard last time
}

export type Memory = Pick<GatewayRecord, 'addresses' | 'returnEvents' | 'rotatingUntil'>;

interface Verdict {
  readonly independent: boolean;
  readonly rotating: boolean;
  readonly maybePartial: boolean;
  readonly overlaps: boolean; // shares an address with the ready ones
  readonly returned: boolean; // holds an address that had been missing: answers take turns, so this one proves no absence
  readonly now: number;
  readonly settings: GatewaySettings;
}

const NEW_ENTRY: AddressEntry = { state: 'ready', misses: 0, returns: [], streak: 1 };

const within = (at: number, { now, settings }: Pick<Verdict, 'now' | 'settings'>): boolean =>
  now - at <= settings.flapWindow;

const isDisjoint = (a: readonly string[], b: readonly string[]): boolean => !a.some((ip) => b.includes(ip));

/** Held down: a draining address that is in the answers again but not believed yet. Only the hold-down makes this pair. */
const isHeld = (entry: AddressEntry): boolean => entry.state === 'draining' && entry.misses === 0;

const flaps = (entry: AddressEntry, returns: readonly number[], { rotating, settings }: Verdict): boolean =>
  entry.state === 'draining' && !rotating && (isHeld(entry) || returns.length >= settings.holdReturns);

const seen = (entry: AddressEntry, verdict: Verdict): AddressEntry => {
  const { holdStreak } = verdict.settings;
  const recent = entry.returns.filter((at) => within(at, verdict));
  const returns = entry.misses > 0 ? [...recent, verdict.now] : recent;
  const streak = Math.min(entry.streak + (verdict.independent ? 1 : 0), holdStreak);
  const held = flaps(entry, returns, verdict) && streak < holdStreak;
  return { state: held ? 'draining' : 'ready', misses: 0, returns, streak };
};

const missedState = (entry: AddressEntry, misses: number, verdict: Verdict): AddressEntry['state'] => {
  if (entry.state !== 'ready' || verdict.maybePartial) return entry.state;
  return verdict.overlaps || misses >= verdict.settings.missRemove ? 'draining' : 'ready';
};

/** undefined: the address is forgotten. */
const missed = (entry: AddressEntry, verdict: Verdict): AddressEntry | undefined => {
  if (!verdict.independent) return entry;
  const { now, maybePartial, settings } = verdict;
  const misses = entry.misses + 1;
  const missingSince = entry.missingSince ?? now;
  const enough = maybePartial ? settings.unionMisses : settings.missRemove;
  const span = maybePartial ? settings.unionSpan : settings.missSpan;
  const isProof = maybePartial || !verdict.returned;
  if (isProof && misses >= enough && now - missingSince >= span) return undefined;
  return { ...entry, state: missedState(entry, misses, verdict), misses, missingSince, streak: 0 };
};

/** Known addresses that had been missing and are in this answer, as one event; none when nothing came back. */
const returnEvent = (entries: Entries, addresses: readonly string[], now: number): ReturnEvents => {
  const back = addresses.filter((ip) => (entries[ip]?.misses ?? 0) > 0);
  return back.length === 0 ? [] : [{ at: now, addresses: back }];
};

/** Two disjoint sets that came back shortly after each other: zone affinity, or a rotated part of a larger set. */
const rotation = (earlier: ReturnEvents, latest: ReturnEvents, moment: Moment): number | undefined => {
  const pair = latest.some((event) => earlier.some((other) => isDisjoint(event.addresses, other.addresses)));
  return pair ? moment.now + moment.settings.rotateHold : undefined;
};

const judge = (entries: Entries, sighting: Sighting, rotating: boolean, moment: Moment): Verdict => {
  const { addresses, partial, complete, independent } = sighting;
  const { now, settings } = moment;
  const looksPartial = partial || rotating || addresses.length >= settings.partialAt;
  return {
    independent,
    rotating,
    maybePartial: looksPartial && complete !== true,
    overlaps: addresses.some((ip) => entries[ip]?.state === 'ready'),
    returned: addresses.some((ip) => (entries[ip]?.misses ?? 0) > 0),
    now,
    settings,
  };
};

const told = (entries: Entries, addresses: readonly string[], verdict: Verdict): Entries => {
  const known = Object.entries(entries).flatMap(([ip, entry]) => {
    const next = addresses.includes(ip) ? seen(entry, verdict) : missed(entry, verdict);
    return next === undefined ? [] : [[ip, next] as const];
  });
  const added = addresses.filter((ip) => entries[ip] === undefined).map((ip) => [ip, NEW_ENTRY] as const);
  return Object.fromEntries([...known, ...added]);
};

/** Where nothing else is ready, an address that is in the answer is, however often it came back. */
const withoutVacuum = (entries: Entries, addresses: readonly string[]): Entries => {
  if (Object.values(entries).some(({ state }) => state === 'ready')) return entries;
  const raised = Object.entries(entries).map(([ip, entry]) =>
    addresses.includes(ip) ? ([ip, { ...entry, state: 'ready' }] as const) : ([ip, entry] as const),
  );
  return Object.fromEntries(raised);
};

/** Keeps the present holders first, then what the answer adds, then what is on its way out; each by number. */
const capped = (entries: Entries, former: Entries, cap: number): Entries => {
  const rank = (ip: string): number => {
    if (entries[ip]?.state !== 'ready') return 2;
    return former[ip]?.state === 'ready' ? 0 : 1;
  };
  const order = Object.keys(entries).sort((a, b) => rank(a) - rank(b) || compareAddresses(a, b));
  const kept = order.slice(0, cap).sort(compareAddresses);
  return Object.fromEntries(kept.flatMap((ip) => (entries[ip] === undefined ? [] : [[ip, entries[ip]]])));
};

/** What a record remembers of its addresses after an answer that holds at least one. */
export const remember = (record: Memory, sighting: Sighting, moment: Moment): Memory => {
  const { now, settings } = moment;
  const addresses = [...new Set(sighting.addresses)].sort(compareAddresses);
  const earlier = record.returnEvents.filter(({ at }) => within(at, moment));
  const latest = returnEvent(record.addresses, addresses, now);
  const rotatingUntil = rotation(earlier, latest, moment) ?? record.rotatingUntil;
  const rotating = rotatingUntil !== undefined && now < rotatingUntil;
  const verdict = judge(record.addresses, { ...sighting, addresses }, rotating, moment);
  const entries = withoutVacuum(told(record.addresses, addresses, verdict), addresses);
  return {
    addresses: capped(entries, record.addresses, settings.addressCap),
    returnEvents: [...earlier, ...latest],
    ...(rotating ? { rotatingUntil } : {}),
  };
};
