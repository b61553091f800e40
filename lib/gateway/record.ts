// The memory of one (link, hostname, family), and what one answer does to it. Three kinds of answer, never two:
//
//               addresses                      addresses
//   PENDING ──────────────▶ FRESH ◀────────────────────────────┐
//   nothing ever seen        │ │ ▲                              │
//                            │ │ └───── addresses ─── STALE ──▶ FAILED   24 h after expiry, 3 failures, 600 s: down
//                            │ └─────── unknown ───────▶
//                            └─ nothing ─▶ SUSPECT ──▶ WITHDRAWN         2 copies, 120 s apart: forgotten
//
// SUSPECT and STALE change nothing of what is published.
import type { AddressEntry, GatewayRecord } from '../model/gateway.ts';
import type { Family } from '../model/objects.ts';
import type { Answer } from '../ports.ts';
import { compareAddresses, familyOf } from './address.ts';
import { remember } from './entries.ts';
import { omit } from './omit.ts';
import type { GatewaySettings, Moment } from './settings.ts';

type Addresses = Extract<Answer, { kind: 'addresses' }>;
type Nothing = Extract<Answer, { kind: 'nothing' }>;
type Unknown = Extract<Answer, { kind: 'unknown' }>;

/** A record of a name that was never asked. @param nextCheckAt seconds since the epoch */
export const newRecord = (hostname: string, family: Family, nextCheckAt: number): GatewayRecord => ({
  hostname,
  family,
  state: 'PENDING',
  addresses: {},
  failCount: 0,
  negCount: 0,
  returnEvents: [],
  nextCheckAt,
});

const SEED: AddressEntry = { state: 'ready', misses: 0, returns: [], streak: 0 };

/**
 * A record that starts from the addresses which owned mirrors hold, so that "don't know" cannot empty them: STALE, its 24 hours
 * running from now, due at once. Addresses of the other family are left out.
 */
export const seedRecord = (
  hostname: string,
  family: Family,
  addresses: readonly string[],
  now: number,
): GatewayRecord => {
  const ofFamily = addresses.filter((ip) => familyOf(ip) === family).sort(compareAddresses);
  const fresh = newRecord(hostname, family, now);
  if (ofFamily.length === 0) return fresh;
  const entries = Object.fromEntries(ofFamily.map((ip) => [ip, SEED]));
  return { ...fresh, state: 'STALE', addresses: entries, expiresAt: now };
};

const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);

/** U(1 s, min(1 s + 10 %, 7 s)) of the interval, from a draw over the full width. */
const spread = (interval: number, { jitter, settings }: Moment): number =>
  clamp(jitter, 0, Math.min(1 + 0.1 * interval, settings.maxJitter));

const isEmpty = (record: GatewayRecord): boolean => Object.keys(record.addresses).length === 0;

const isSameCopy = (record: GatewayRecord, expiry: number, settings: GatewaySettings): boolean =>
  record.copyExpiry !== undefined && Math.abs(record.copyExpiry - expiry) <= settings.copySlack;

/** A negative answer before this one means that the last copy was another one, whenever it expires. */
const heardAddresses = (record: GatewayRecord, answer: Addresses, moment: Moment): GatewayRecord => {
  const { now, settings } = moment;
  const copyExpiry = now + answer.ttl;
  const independent = record.negCount > 0 || !isSameCopy(record, copyExpiry, settings);
  const interval = clamp(answer.ttl, settings.minRefresh, settings.maxRefresh);
  return {
    ...omit(record, 'failSince', 'negSince', 'negExpiry', 'lastError', 'rotatingUntil'),
    ...remember(record, { ...answer, independent }, moment),
    state: 'FRESH',
    failCount: 0,
    negCount: 0,
    lastGoodAt: now,
    expiresAt: now + Math.min(answer.ttl, settings.maxRefresh), // a TTL of years must not postpone the end of staleness
    copyExpiry,
    nextCheckAt: now + interval + spread(interval, moment),
  };
};

