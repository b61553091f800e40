// What the scripted DNS server answers from: a copy of a name's part of the answer, made anew each time or kept as a recursor does.
import type { NameRule, Soa } from './rules.ts';

/** One name's part of an answer, with the seconds that are left. */
export interface Part {
  readonly cname?: string;
  readonly rcode?: NameRule['rcode'];
  readonly addresses: readonly string[];
  readonly ttl: number;
  readonly soa?: Soa;
}

export interface CopyOptions {
  readonly now: () => number; // ms
  /**
   * A copy is made at the first question and kept, whatever the rules say meanwhile, until its TTL (for "nothing": that of its
   * SOA; without one it is not kept) has run out.
   */
  readonly cached: boolean;
}

const DEFAULT_TTL = 60; // s

/** Takes copies of what `ruleOf` says. */
export function openCopies(
  ruleOf: (name: string, type: string) => NameRule,
  { now, cached }: CopyOptions,
): (name: string, type: string) => Part {
  const copies = new Map<string, { readonly part: Part; readonly madeAt: number }>();
  const pick = openRotation();
  return (name, type) => {
    const key = `${name} ${type}`;
    const kept = copies.get(key);
    const age = kept ? Math.floor((now() - kept.madeAt) / 1000) : 0;
    if (cached && kept && age < lifetime(kept.part)) return aged(kept.part, age);
    const rule = ruleOf(name, type);
    const part = toPart(rule, pick(key, addressesOf(rule, type), rule.rotate));
    copies.set(key, { part, madeAt: now() });
    return cached ? aged(part, 0) : part;
  };
}

function toPart({ cname, rcode, soa, ttl = DEFAULT_TTL }: NameRule, addresses: readonly string[]): Part {
  if (cname !== undefined) return { cname, ttl, addresses: [] };
  if (addresses.length > 0 && !rcode) return { addresses, ttl };
  return { addresses: [], ttl, ...(rcode && { rcode }), ...(soa && { soa }) };
}

function addressesOf({ a = [], aaaa = [] }: NameRule, type: string): readonly string[] {
  return type === 'A' ? a : type === 'AAAA' ? aaaa : [];
}

const isNothing = ({ cname, addresses }: Part): boolean => cname === undefined && addresses.length === 0;

function lifetime(part: Part): number {
  if (!isNothing(part)) return part.ttl;
  return part.soa ? Math.min(part.soa.ttl, part.soa.minimum) : 0;
}

/** A recursor counts down, and for "nothing" it counts in the TTL of the SOA (RFC 2308 §5). */
function aged(part: Part, age: number): Part {
  const left = { ...part, ttl: part.ttl - age };
  return part.soa ? { ...left, soa: { ...part.soa, ttl: lifetime(part) - age } } : left;
}

type Pick = (key: string, all: readonly string[], count: number | undefined) => readonly string[];

function openRotation(): Pick {
  const positions = new Map<string, number>();
  return (key, all, count = all.length) => {
    const start = positions.get(key) ?? 0;
    if (count >= all.length) return all;
    positions.set(key, (start + count) % all.length);
    return Array.from({ length: count }, (_, index) => all[(start + index) % all.length] ?? '');
  };
}
