// Allocation of cluster IPs out of the service ranges, one range per family.
import type { ClusterIps, Family } from '../types.ts';
import { parseAddress, printAddress } from '../validation/ip.ts';

/** Why an address could not be had, in the API server's words. */
export class AllocationError extends Error {
  readonly full: boolean;
  constructor(message: string, full = false) {
    super(message);
    this.full = full;
  }
}

export function createClusterIps(cidrs: readonly string[]): ClusterIps {
  const ranges = cidrs.map((cidr) => new Range(cidr));
  const [primary] = ranges;
  if (primary === undefined) throw new Error('a service range is needed');
  const rangeOf = (ip: string): Range => {
    const range = ranges.find((candidate) => candidate.contains(ip));
    if (range === undefined) {
      throw new AllocationError('the provided network does not match the current range');
    }
    return range;
  };
  return {
    families: ranges.map(({ family }) => family),
    cidrs,
    first: primary.first,
    next(family) {
      const range = ranges.find((candidate) => candidate.family === family);
      if (range === undefined) throw new AllocationError(`no range for family ${family}`);
      return range.next();
    },
    take: (ip) => rangeOf(ip).take(ip),
    release: (ip) => ranges.find((candidate) => candidate.contains(ip))?.release(ip),
  };
}

const toInteger = (ip: string): bigint =>
  (parseAddress(ip) ?? []).reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);

function toText(value: bigint, length: number): string {
  const bytes = Array.from({ length }, (_, index) =>
    Number((value >> BigInt(8 * (length - 1 - index))) & 255n),
  );
  return printAddress(bytes);
}

/** A range counts at most this many addresses, as the real allocator does for IPv6. */
const LARGEST = 1n << 16n;

/**
 * Addresses by their offset in the range. The lowest part is kept for addresses that are asked for by name, as long as
 * the rest has free ones: min(max(16, size / 16), 256) of them, none in ranges of less than 16.
 */
class Range {
  readonly family: Family;
  readonly #base: bigint;
  readonly #bytes: number;
  readonly #size: number;
  readonly #reserved: number;
  readonly #taken = new Set<number>();
  #cursor: number;

  constructor(cidr: string) {
    const [network = '', prefix = ''] = cidr.split('/');
    this.#bytes = parseAddress(network)?.length ?? 0;
    if (this.#bytes === 0 || prefix === '') throw new Error(`not a CIDR: ${cidr}`);
    this.family = this.#bytes === 4 ? 'IPv4' : 'IPv6';
    const bits = BigInt(this.#bytes * 8 - Number(prefix));
    this.#base = (toInteger(network) >> bits) << bits;
    const all = 1n << bits;
    const usable = this.family === 'IPv4' ? all - 2n : all - 1n;
    this.#size = Number(this.family === 'IPv6' && usable > LARGEST ? LARGEST : usable);
    this.#reserved = this.#size < 16 ? 0 : Math.min(Math.max(16, Math.floor(this.#size / 16)), 256);
    this.#cursor = this.#reserved;
  }

  /** Offset 0 is the first usable address. */
  #at(offset: number): string {
    return toText(this.#base + 1n + BigInt(offset), this.#bytes);
  }

  #offset(ip: string): number {
    return Number(toInteger(ip) - this.#base - 1n);
  }

  get first(): string {
    return this.#at(0);
  }

  contains(ip: string): boolean {
    if (parseAddress(ip)?.length !== this.#bytes) return false;
    const offset = this.#offset(ip);
    return offset >= 0 && offset < this.#size;
  }

  take(ip: string): void {
    const offset = this.#offset(ip);
    if (this.#taken.has(offset)) throw new AllocationError('provided IP is already allocated');
    this.#taken.add(offset);
  }

  /** Goes on where it stopped, so that a released address is not given out again at once. */
  next(): string {
    const offset =
      this.#free(this.#cursor, this.#size) ??
      this.#free(this.#reserved, this.#cursor) ??
      this.#free(0, this.#reserved);
    if (offset === undefined) throw new AllocationError('range is full', true);
    this.#taken.add(offset);
    this.#cursor = Math.max(offset + 1, this.#reserved);
    return this.#at(offset);
  }

  #free(from: number, to: number): number | undefined {
    for (let offset = from; offset < to; offset += 1) if (!this.#taken.has(offset)) return offset;
    return undefined;
  }

  release(ip: string): void {
    this.#taken.delete(this.#offset(ip));
  }
}
