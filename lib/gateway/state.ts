// One step of a link's gateway: answers and the present declaration in, the new state and the addresses to publish out.
import type { GatewayRecord, GatewayState, PublishedAddress, RefusedAddress } from '../model/gateway.ts';
import { compareText } from '../model/keys.ts';
import type { ObjectKey } from '../model/keys.ts';
import type { Family } from '../model/objects.ts';
import type { Refusal } from '../model/plan.ts';
import type { Answer } from '../ports.ts';
import { compareAddresses, familyOf } from './address.ts';
import { firstLookAt, lookUpsOf, nameKey, recordsByName } from './due.ts';
import type { DeclaredNames, LookUp } from './due.ts';
import { filterAddresses } from './filter.ts';
import type { AddressRules } from './filter.ts';
import { omit } from './omit.ts';
import { dropDeparted, knownAddresses, mergeAddresses, withLastResort } from './publish.ts';
import { advance, newRecord, seedRecord } from './record.ts';
import { sameJson } from './same-json.ts';
import type { GatewaySettings } from './settings.ts';
import { refusalsOf } from './unresolved.ts';

export { dueNames, lookUpsOf, nameKey } from './due.ts';
export type { DeclaredNames } from './due.ts';

export interface GatewayStep {
  readonly state: GatewayState; // EMPTY_GATEWAY_STATE when nothing is stored
  readonly declaration: DeclaredNames;
  readonly answers: ReadonlyMap<string, Answer>; // by nameKey(); as the resolver gave them, not filtered
  readonly families: readonly Family[];
  readonly rules: AddressRules;
  /** Addresses that owned mirrors hold; only when nothing is stored, else empty. */
  readonly seeds: readonly string[];
  readonly firstLookDelay: number; // seconds
  readonly now: number; // seconds since the epoch
  readonly settings: GatewaySettings;
  readonly jitter: number; // seconds, from drawJitter()
}

export interface GatewayResult {
  readonly state: GatewayState;
  readonly addresses: readonly PublishedAddress[]; // sorted by number, unique
  readonly refusals: readonly Refusal[]; // without those of the declaration
  readonly changed: boolean; // the addresses are not those that the former state publishes by the same rules
  readonly stateChanged: boolean; // the state has to be saved
}

interface Filtered {
  readonly answer: Answer;
  readonly refused: readonly RefusedAddress[] | undefined; // undefined: the answer says nothing about it
}

/** Enough to see what is going on; an answer of 2,000 bad addresses must not bloat the state. */
const REFUSED_CAP = 16;

/** An answer of which nothing is left is "don't know"; what may be a part of more stays so after the filter. */
const filterAnswer = (answer: Answer, rules: AddressRules, settings: GatewaySettings): Filtered => {
  if (answer.kind === 'unknown') return { answer, refused: undefined };
  if (answer.kind === 'nothing' || answer.addresses.length === 0) return { answer, refused: [] };
  const { accepted, refused } = filterAddresses(answer.addresses, rules);
  if (accepted.length === 0)
    return { answer: { kind: 'unknown', why: 'every address was refused' }, refused };
  const mayBePart = accepted.length + refused.length >= settings.partialAt && answer.complete !== true;
  const partial = answer.partial || mayBePart;
  return { answer: { ...answer, addresses: accepted, partial }, refused };
};

const withRefused = (record: GatewayRecord, refused: Filtered['refused']): GatewayRecord => {
  if (refused === undefined) return record;
  return { ...omit(record, 'refused'), ...(refused.length === 0 ? {} : { refused }) };
};

/** Addresses of an answer that found no place in the record. */
const surplus = (record: GatewayRecord, answer: Answer, cap: number): readonly RefusedAddress[] =>
  answer.kind !== 'addresses'
    ? []
    : answer.addresses
        .filter((ip) => record.addresses[ip] === undefined)
        .map((address) => ({ address, why: `more than ${cap} addresses for one name` }));

const heard = (record: GatewayRecord, answer: Answer | undefined, input: GatewayStep): GatewayRecord => {
  if (answer === undefined) return record;
  const filtered = filterAnswer(answer, input.rules, input.settings);
  const next = advance(record, filtered.answer, input);
  const rows = filtered.refused?.concat(surplus(next, filtered.answer, input.settings.addressCap));
  return withRefused(next, rows?.slice(0, REFUSED_CAP));
};

const firstRecord = (
  { hostname, family }: LookUp,
  seeds: readonly string[],
  input: GatewayStep,
): GatewayRecord => {
  const nextCheckAt = firstLookAt(input.declaration, input.now, input.firstLookDelay);
  if (seeds.length === 0) return newRecord(hostname, family, nextCheckAt);
  return { ...seedRecord(hostname, family, seeds, input.now), nextCheckAt };
};

/** Nobody remembers which name an address came from, so every name gets all the seeds; its first answers sort them out. */
const currentRecords = (input: GatewayStep, seeds: readonly string[]): readonly GatewayRecord[] => {
  const known = recordsByName(input.state);
  return lookUpsOf(input.declaration, input.families).map((lookUp) => {
    const key = nameKey(lookUp.hostname, lookUp.family);
    const record = known.get(key) ?? firstRecord(lookUp, seeds, input);
    return heard(omit(record, 'departedAt'), input.answers.get(key), input);
  });
};

