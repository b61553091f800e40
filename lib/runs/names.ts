// The names of gateways as a deployment shares them: asked once, whoever uses them; one timer each.
//
//   timer ─▶ claim ─▶ ask ─▶ same answer, nobody waits ─▶ save ─▶ next timer            2 requests
//                      │
//                      └─▶ tell every link: read, step, save what moved ─▶ save ─▶ next timer, links whose addresses changed follow
import { ageOfLastGood } from '../gateway/age.ts';
import { caughtUp, hasMoved, isSameSet, isSettled } from '../gateway/digest.ts';
import { rememberedRules, resolvedBy, stamped } from '../gateway/published.ts';
import { advance, newRecord } from '../gateway/record.ts';
import { drawJitter, SETTINGS } from '../gateway/settings.ts';
import { nameKey, rememberedNames, stepGateway } from '../gateway/state.ts';
import type { GatewayRecord, GatewayState } from '../model/gateway.ts';
import { compareText } from '../model/keys.ts';
import type { Family } from '../model/objects.ts';
import type { NameState } from '../model/names.ts';
import type { Answer, Stored } from '../ports.ts';
import { journalAddresses } from './journal.ts';
import { resolveFor, type Resolved } from './resolve.ts';
import { timerFor } from './timers.ts';
import type { RunWorld } from './world.ts';

/** How long a claim keeps others from asking, seconds: longer than any look-up. */
export const CLAIM_SECONDS = 30;

export interface Asked extends Resolved {
  /** Links whose published addresses the answer changed. */
  readonly changed: readonly string[];
  /** Those of them that published none before. */
  readonly first: readonly string[];
  /** Seconds since the name last resolved; absent of a name that no link uses any more. */
  readonly age?: number;
}

interface Told {
  readonly uses: boolean; // the link still uses the name
  readonly settled: boolean;
  readonly changed: boolean;
  readonly isFirst: boolean; // it published no address before
}

/** A link that asks for itself: whether it waits for something shows at the next answer. */
const UNTOLD: Told = { uses: true, settled: false, changed: false, isFirst: false };

const seconds = ({ clock }: RunWorld): number => Math.floor(clock.now() / 1000);

const isOf =
  (hostname: string, family: Family) =>
  (record: GatewayRecord): boolean =>
    record.hostname === hostname && record.family === family && record.departedAt === undefined;

/** What a link publishes after one answer; the filter is that of its last reconcile. */
const stepLink = (
  state: GatewayState,
  at: { readonly answers: ReadonlyMap<string, Answer>; readonly now: number; readonly jitter: number },
) =>
  stepGateway({
    ...at,
    state,
    declaration: rememberedNames(state, { namespace: '', name: '' }),
    families: [...new Set(state.records.map(({ family }) => family))],
    rules: rememberedRules(state),
    seeds: [],
    firstLookDelay: 0,
    settings: SETTINGS,
  });

/** Tells one link an answer. A state that moved meanwhile is read again once; then it is left to the next answer. */
const tell = async (world: RunWorld, link: string, name: GatewayRecord, answer: Answer): Promise<Told> => {
  const { hostname, family } = name;
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const stored = await world.gateways.load(link);
    const isOurs = isOf(hostname, family);
    if (stored === undefined || !stored.value.records.some(isOurs))
      return { uses: false, settled: true, changed: false, isFirst: false };
    const { value } = stored;
    const before = {
      ...value,
      records: value.records.map((record) => (isOurs(record) ? caughtUp(record, name) : record)),
    };
    const answers = new Map([[nameKey(hostname, family), answer]]);
    const now = seconds(world);
    const result = stepLink(before, { answers, now, jitter: drawJitter(world.random()) });
    const state = stamped(value, result.state, now);
    const settled = state.records.filter(isOurs).every(isSettled);
    if (!hasMoved(value, state)) return { uses: true, settled, changed: false, isFirst: false };
    if (await world.gateways.save(link, state, stored.version)) {
      // Only a reconcile sees what comes into the status or leaves it: pins are not asked for here.
      await journalAddresses(world, { link }, { before: value, after: state, answers, isPinned: false });
      return { uses: true, settled, changed: result.changed, isFirst: resolvedBy(value).length === 0 };
    }
  }
  return { uses: true, settled: false, changed: false, isFirst: false };
};

