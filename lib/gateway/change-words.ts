// Why what a link publishes is not what it published before, in words: the old and the new set, then the answers and events between.
import { EMPTY_GATEWAY_STATE } from '../model/gateway.ts';
import type { GatewayRecord, GatewayState, PublishedAddress } from '../model/gateway.ts';
import type { Answer } from '../ports.ts';
import { nameKey, recordsByName } from './due.ts';
import { filterAddresses } from './filter.ts';
import { knownAddresses } from './publish.ts';
import { isPublishedAlike, publishedBy, rememberedRules } from './published.ts';
import { sameJson } from './same-json.ts';

export interface AddressChange {
  readonly before: GatewayState | undefined; // undefined: nothing was remembered
  readonly after: GatewayState;
  /** Of the names that were asked in between, by nameKey(); as the resolver gave them, not filtered. */
  readonly answers: ReadonlyMap<string, Answer>;
  /** Whether the link pins its gateway's addresses: then it is not the status that they come from. */
  readonly isPinned: boolean;
}

/** Addresses of one answer that are told; more are counted. A bad answer may hold thousands. */
const MOST_TOLD = 64;

const isoText = (seconds: number): string => new Date(seconds * 1000).toISOString();

const setText = (addresses: readonly PublishedAddress[]): string =>
  addresses.map(({ ip, state }) => (state === 'ready' ? ip : `${ip} (${state})`)).join(', ') || 'none';

const listText = (addresses: readonly string[]): string => {
  const left = addresses.length - MOST_TOLD;
  return [...addresses.slice(0, MOST_TOLD), ...(left > 0 ? [`and ${left} more`] : [])].join(' ');
};

/** What an answer was, where it can be why something changed: "don't know" only is when it was the last of too many. */
const answerText = (answer: Answer, record: GatewayRecord): string | undefined => {
  if (answer.kind === 'addresses' && answer.addresses.length > 0)
    return `${listText(answer.addresses)}, TTL ${answer.ttl}`;
  if (answer.kind !== 'unknown') {
    const what = answer.kind === 'nothing' ? answer.why : 'NODATA';
    return record.state === 'WITHDRAWN' ? `${what}, confirmed` : what;
  }
  if (record.state !== 'FAILED') return undefined;
  const { lastGoodAt } = record;
  return `${answer.why}, no good answer ${lastGoodAt === undefined ? 'so far' : `since ${isoText(lastGoodAt)}`}`;
};

/** What of a record is voted for, whatever its counts and times are. */
const votesOf = ({ addresses, departedAt }: GatewayRecord): unknown => ({
  hasLeft: departedAt !== undefined,
  votes: Object.fromEntries(Object.entries(addresses).map(([ip, { state }]) => [ip, state])),
});

const answerLines = ({ before, after, answers }: AddressChange): readonly string[] => {
  const former = recordsByName(before ?? EMPTY_GATEWAY_STATE);
  return after.records.flatMap((record) => {
    const key = nameKey(record.hostname, record.family);
    const [answer, earlier] = [answers.get(key), former.get(key)];
    if (answer === undefined || (earlier !== undefined && sameJson(votesOf(earlier), votesOf(record))))
      return [];
    const text = answerText(answer, record);
    return text === undefined ? [] : [`${record.hostname}: ${text}`];
  });
};

/** When it left, or `here` while it is declared; absent: it is not remembered. */
type Presence = ReadonlyMap<string, number | 'here'>;

/** By hostname and by literal address; a hostname is there as long as one of its families is. */
const presenceOf = ({ records, literals }: GatewayState): Presence => {
  const departed = records.filter(({ departedAt }) => departedAt !== undefined);
  const current = records.filter(({ departedAt }) => departedAt === undefined);
  return new Map<string, number | 'here'>([
    ...departed.map(({ hostname, departedAt = 0 }) => [hostname, departedAt] as const),
    ...current.map(({ hostname }) => [hostname, 'here'] as const),
    ...Object.entries(literals).map(([ip, { departedAt }]) => [ip, departedAt ?? 'here'] as const),
  ]);
};

const presenceText = (was: number | 'here' | undefined, is: typeof was, isPinned: boolean): string => {
  if (is === 'here') return isPinned ? 'is pinned' : 'came into the status';
  if (was === 'here') return isPinned ? 'is not pinned' : 'left the status';
  return `is dropped, it left at ${isoText(was ?? is ?? 0)}`;
};

/** What came into the gateway's status or left it, and what had left and is dropped now. */
const declaredLines = ({ before, after, isPinned }: AddressChange): readonly string[] => {
  if (before === undefined) return [];
  const [former, present] = [presenceOf(before), presenceOf(after)];
  return [...new Set([...former.keys(), ...present.keys()])].flatMap((name) => {
    const [was, is] = [former.get(name), present.get(name)];
    return was === is ? [] : [`${name} ${presenceText(was, is, isPinned)}`];
  });
};

const livenessLines = ({ before, after }: AddressChange): readonly string[] =>
  publishedBy(after).flatMap(({ ip }) => {
    const [was, is] = [before?.liveness?.[ip], after.liveness?.[ip]];
    if (is?.state === 'dead' && was?.state !== 'dead') {
      return [`${ip} dead: ${is.failures} failures (${is.lastWhy ?? 'no answer'})`];
    }
    if (was?.state !== 'dead' || is?.state === 'dead') return [];
    return [is?.state === 'alive' ? `${ip} is alive again` : `${ip} is not probed any more`];
  });

const refusedIn = (state: GatewayState): ReadonlyMap<string, string> =>
  new Map(
    filterAddresses(knownAddresses(state), rememberedRules(state)).refused.map(({ address, why }) => [
      address,
      why,
    ]),
  );

/** Addresses that are known before and after, and that the filter lets through only on one side. */
const filterLines = ({ before, after }: AddressChange): readonly string[] => {
  if (before === undefined) return [];
  const known = new Set(knownAddresses(before));
  const [former, present] = [refusedIn(before), refusedIn(after)];
  return knownAddresses(after)
    .filter((ip) => known.has(ip) && former.has(ip) !== present.has(ip))
    .map((ip) => (present.has(ip) ? `${ip} refused: ${present.get(ip)}` : `${ip} passes the filter now`));
};

/**
 * The old set → the new set, then what caused it; undefined when the same addresses are published in the same states, whatever
 * else was learnt.
 */
export const changeReasons = (change: AddressChange): readonly string[] | undefined => {
  const former = publishedBy(change.before ?? EMPTY_GATEWAY_STATE);
  const present = publishedBy(change.after);
  if (isPublishedAlike(former, present)) return undefined;
  const old = change.before === undefined ? 'nothing remembered' : setText(former);
  return [
    `${old} → ${setText(present)}`,
    ...declaredLines(change),
    ...answerLines(change),
    ...livenessLines(change),
    ...filterLines(change),
  ];
};
