// What a reply means for the asked name: addresses, nothing, or not known.
import type { Answer } from '../ports.ts';
import { NOERROR, NXDOMAIN } from './packet.ts';
import type { Question, Reply, ResourceRecord } from './packet.ts';

const MAX_CHAIN = 16; // CNAMEs; the resolvers of ISC and NLnet Labs give up between 11 and 17

const RCODE_NAMES: Readonly<Record<number, string>> = {
  1: 'FORMERR',
  2: 'SERVFAIL',
  4: 'NOTIMP',
  5: 'REFUSED',
};

/**
 * Reads a reply as an answer. Only records that the asked name leads to count:
 *
 *     asked name ── CNAME ──▶ alias ── CNAME ──▶ … ──▶ A or AAAA       every other owner name is ignored
 *
 * A TTL is the lowest on that way (RFC 1034 §3.6.2), a negative TTL that of RFC 2308 §5. A chain that runs in a circle or does
 * not end is an error of the zone, which recursors report as SERVFAIL: not known. So is a referral (RFC 2308 §2.2).
 */
export function answerOf(reply: Reply, { name, type }: Question): Answer {
  if (reply.rcode === NXDOMAIN) return nothing('NXDOMAIN', reply);
  if (reply.rcode !== NOERROR) return { kind: 'unknown', why: rcodeName(reply.rcode) };
  const { addresses, ttl, isEndless } = follow(reply.records, name, type);
  if (isEndless) return { kind: 'unknown', why: 'malformed' };
  if (addresses.length > 0) return { kind: 'addresses', addresses, ttl, partial: reply.truncated };
  return reply.referral ? { kind: 'unknown', why: 'referral' } : nothing('NODATA', reply);
}

function nothing(why: 'NXDOMAIN' | 'NODATA', { negativeTtl }: Reply): Answer {
  return { kind: 'nothing', why, ...(negativeTtl !== undefined && { negativeTtl }) };
}

function rcodeName(rcode: number): string {
  return RCODE_NAMES[rcode] ?? `RCODE${rcode}`;
}

interface Followed {
  readonly addresses: readonly string[]; // each once, in the order received
  readonly ttl: number;
  readonly isEndless: boolean;
}

function follow(records: readonly ResourceRecord[], name: string, type: Question['type']): Followed {
  let owner = name;
  let ttl = Infinity;
  for (let steps = 0; steps <= MAX_CHAIN; steps += 1) {
    const own = records.filter((record) => record.owner === owner);
    const found = own.filter((record) => record.type === type);
    const alias = own.find((record) => record.type === 'CNAME');
    if (found.length > 0 || !alias) {
      const addresses = [...new Set(found.map(({ data }) => data))];
      return { addresses, ttl: Math.min(ttl, ...found.map((record) => record.ttl)), isEndless: false };
    }
    ttl = Math.min(ttl, alias.ttl);
    owner = alias.data;
  }
  return { addresses: [], ttl, isEndless: true };
}
