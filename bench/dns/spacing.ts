// Figures of the schedule: how often names are asked, how evenly, and whether each keeps one timer.
//
// What the TTLs require of a name is one query per TTL (within 10 to 300 s): 3,600 / TTL in an hour. Every interval is longer by jitter
// (1 s and up to 10 % of the TTL, 7 s at most), by whole seconds and by late delivery, so the quotient is below 1.
import type { Figure } from '../measure.ts';
import type { Gateways } from './deployment.ts';
import { type Plan, type Query, type Schedule, scheduleOf } from './schedule.ts';
import type { Mishaps } from './sim-queue.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const LATE: Mishaps = { late: 2, lost: 0, doubled: 0 };
const HOSTILE: Mishaps = { late: 2, lost: 0.01, doubled: 0.01 };
const LONGEST_DISTANCE = 75; // s, for a TTL of 60
const [LEAST, MOST] = [0.85, 1.05]; // of the queries that the TTLs require
const LARGEST_SHARE = 5; // % of a minute's queries, in one second

export interface Span {
  readonly from: number;
  readonly until: number;
}

const within =
  ({ from, until }: Span) =>
  ({ at }: Query): boolean =>
    from <= at && at < until;

/** Seconds between two queries of one name, at most. */
export const longestDistance = (queries: readonly Query[]): number => {
  const last = new Map<string, number>();
  let longest = 0;
  for (const { at, hostname } of queries) {
    longest = Math.max(longest, at - (last.get(hostname) ?? at));
    last.set(hostname, at);
  }
  return longest;
};

/** The largest share that one second has in the queries of its minute, in percent. */
export const largestShare = (queries: readonly Query[]): number => {
  const shares = [...Map.groupBy(queries, ({ at }) => Math.floor(at / MINUTE)).values()].map((minute) => {
    const seconds = [...Map.groupBy(minute, ({ at }) => Math.floor(at)).values()];
    return (100 * Math.max(...seconds.map((second) => second.length))) / minute.length;
  });
  return Math.max(0, ...shares);
};

const required = (hostnames: readonly string[], ttlOf: Plan['ttlOf'], { from, until }: Span): number =>
  hostnames.reduce((sum, name) => sum + (until - from) / Math.min(Math.max(ttlOf(name), 10), 300), 0);

const namesOf = (gateways: Gateways): readonly string[] => [...new Set(Object.values(gateways).flat())];

/** Links with one name each. */
const apart = (count: number): Gateways =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`link-${index}`, [`gateway-${index}.example.test`]]),
  );

/** `sharers` links that all use the same names. */
const together = (sharers: number, names: number): Gateways => {
  const hostnames = Array.from({ length: names }, (_, index) => `gateway-${index}.example.test`);
  return Object.fromEntries(Array.from({ length: sharers }, (_, index) => [`link-${index}`, hostnames]));
};

/** Pairs of links that use the same names, others than the other pairs. */
const pairs = (count: number, names: number): Gateways =>
  Object.fromEntries(
    Array.from({ length: count }, (_, pair) => {
      const hostnames = Array.from({ length: names }, (_, index) => `gateway-${pair}-${index}.example.test`);
      return [0, 1].map((link) => [`link-${pair}-${link}`, hostnames] as const);
    }).flat(),
  );

const run = async (plan: Plan, seconds: number): Promise<Schedule> => {
  const schedule = await scheduleOf(plan);
  await schedule.agenda.runUntil(seconds);
  return schedule;
};

const quotientFigure = (name: string, asked: number, needed: number, hasTarget = true): Figure => {
  const ratio = asked / needed;
  const isMet = ratio >= LEAST && ratio <= MOST;
  return {
    name,
    value: asked,
    unit: 'queries',
    ratio,
    ...(hasTarget ? { target: `${LEAST} to ${MOST} of what TTLs require` } : {}),
    ok: !hasTarget || isMet,
    kind: 'count',
  };
};

const distanceFigure = (name: string, queries: readonly Query[]): Figure => {
  const value = longestDistance(queries);
  return {
    name,
    value,
    unit: 's',
    target: `<= ${LONGEST_DISTANCE}`,
    ok: value <= LONGEST_DISTANCE,
    kind: 'count',
  };
};

