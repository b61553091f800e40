// IP addresses as the API server reads them: leniently (leading zeros, IPv4-mapped), and what endpoints may not be.
import { isIPv4, isIPv6 } from 'node:net';
import type { FieldError } from '../field-errors.ts';
import { invalidValue } from '../field-errors.ts';

/** An address as bytes: four, or sixteen. An IPv4-mapped IPv6 address counts as IPv4, as it does in Go. */
export type Address = readonly number[];

/** undefined when the text is no address, even read leniently. */
export function parseAddress(text: string): Address | undefined {
  const dotted = text
    .split('.')
    .map((part) => part.replace(/^0+(?=\d)/, ''))
    .join('.');
  if (isIPv4(dotted)) return dotted.split('.').map(Number);
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const bytes = ipv6Bytes(text);
  const mapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
  return mapped ? bytes.slice(12) : bytes;
}

function ipv6Bytes(text: string): number[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  const hex = (high = '0', low = '0'): string => (Number(high) * 256 + Number(low)).toString(16);
  const groups =
    dotted === null ? text : `${dotted[1]}${hex(dotted[2], dotted[3])}:${hex(dotted[4], dotted[5])}`;
  const [head = '', tail] = groups.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  const words = tail === undefined ? left : [...left, ...zeros, ...right];
  return words.flatMap((word) => {
    const value = Number.parseInt(word, 16);
    return [value >> 8, value & 255];
  });
}

/** Canonical text: dotted decimal, or RFC 5952. */
export function printAddress(address: Address): string {
  if (address.length === 4) return address.join('.');
  const words = Array.from(
    { length: 8 },
    (_, index) => (address[index * 2] ?? 0) * 256 + (address[index * 2 + 1] ?? 0),
  );
  const { start, length } = longestZeros(words);
  const print = (part: readonly number[]): string => part.map((word) => word.toString(16)).join(':');
  if (length < 2) return print(words);
  return `${print(words.slice(0, start))}::${print(words.slice(start + length))}`;
}

function longestZeros(words: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < words.length; start += 1) {
    let end = start;
    while (end < words.length && words[end] === 0) end += 1;
    if (end - start > best.length) best = { start, length: end - start };
    if (end > start) start = end;
  }
  return best;
}

export const familyOf = (text: string): 'IPv4' | 'IPv6' | undefined => {
  const address = parseAddress(text);
  if (address === undefined) return undefined;
  return address.length === 4 ? 'IPv4' : 'IPv6';
};

/** The check of fields that are older than strict validation. */
export const validateLegacyIp = (field: string, text: string): FieldError[] =>
  parseAddress(text) === undefined
    ? [invalidValue(field, text, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')]
    : [];

/** The check of IPv6 slice addresses: no leading zeros, not IPv4-mapped, canonical. */
export function validateStrictIp(field: string, text: string): FieldError[] {
  const address = parseAddress(text);
  if (address === undefined) return validateLegacyIp(field, text);
  if (address.length === 4 && isIPv6(text)) {
    return [invalidValue(field, text, 'must not be an IPv4-mapped IPv6 address')];
  }
  if (address.length === 4 && !isIPv4(text)) return [invalidValue(field, text, 'must not have leading 0s')];
  const canonical = printAddress(address);
  return canonical === text ? [] : [invalidValue(field, text, `must be in canonical form ("${canonical}")`)];
}

/** What an endpoint's address may not be. */
export function validateEndpointIp(field: string, text: string): FieldError[] {
  const address = parseAddress(text);
  if (address === undefined) return [invalidValue(field, text, 'must be a valid IP address')];
  return SPECIAL_RANGES.filter(({ includes }) => includes(address)).map(({ problem }) =>
    invalidValue(field, text, problem(text)),
  );
}

const leadingZeros = (address: Address, last: number): boolean =>
  address.slice(0, -1).every((byte) => byte === 0) && address.at(-1) === last;

const SPECIAL_RANGES: readonly {
  readonly includes: (address: Address) => boolean;
  readonly problem: (text: string) => string;
}[] = [
  { includes: (address) => leadingZeros(address, 0), problem: (text) => `may not be unspecified (${text})` },
  {
    includes: (address) => (address.length === 4 ? address[0] === 127 : leadingZeros(address, 1)),
    problem: () => 'may not be in the loopback range (127.0.0.0/8, ::1/128)',
  },
  {
    includes: ([first, second = 0, ...rest]) =>
      rest.length === 2 ? first === 169 && second === 254 : first === 0xfe && (second & 0xc0) === 0x80,
    problem: () => 'may not be in the link-local range (169.254.0.0/16, fe80::/10)',
  },
  {
    includes: ([first, second = 0, third, ...rest]) =>
      rest.length === 1
        ? first === 224 && second === 0 && third === 0
        : first === 0xff && (second & 0x0f) === 0x02,
    problem: () => 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
  },
];

/** Warnings for addresses that a later release will refuse, or that are not canonical. */
export function warningsForIp(field: string, text: string): string[] {
  const address = parseAddress(text);
  if (address === undefined) return [];
  const canonical = printAddress(address);
  if (canonical === text) return [];
  if (address.length === 4) {
    return [
      `${field}: non-standard IP address "${text}" will be considered invalid in a future Kubernetes release: use "${canonical}"`,
    ];
  }
  return [`${field}: IPv6 address "${text}" should be in RFC 5952 canonical format ("${canonical}")`];
}