const departedRecords = ({ state, declaration, families, now }: GatewayStep): readonly GatewayRecord[] =>
  state.records
    .filter(({ hostname, family }) => families.includes(family) && !declaration.hostnames.includes(hostname))
    .map((record) => ({ ...record, departedAt: record.departedAt ?? now }));

const compareRecords = (a: GatewayRecord, b: GatewayRecord): number =>
  compareText(a.hostname, b.hostname) || compareText(a.family, b.family);

/** Seeds that no name can take over leave like literals: as a last resort. */
const literalsAfter = (
  input: GatewayStep,
  accepted: readonly string[],
  seeds: readonly string[],
): GatewayState['literals'] => {
  const { state, declaration, now } = input;
  const orphans = declaration.hostnames.length === 0 ? seeds : [];
  const ips = new Set([...Object.keys(state.literals), ...orphans, ...accepted]);
  const rows = [...ips]
    .sort(compareAddresses)
    .map((ip) =>
      accepted.includes(ip)
        ? ([ip, {}] as const)
        : ([ip, { departedAt: state.literals[ip]?.departedAt ?? now }] as const),
    );
  return Object.fromEntries(rows);
};

/** What answers said of the zones of addresses that are still known; what is remembered of the others stays. */
const zonesAfter = (
  { state, answers }: GatewayStep,
  known: readonly string[],
): Pick<GatewayState, 'zones'> => {
  const heard = [...answers.values()].flatMap((answer) =>
    answer.kind === 'addresses' ? Object.entries(answer.zones ?? {}) : [],
  );
  const zones = Object.entries({ ...state.zones, ...Object.fromEntries(heard) }).filter(([ip]) =>
    known.includes(ip),
  );
  return zones.length === 0
    ? {}
    : { zones: Object.fromEntries(zones.toSorted(([a], [b]) => compareAddresses(a, b))) };
};

const ofFamilies = (addresses: readonly string[], families: readonly Family[]): readonly string[] =>
  addresses.filter((ip) => families.some((family) => family === familyOf(ip)));

const isBlank = ({ records, literals }: GatewayState): boolean =>
  records.length === 0 && Object.keys(literals).length === 0;

/** What the former state publishes by the present rules: with no state, what the mirrors hold. */
const formerAddresses = (input: GatewayStep): readonly PublishedAddress[] => {
  const { state, seeds, families, rules } = input;
  const seeded = Object.fromEntries(isBlank(state) ? seeds.map((ip) => [ip, {}]) : []);
  const former = { ...state, literals: { ...state.literals, ...seeded } };
  return publish(former, families, new Set(filterAddresses(knownAddresses(former), rules).accepted));
};

const publish = (
  state: GatewayState,
  families: readonly Family[],
  accepted: ReadonlySet<string>,
): readonly PublishedAddress[] =>
  withLastResort(mergeAddresses(state, accepted).filter(({ family }) => families.includes(family)));

/**
 * Lets one moment pass for a link's gateway. Answers count whether they were due or not. What a reachable target no longer
 * declares leaves by the leave rule; when the target cannot be reached, pass rememberedNames() as the declaration. The order of
 * anything handed in makes no difference.
 */
export const stepGateway = (input: GatewayStep): GatewayResult => {
  const { state, declaration, families, rules, now, settings } = input;
  const literals = filterAddresses(declaration.literals, rules);
  const seeds = filterAddresses(isBlank(state) ? input.seeds : [], rules);
  const usable = ofFamilies(seeds.accepted, families);
  const moved: GatewayState = {
    ...state,
    records: [...currentRecords(input, usable), ...departedRecords(input)].sort(compareRecords),
    literals: literalsAfter(input, ofFamilies(literals.accepted, families), usable),
  };
  const known = filterAddresses(knownAddresses(moved), rules);
  const accepted = new Set(known.accepted);
  const left = dropDeparted(moved, accepted, now, settings);
  const next = { ...omit(left, 'zones'), ...zonesAfter(input, knownAddresses(left)) };
  const addresses = publish(next, families, accepted);
  return {
    state: next,
    addresses,
    refusals: refusalsOf(next, {
      key: declaration.key,
      families,
      refused: [...literals.refused, ...seeds.refused, ...known.refused],
      publishesNothing: addresses.length === 0,
      explained: declaration.refusals.length > 0,
    }),
    changed: !sameJson(addresses, formerAddresses(input)),
    stateChanged: !sameJson(next, state),
  };
};

/** The names that a state goes on with while the target cluster cannot be reached. */
export const rememberedNames = (state: GatewayState, { namespace, name }: ObjectKey): DeclaredNames => {
  const current = state.records.filter(({ departedAt }) => departedAt === undefined);
  const literals = Object.entries(state.literals).filter(([, { departedAt }]) => departedAt === undefined);
  return {
    key: { namespace, name },
    hostnames: [...new Set(current.map(({ hostname }) => hostname))].sort(compareText),
    literals: literals.map(([ip]) => ip),
    createdAt: undefined,
    refusals: [],
  };
};