/** One hour after the minutes in which all links are new. */
const ordinaryHour = async (): Promise<readonly Figure[]> => {
  const hostnames = apart(1_000);
  const ttlOf = (): number => 60;
  const hour = { from: 5 * MINUTE, until: 5 * MINUTE + HOUR };
  const { queries } = await run({ hostnames, ttlOf, mishaps: LATE, seed: 1 }, hour.until);
  const asked = queries.filter(within(hour));
  const share = largestShare(queries);
  const name = '1,000 names, TTL 60, one hour';
  return [
    distanceFigure(`${name}: longest time between queries of a name`, queries),
    quotientFigure(`${name}: queries`, asked.length, required(namesOf(hostnames), ttlOf, hour)),
    {
      name: `${name}: largest second's share of its minute`,
      value: share,
      unit: '%',
      target: `<= ${LARGEST_SHARE}`,
      ok: share <= LARGEST_SHARE,
      kind: 'count',
    },
  ];
};

/** The TTLs that are not those of a load balancer, each on its own. */
const otherTtls = async (): Promise<readonly Figure[]> => {
  const hostnames = apart(160);
  const ttls = [10, 20, 30, 300];
  const ttlOf = (hostname: string): number => ttls[Number(/\d+/.exec(hostname)) % ttls.length] ?? 60;
  const hour = { from: 10 * MINUTE, until: 10 * MINUTE + HOUR };
  const { queries } = await run({ hostnames, ttlOf, mishaps: LATE, seed: 2 }, hour.until);
  const asked = queries.filter(within(hour));
  return ttls.map((ttl) => {
    const names = namesOf(hostnames).filter((name) => ttlOf(name) === ttl);
    const own = asked.filter(({ hostname }) => ttlOf(hostname) === ttl);
    return quotientFigure(
      `40 names, TTL ${ttl}, one hour: queries`,
      own.length,
      required(names, ttlOf, hour),
      false,
    );
  });
};

const sharedNames = async (): Promise<readonly Figure[]> => {
  const hostnames = together(20, 8);
  const ttlOf = (): number => 60;
  const hour = { from: 5 * MINUTE, until: 5 * MINUTE + HOUR };
  const { queries } = await run({ hostnames, ttlOf, mishaps: LATE, seed: 3 }, hour.until);
  const asked = queries.filter(within(hour));
  return [
    quotientFigure(
      '8 names of 20 links each, one hour: queries',
      asked.length,
      required(namesOf(hostnames), ttlOf, hour),
    ),
  ];
};

/** How many timers are on their way, by name. */
const timersByName = ({ timers }: Schedule): ReadonlyMap<string, number> => {
  const groups = Map.groupBy(timers.inFlight(), ({ hostname }) => hostname);
  return new Map([...groups].map(([hostname, messages]) => [hostname, messages.length]));
};

/** A day of lost and doubled messages, then five minutes of peace in which the tick sets what is missing. */
const lossyDay = async (): Promise<readonly Figure[]> => {
  const hostnames = pairs(3, 8);
  const ttlOf = (): number => 60;
  const day = { from: 0, until: 24 * HOUR };
  const schedule = await run({ hostnames, ttlOf, mishaps: HOSTILE, seed: 4 }, day.until);
  const { queries, timers, agenda } = schedule;
  const asked = queries.filter(within(day));
  const longest = longestDistance(asked);
  timers.suffer(LATE);
  await agenda.runUntil(day.until + 5 * MINUTE);
  const inFlight = timersByName(schedule);
  const names = namesOf(hostnames);
  const wrong = names.filter((name) => inFlight.get(name) !== 1).length;
  const named = '24 names of two links each, 24 h, 1 % lost, 1 % doubled';
  return [
    {
      name: `${named}: names without just one timer`,
      value: wrong,
      unit: 'names',
      target: '= 0',
      ok: wrong === 0,
      kind: 'count',
    },
    quotientFigure(`${named}: queries`, asked.length, required(names, ttlOf, day)),
    {
      name: `${named}: longest time between queries of a name`,
      value: longest,
      unit: 's',
      ok: true,
      kind: 'count',
    },
  ];
};

export const spacingFigures = async (): Promise<readonly Figure[]> => [
  ...(await ordinaryHour()),
  ...(await otherTtls()),
  ...(await sharedNames()),
  ...(await lossyDay()),
];