const isConfirmed = (negCount: number, negSince: number, { now, settings }: Moment): boolean =>
  negCount >= settings.negCount && now - negSince >= settings.negSpan;

const withdrawn = (record: GatewayRecord): GatewayRecord => ({
  ...omit(record, 'rotatingUntil'),
  state: 'WITHDRAWN',
  addresses: {},
  returnEvents: [],
});

/** Only an independent copy is evidence: a repeated one neither counts nor confirms, however much later it is heard. */
const heardNothing = (record: GatewayRecord, answer: Nothing, moment: Moment): GatewayRecord => {
  const { now, settings } = moment;
  const ttl = answer.negativeTtl ?? settings.negDefault;
  const independent = record.negCount === 0 || !isSameCopy(record, now + ttl, settings);
  const negCount = record.negCount + (independent ? 1 : 0);
  const negSince = record.negSince ?? now;
  const negExpiry = record.negExpiry ?? now + ttl;
  // Caches of one fleet that were filled at the same moment end together: only a later end is a later look at the zone.
  const apart = now + ttl - negExpiry >= settings.negSpan - settings.copySlack;
  const interval = clamp(ttl, settings.negMin, settings.negMax);
  const noted: GatewayRecord = {
    ...omit(record, 'failSince'),
    state: 'SUSPECT',
    failCount: 0,
    negCount,
    negSince,
    negExpiry,
    copyExpiry: now + ttl,
    nextCheckAt: now + interval + spread(interval, moment),
    lastError: answer.why,
  };
  if (isEmpty(record)) return { ...noted, state: record.state === 'WITHDRAWN' ? 'WITHDRAWN' : 'PENDING' };
  return independent && apart && isConfirmed(negCount, negSince, moment) ? withdrawn(noted) : noted;
};

/** Whether the last good answer is too old to be trusted, and enough was tried since. */
const isOutworn = (record: GatewayRecord, { now, settings }: Moment): boolean =>
  now - (record.expiresAt ?? now) >= settings.maxStale &&
  record.failCount >= settings.failMinAttempts &&
  now - (record.failSince ?? now) >= settings.failMinSpan;

const allDown = (record: GatewayRecord): GatewayRecord => ({
  ...record,
  state: 'FAILED',
  addresses: Object.fromEntries(
    Object.entries(record.addresses).map(([ip, entry]) => [ip, { ...entry, state: 'down' }]),
  ),
});

const isDown = (record: GatewayRecord): boolean =>
  Object.values(record.addresses).every(({ state }) => state === 'down');

const heardUnknown = (record: GatewayRecord, answer: Unknown, moment: Moment): GatewayRecord => {
  const { now, settings } = moment;
  const { backoff } = settings;
  const interval = backoff[Math.min(record.failCount, backoff.length - 1)] ?? settings.maxRefresh;
  const noted: GatewayRecord = {
    ...record,
    state: 'STALE',
    failCount: record.failCount + 1,
    failSince: record.failSince ?? now,
    nextCheckAt: now + interval + spread(interval, moment),
    lastError: answer.why,
  };
  if (isEmpty(record)) return { ...noted, state: 'PENDING' };
  return isDown(noted) || isOutworn(noted, moment) ? allDown(noted) : noted;
};

/**
 * What is remembered after one answer. The answer has passed the filter (an answer whose addresses were all refused comes as
 * "unknown"); its order does not matter. An "addresses" answer without addresses is NODATA, as node:dns reports a dangling CNAME.
 */
export const advance = (record: GatewayRecord, answer: Answer, moment: Moment): GatewayRecord => {
  switch (answer.kind) {
    case 'addresses':
      return answer.addresses.length === 0
        ? heardNothing(record, { kind: 'nothing', why: 'NODATA' }, moment)
        : heardAddresses(record, answer, moment);
    case 'nothing':
      return heardNothing(record, answer, moment);
    case 'unknown':
      return heardUnknown(record, answer, moment);
  }
};
