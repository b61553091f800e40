// Rules by name, and how the scripted DNS server finds the records that a name leads to.
import { isIP } from 'node:net';
import { openCopies } from './copies.ts';
import type { CopyOptions, Part } from './copies.ts';
import { RCODES } from './rules.ts';
import type { NameRule, Soa } from './rules.ts';

export interface ZoneRecord {
  readonly owner: string;
  readonly type: 'A' | 'AAAA' | 'CNAME';
  readonly ttl: number;
  readonly data: string;
}

export interface Resolution {
  readonly rule: NameRule; // of the asked name, as it is now: trouble is the server's own and never a copy
  readonly rcode: number;
  readonly records: readonly ZoneRecord[];
  readonly soa?: Soa;
}

export interface Zone {
  /** Replaces the rule of a name, for one type of question or for all. The name `*` stands for names without a rule. */
  set(name: string, rule: NameRule, type?: 'A' | 'AAAA'): void;
  remove(name: string): void;
  /** Follows aliases as a recursor does, once round where they run in a circle. */
  resolve(name: string, type: string): Resolution;
}

const MISSING: NameRule = { rcode: 'NXDOMAIN' };

export function openZone(options: CopyOptions): Zone {
  const rules = new Map<string, NameRule>();
  const ruleOf = (name: string, type: string): NameRule =>
    rules.get(`${name} ${type}`) ?? rules.get(name) ?? rules.get('*') ?? MISSING;
  const partOf = openCopies(ruleOf, options);
  return {
    set(name, rule, type) {
      rules.set(type ? `${plainName(name)} ${type}` : plainName(name), rule);
    },
    remove(name) {
      for (const suffix of ['', ' A', ' AAAA']) rules.delete(plainName(name) + suffix);
    },
    resolve(name, type) {
      const asked = plainName(name);
      const { last, records } = follow(asked, (owner) => partOf(owner, type));
      const rcode = last.rcode ? RCODES[last.rcode] : 0;
      return { rule: ruleOf(asked, type), rcode, records, ...(last.soa && { soa: last.soa }) };
    },
  };
}

export function addressRecord(owner: string, ttl: number, data: string): ZoneRecord {
  return { owner, type: isIP(data) === 6 ? 'AAAA' : 'A', ttl, data };
}

function follow(
  asked: string,
  partOf: (owner: string) => Part,
): { readonly last: Part; readonly records: readonly ZoneRecord[] } {
  const aliases = new Map<string, ZoneRecord>();
  let owner = asked;
  let part = partOf(owner);
  while (part.cname !== undefined && !aliases.has(owner)) {
    const data = plainName(part.cname);
    aliases.set(owner, { owner, type: 'CNAME', ttl: part.ttl, data });
    owner = data;
    part = partOf(owner);
  }
  const { addresses, ttl } = part;
  return {
    last: part,
    records: [...aliases.values(), ...addresses.map((ip) => addressRecord(owner, ttl, ip))],
  };
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
