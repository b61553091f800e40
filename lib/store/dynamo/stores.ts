// All that a deployment remembers, in one DynamoDB table.
import { JOURNAL_DAYS, type Stores } from '../stores.ts';
import { dynamoGateways } from './gateways.ts';
import { dynamoJournal } from './journal.ts';
import { dynamoLinks } from './links.ts';
import { dynamoNames } from './names.ts';
import { openTable, type TableOptions } from './table.ts';

export interface DynamoStoresOptions extends TableOptions {
  readonly journalDays?: number; // how long a journal line is kept
  /** Which DNS servers names are asked at, as one word; default: those of the system. */
  readonly resolvers?: string;
}

export interface DynamoStores extends Stores {
  /** How many requests were sent so far, those that were sent again included. */
  requests(): number;
}

/**
 * The stores on a table with the keys of keys.ts. Methods throw StateError for whatever DynamoDB does not answer: a failed read is
 * never "not stored".
 */
export function dynamoStores({
  journalDays = JOURNAL_DAYS,
  resolvers = 'system',
  ...options
}: DynamoStoresOptions): DynamoStores {
  const table = openTable(options);
  return {
    links: dynamoLinks(table),
    gateways: dynamoGateways(table),
    names: dynamoNames(table, resolvers),
    journal: dynamoJournal(table, journalDays),
    requests: () => table.requests(),
  };
}