const tellAll = async (world: RunWorld, name: NameState, answer: Answer, asking: string | undefined) => {
  const told: (Told & { link: string })[] = [];
  for (const link of name.links) {
    const done = link === asking ? UNTOLD : await tell(world, link, name.record, answer);
    told.push({ link, ...done });
  }
  return told;
};

/** Saves an answer; a link that joined meanwhile stays, and is told the next one. */
const saveAnswer = async (
  world: RunWorld,
  { version }: Stored<NameState>,
  state: NameState,
): Promise<void> => {
  const { hostname, family } = state.record;
  if (await world.names.save(state, version)) return;
  const newer = await world.names.get(hostname, family);
  if (newer === undefined) return;
  const links = [...new Set([...state.links, ...newer.value.links])].sort(compareText);
  await world.names.save({ ...state, links, quiet: false }, newer.version);
};

/** Nobody needs to be told: all wait for nothing, and it is the set that they know. */
const isOldNews = ({ quiet, record }: NameState, answer: Answer): boolean =>
  quiet &&
  answer.kind === 'addresses' &&
  isSettled(record) &&
  isSameSet(record, answer.addresses, answer.partial);

/**
 * Asks a claimed name, tells the links that use it, remembers the answer and sets the next timer. Whoever holds the claim does all of
 * it; a run that dies in between leaves a claim that ends, and the tick sets a new timer.
 *
 * @param asking a link that takes the answer itself and is not told
 */
export const askClaimed = async (
  world: RunWorld,
  claimed: Stored<NameState>,
  asking?: string,
): Promise<Asked> => {
  const { value: name, version } = claimed;
  const { hostname, family } = name.record;
  const resolved = await resolveFor(world, name.record, name.links);
  const { answer } = resolved;
  const moment = { now: seconds(world), jitter: drawJitter(world.random()), settings: SETTINGS };
  const record = advance(name.record, answer, moment);
  const told = isOldNews(name, answer) ? undefined : await tellAll(world, name, answer, asking);
  const links = told === undefined ? name.links : told.filter(({ uses }) => uses).map(({ link }) => link);
  if (links.length === 0) {
    await world.names.remove(hostname, family, version);
    return { ...resolved, changed: [], first: [] };
  }
  const quiet = told === undefined || told.every(({ settled }) => settled);
  await saveAnswer(world, claimed, { ...name, record, nextCheckAt: record.nextCheckAt, links, quiet });
  await world.timers.send([timerFor(record, seconds(world))]);
  const age = ageOfLastGood(record, moment.now);
  const changed = (told ?? []).filter((row) => row.changed);
  const first = changed.filter(({ isFirst }) => isFirst);
  return { ...resolved, age, changed: changed.map(({ link }) => link), first: first.map(({ link }) => link) };
};

/** Makes a link one of those that are told of a name, and gives the name's state; a new name is claimed by whoever makes it. */
export const join = async (
  world: RunWorld,
  link: string,
  place: { readonly hostname: string; readonly family: Family },
): Promise<Stored<NameState> & { readonly isNew: boolean }> => {
  const { hostname, family } = place;
  for (;;) {
    const stored = await world.names.get(hostname, family);
    if (stored?.value.links.includes(link) === true) return { ...stored, isNew: false };
    const now = seconds(world);
    const base: NameState = stored?.value ?? {
      schema: 1,
      record: newRecord(hostname, family, now),
      nextCheckAt: now + CLAIM_SECONDS,
      links: [],
      quiet: false,
    };
    const value = { ...base, links: [...base.links, link].sort(compareText), quiet: false };
    const version = stored?.version ?? 0;
    if (await world.names.save(value, version))
      return { value, version: version + 1, isNew: stored === undefined };
  }
};
