// Looks again where an answer may be one part of a larger set, and takes the union.
import type { Answer } from '../ports.ts';
import type { Budget } from './budget.ts';

type Addresses = Extract<Answer, { kind: 'addresses' }>;

// Load balancers of AWS answer with at most eight addresses, whatever their number.
const MAYBE_A_PART = 8;
const MORE_LOOKS = 5;
const PAUSE = 200; // ms, so that another server behind the same address may answer
const IDLE_LOOKS = 2;

/**
 * The answer, or with eight addresses and more the union of it and up to five further looks; the TTL is the lowest seen.
 *
 * It stops after two looks in a row that add nothing. A recursor mostly repeats one cached copy, and the other looks would
 * only show it again. Where each answer is another random eight of twelve nodes, a node is then missed in one look-up out of
 * 150 (out of 700 with all five), and whoever keeps the state wants five such misses before it removes one of eight or more.
 * The same server is asked, as it is known to answer; the zone's own servers would first have to be found, and are seldom
 * reachable from inside a VPC.
 *
 * `partial` stays what the first answer said: a union is never smaller than it, so it still counts as eight or more. An
 * answer that was cut off is not asked for again: it would be cut in the same place.
 */
export async function lookAgain(
  first: Addresses,
  budget: Budget,
  look: () => Promise<Answer>,
): Promise<Addresses> {
  if (first.partial || first.addresses.length < MAYBE_A_PART) return first;
  let known = first;
  let idle = 0;
  for (let looks = 0; looks < MORE_LOOKS && idle < IDLE_LOOKS; looks += 1) {
    if (!(await budget.pause(PAUSE))) break;
    const next = union(known, await look());
    idle = next.addresses.length > known.addresses.length ? 0 : idle + 1;
    known = next;
  }
  return known;
}

function union(known: Addresses, answer: Answer): Addresses {
  if (answer.kind !== 'addresses') return known;
  const addresses = [...new Set([...known.addresses, ...answer.addresses])];
  return { ...known, addresses, ttl: Math.min(known.ttl, answer.ttl) };
}
