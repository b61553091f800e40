// The journal in DynamoDB: one item per line, in the order of time, deleted by the table's TTL.
import { BatchWriteCommand, QueryCommand, type BatchWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { StateError } from '../../errors.ts';
import type { JournalEntry } from '../../model/journal.ts';
import type { Journal } from '../../ports.ts';
import { storedLine } from '../journal-line.ts';
import { EXPIRY, journalKey, journalOf } from './keys.ts';
import type { Item, Table } from './table.ts';

/** Of BatchWriteItem (API reference of DynamoDB). */
const LARGEST_BATCH = 25;

/** How often a batch is sent before what DynamoDB left over of it is given up, and the first pause, ms; each next one is twice as long. */
const ATTEMPTS = 4;
const FIRST_PAUSE = 100;

const SECONDS_PER_DAY = 86_400;

type Put = NonNullable<NonNullable<BatchWriteCommandInput['RequestItems']>[string]>[number];

/** Requests: `append` 1 per 25 entries (more when DynamoDB leaves some over), `recent` 1 as a rule. */
export function dynamoJournal(table: Table, days: number): Journal {
  let lines = 0; // written by this process; tells lines of one run and millisecond apart
  const putOf = (entry: JournalEntry): Put => {
    lines += 1;
    const expiry = Math.floor(entry.at / 1000) + days * SECONDS_PER_DAY;
    return { PutRequest: { Item: { ...journalKey(entry, lines), schema: 1, ...entry, [EXPIRY]: expiry } } };
  };
  return {
    async append(entries) {
      const puts = entries.map(putOf);
      for (let start = 0; start < puts.length; start += LARGEST_BATCH) {
        await write(table, puts.slice(start, start + LARGEST_BATCH));
      }
    },

    async recent(link, limit) {
      const entries: JournalEntry[] = [];
      let from: Item | undefined;
      while (entries.length < limit) {
        const page = await newest(table, { link, from, limit: limit - entries.length });
        const live = page.items.filter((item) => !isExpired(item, table.now()));
        entries.push(...live.flatMap((item) => storedLine(item) ?? []));
        from = page.next;
        // Older lines expired earlier; there may be many that DynamoDB has not deleted yet.
        if (from === undefined || live.length < page.items.length) break;
      }
      return entries;
    },
  };
}

const isExpired = (item: Item, now: number): boolean => !(Number(item[EXPIRY]) * 1000 > now);

async function write(table: Table, puts: readonly Put[]): Promise<void> {
  let left = puts;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    if (attempt > 1) await table.clock.sleep(FIRST_PAUSE * 2 ** (attempt - 2));
    const { UnprocessedItems } = await table.ask('write the journal', (documents) =>
      documents.send(new BatchWriteCommand({ RequestItems: { [table.name]: [...left] } })),
    );
    left = UnprocessedItems?.[table.name] ?? [];
    if (left.length === 0) return;
  }
  const share = `${left.length} of ${puts.length} lines`;
  throw new StateError(
    `table ${table.name}: cannot write the journal: ${share} were left over after ${ATTEMPTS} attempts`,
  );
}

interface Position {
  readonly link: string;
  readonly from: Item | undefined;
  readonly limit: number;
}

/** A page of lines, newest first. Not consistent: half the price, and nothing is decided by the journal. */
async function newest(
  table: Table,
  { link, from, limit }: Position,
): Promise<{ readonly items: readonly Item[]; readonly next: Item | undefined }> {
  const { Items: items = [], LastEvaluatedKey: next } = await table.ask(
    `read the journal of link ${link}`,
    (documents) =>
      documents.send(
        new QueryCommand({
          TableName: table.name,
          KeyConditionExpression: 'pk = :journal',
          ExpressionAttributeValues: { ':journal': journalOf(link) },
          ScanIndexForward: false,
          ExclusiveStartKey: from,
          Limit: limit,
        }),
      ),
  );
  return { items, next };
}
