// IP addresses and ranges as numbers: strict reading, canonical writing, order and containment.
import { isIP } from 'node:net';
import { compareText } from '../model/keys.ts';
import type { Family } from '../model/objects.ts';

export interface Address {
  readonly family: Family;
  readonly value: bigint;
}

export interface Range {
  readonly family: Family;
  readonly value: bigint; // any address of it
  readonly hostBits: number;
}

const WIDTH = { IPv4: 32, IPv6: 128 } as const;
const PREFIX = /^(0|[1-9]\d{0,2})$/;

const joinGroups = (groups: readonly number[], bits: bigint): bigint =>
  groups.reduce((sum, group) => (sum << bits) | BigInt(group), 0n);

const readIPv4 = (text: string): bigint => joinGroups(text.split('.').map(Number), 8n);

/** `a:b:1.2.3.4` → the 16-bit groups it stands for. */
const readGroups = (text: string): readonly number[] => {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const low = Number(readIPv4(group));
    return [low >>> 16, low & 0xffff];
  });
};

const readIPv6 = (text: string): bigint => {
  const [head = '', tail] = text.split('::');
  const left = readGroups(head);
  const right = tail === undefined ? [] : readGroups(tail);
  const gap = Array.from({ length: 8 - left.length - right.length }, () => 0);
  return joinGroups([...left, ...gap, ...right], 16n);
};

/** Strict: no leading zeros, no shortened IPv4, no zone index; undefined for anything else. */
export const parseAddress = (text: string): Address | undefined => {
  const version = isIP(text);
  if (version === 4) return { family: 'IPv4', value: readIPv4(text) };
  if (version === 6 && !text.includes('%')) return { family: 'IPv6', value: readIPv6(text) };
  return undefined;
};

/** Start and length of the longest run of zero groups; the first of equal ones (RFC 5952 4.2.3). */
const longestZeros = (groups: readonly bigint[]): { readonly start: number; readonly length: number } => {
  let best = { start: 0, length: 0 };
  let length = 0;
  groups.forEach((group, index) => {
    length = group === 0n ? length + 1 : 0;
    if (length > best.length) best = { start: index - length + 1, length };
  });
  return best;
};

const writeIPv6 = (value: bigint): string => {
  const groups = Array.from({ length: 8 }, (_, index) => (value >> BigInt(112 - 16 * index)) & 0xffffn);
  const hex = groups.map((group) => group.toString(16));
  const zeros = longestZeros(groups);
  if (zeros.length < 2) return hex.join(':');
  return `${hex.slice(0, zeros.start).join(':')}::${hex.slice(zeros.start + zeros.length).join(':')}`;
};

const writeIPv4 = (value: bigint): string =>
  [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.');

/** Canonical text: dotted decimal, or as RFC 5952 says. */
export const formatAddress = ({ family, value }: Address): string =>
  family === 'IPv4' ? writeIPv4(value) : writeIPv6(value);

/** The family of an address, undefined when the text is none. */
export const familyOf = (text: string): Family | undefined => parseAddress(text)?.family;

const compareParsed = (a: Address, b: Address): number => {
  if (a.family !== b.family) return a.family === 'IPv4' ? -1 : 1;
  return a.value < b.value ? -1 : a.value > b.value ? 1 : 0;
};

/** By number, IPv4 before IPv6; text that is no address comes last, by code unit. */
export const compareAddresses = (a: string, b: string): number => {
  const left = parseAddress(a);
  const right = parseAddress(b);
  if (left !== undefined && right !== undefined) return compareParsed(left, right) || compareText(a, b);
  if (left === undefined && right === undefined) return compareText(a, b);
  return left === undefined ? 1 : -1;
};

/** Reads `10.0.0.0/8`; bits behind the prefix do not matter. undefined when it is no range. */
export const parseRange = (text: string): Range | undefined => {
  const [head = '', prefix = '', ...rest] = text.split('/');
  const address = parseAddress(head);
  if (address === undefined || rest.length > 0 || !PREFIX.test(prefix)) return undefined;
  const hostBits = WIDTH[address.family] - Number(prefix);
  return hostBits < 0 ? undefined : { ...address, hostBits };
};

export const formatRange = ({ family, value, hostBits }: Range): string =>
  `${formatAddress({ family, value })}/${WIDTH[family] - hostBits}`;

export const contains = (range: Range, address: Address): boolean =>
  range.family === address.family && (range.value ^ address.value) >> BigInt(range.hostBits) === 0n;
