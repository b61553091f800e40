// What is wrong with a gateway's names and addresses, told from the state alone, so that every run tells the same until it changes.
import type { GatewayRecord, GatewayState, RefusedAddress } from '../model/gateway.ts';
import { compareText } from '../model/keys.ts';
import type { ObjectKey } from '../model/keys.ts';
import type { Family } from '../model/objects.ts';
import type { Refusal } from '../model/plan.ts';

export interface Findings {
  readonly key: ObjectKey; // of the gateway Service
  readonly families: readonly Family[];
  /** Refused of literals, seeds and what is remembered, beside what each record holds of its last answer. */
  readonly refused: readonly RefusedAddress[];
  readonly publishesNothing: boolean;
  readonly explained: boolean; // the declaration already says why there is no address
}

const timeText = (seconds: number): string => new Date(seconds * 1000).toISOString();

const isKnown = (record: GatewayRecord): boolean => Object.keys(record.addresses).length > 0;

/** IPv4 only is the normal case of a load balancer: no AAAA is nothing to report while the name's A records are there. */
const isOtherFamilyEnough = (record: GatewayRecord, records: readonly GatewayRecord[]): boolean =>
  !isKnown(record) &&
  record.failCount === 0 &&
  records.some(
    (other) => other.hostname === record.hostname && other.family !== record.family && isKnown(other),
  );

const sinceOf = (record: GatewayRecord): number | undefined => record.failSince ?? record.negSince;

const effectOf = (record: GatewayRecord): string => {
  if (record.state === 'FAILED') return 'its addresses are down';
  return isKnown(record) ? 'its last addresses stay' : 'it has no address';
};

const unresolvedText = (record: GatewayRecord): string => {
  const name = `hostname ${record.hostname} (${record.family})`;
  const since = sinceOf(record);
  if (record.lastError === undefined || since === undefined) {
    return `${name}: not looked up yet, due at ${timeText(record.nextCheckAt)}; ${effectOf(record)}`;
  }
  return `${name}: ${record.lastError} since ${timeText(since)}; ${effectOf(record)}`;
};

const unresolved = (key: ObjectKey, records: readonly GatewayRecord[]): readonly Refusal[] =>
  records
    .filter((record) => record.state !== 'FRESH' && !isOtherFamilyEnough(record, records))
    .map((record) => ({ ...key, reason: 'GatewayUnresolved', message: unresolvedText(record) }));

const refusedText = ({ address, why }: RefusedAddress, from: string): string =>
  `address ${address.slice(0, 64)}${from}: ${why}`;

const refusedAddresses = (findings: Findings, records: readonly GatewayRecord[]): readonly Refusal[] => {
  const messages = [
    ...findings.refused.map((row) => refusedText(row, '')),
    ...records.flatMap(({ hostname, refused = [] }) =>
      refused.map((row) => refusedText(row, ` of ${hostname}`)),
    ),
  ];
  return [...new Set(messages)]
    .sort(compareText)
    .map((message) => ({ ...findings.key, reason: 'AddressRefused', message }));
};

/** For a gateway whose every address is of a family that the source cluster does not use. */
const noUsableFamily = ({ key, families }: Findings): Refusal => ({
  ...key,
  reason: 'NoGatewayAddress',
  message: `gateway Service ${key.namespace}/${key.name}: expected an address of family ${[...families].sort(compareText).join(' or ')}, found none`,
});

export const refusalsOf = (state: GatewayState, findings: Findings): readonly Refusal[] => {
  const current = state.records.filter(({ departedAt }) => departedAt === undefined);
  const found = [...unresolved(findings.key, current), ...refusedAddresses(findings, current)];
  const unexplained = findings.publishesNothing && !findings.explained && found.length === 0;
  return unexplained ? [noUsableFamily(findings)] : found;
};
