// What a test or the sandbox can ask of the scripted DNS server for one name.

/** Start-of-authority figures, both in seconds: how long "there is nothing" may be remembered is the lower one. */
export interface Soa {
  readonly ttl: number;
  readonly minimum: number;
}

/** Response codes that a rule may ask for; without one it is NOERROR. */
export const RCODES = { FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 } as const;
export type Rcode = keyof typeof RCODES;

export type Behaviour =
  | 'silent' // never answers
  | 'formerrOnEdns' // FORMERR to a query with EDNS, the answer to one without
  | 'notimpOnEdns' // the same with NOTIMP
  | 'badversOnEdns' // the same with BADVERS, a code that is partly in the EDNS record
  | 'malformed' // a header that promises more than follows
  | 'truncate' // over UDP: the truncation bit and no record
  | 'truncateKeepingRecords' // over UDP: the truncation bit and the first half of the records
  | 'wrongId' // the answer to a query that nobody sent
  | 'wrongQuestion' // the same, told by its question
  | 'referral'; // no record, and the names of other servers

/**
 * How one name is answered. An alias goes before addresses and rcode; without any of them the name exists and has nothing
 * (NODATA).
 */
export interface NameRule {
  readonly a?: readonly string[];
  readonly aaaa?: readonly string[];
  readonly cname?: string;
  readonly ttl?: number; // of all its records, seconds; default 60
  readonly rcode?: Rcode;
  readonly soa?: Soa; // sent along with NXDOMAIN and NODATA; default none
  readonly rotate?: number; // so many addresses in each answer, the next one going on where this one ended
  readonly foreign?: readonly string[]; // addresses that the answer holds under the name foreign.invalid
  readonly behaviour?: Behaviour;
  readonly ahead?: 'wrongId' | 'wrongQuestion'; // such a packet is sent before the true answer
  readonly tcp?: 'refuse' | 'close' | 'silent'; // over TCP: the connection is reset, ended, or left without an answer
  readonly delayMs?: number; // real time
}
