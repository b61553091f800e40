// Every access pattern of the one table; nobody else builds a key.
//
//   what            pk               sk                          written by              read by
//   ──────────────  ───────────────  ──────────────────────────  ──────────────────────  ─────────────────────────
//   a link          LINKS            <name>                      put, end, saveRun,      get (one item), list
//     document, version, ending, lastRun,                        claim, release,         (one Query of the partition)
//     leaseHolder, leaseUntil, fence                             remove
//   gateway state   GATEWAY#<link>   STATE                       save, remove            load (one item)
//     version, state
//   a DNS name      NAMES#<resolvers>  <family>#<hostname>      save, claim, remove     get (one item), list
//     version, nextCheckAt, record,                                                      (one Query of the partition)
//     links, quiet
//   a journal line  JOURNAL#<link>   <ISO time>#<run>#<number>   append                  recent (one Query, newest
//     the line, expiresAt                                                                first)
//
// Every item carries `schema`. `expiresAt` (seconds since the epoch) is the table's TTL attribute and stands on journal lines only:
// DynamoDB deletes what it names, late, so readers look at it too. The lease is part of the link's item, so that whoever claims a
// link proves with the same write that the link is still stored.

export const PARTITION_KEY = 'pk';
export const SORT_KEY = 'sk';
export const EXPIRY = 'expiresAt';

export interface Key {
  readonly [PARTITION_KEY]: string;
  readonly [SORT_KEY]: string;
}

export const LINKS = 'LINKS';
export const linkKey = (name: string): Key => ({ pk: LINKS, sk: name });

export const gatewayKey = (link: string): Key => ({ pk: `GATEWAY#${link}`, sk: 'STATE' });

/** @param resolvers which DNS servers are asked: their answers may differ */
export const namesOf = (resolvers: string): string => `NAMES#${resolvers}`;

export const nameKey = (resolvers: string, hostname: string, family: string): Key => ({
  pk: namesOf(resolvers),
  sk: `${family}#${hostname}`,
});

export const journalOf = (link: string): string => `JOURNAL#${link}`;

interface JournalPlace {
  readonly link: string;
  readonly at: number; // ms since the epoch
  readonly runId: string;
}

/** @param number tells lines of one run and millisecond apart, and keeps them in order */
export const journalKey = ({ link, at, runId }: JournalPlace, number: number): Key => ({
  pk: journalOf(link),
  sk: `${new Date(at).toISOString()}#${runId}#${String(number).padStart(8, '0')}`,
});
