// One record of a link beside what the deployment knows of its name. A link's record is saved only when something of it matters: as
// long as the same answer comes again, the name alone remembers how fresh it is, and the record is told that when it is read.
import type { AddressEntry, GatewayRecord, GatewayState } from '../model/gateway.ts';
import { omit } from './omit.ts';
import { sameJson } from './same-json.ts';

const isSettledEntry = ({ state, misses, returns }: AddressEntry): boolean =>
  state === 'ready' && misses === 0 && returns.length === 0;

/** Whether a record waits for nothing: the same answer again would change only its times. */
export const isSettled = (record: GatewayRecord): boolean =>
  record.state === 'FRESH' &&
  record.rotatingUntil === undefined &&
  record.returnEvents.length === 0 &&
  Object.values(record.addresses).every(isSettledEntry);

/** Whether an answer holds just the addresses of a record, and may not be a part of more. */
export const isSameSet = (record: GatewayRecord, addresses: readonly string[], partial: boolean): boolean => {
  const held = Object.keys(record.addresses);
  const heard = new Set(addresses);
  return !partial && held.length === heard.size && held.every((ip) => heard.has(ip));
};

/**
 * The record with the times of the name's last good answer, where that is newer: answers that were skipped because they said the
 * same. Without it a record that was quiet for a day would be taken for a day of silence at the first failure.
 *
 * @param name the record of the name as it was before the answer that is to be told next
 */
export const caughtUp = (record: GatewayRecord, name: GatewayRecord): GatewayRecord => {
  const isNewer = (name.lastGoodAt ?? 0) > (record.lastGoodAt ?? 0);
  if (record.state !== 'FRESH' || !isNewer) return record;
  const { lastGoodAt, expiresAt, copyExpiry } = name;
  return {
    ...record,
    ...(lastGoodAt === undefined ? {} : { lastGoodAt }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(copyExpiry === undefined ? {} : { copyExpiry }),
  };
};

/** How long an address has been there without a break matters only to one that was away. */
const entryWords = (entry: AddressEntry): unknown => (isSettledEntry(entry) ? omit(entry, 'streak') : entry);

const recordWords = (record: GatewayRecord): unknown => ({
  ...omit(record, 'lastGoodAt', 'expiresAt', 'copyExpiry', 'nextCheckAt'),
  addresses: Object.fromEntries(
    Object.entries(record.addresses).map(([ip, entry]) => [ip, entryWords(entry)]),
  ),
});

const withoutTimes = ({ records, ...state }: GatewayState): unknown => ({
  ...state,
  records: records.map(recordWords),
});

/** Whether a state says more than the other, the passing of time apart. */
export const hasMoved = (before: GatewayState, after: GatewayState): boolean =>
  !sameJson(withoutTimes(before), withoutTimes(after));
