// Reads a whole partition of the table, page by page.
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { PARTITION_KEY } from './keys.ts';
import type { Item, Table } from './table.ts';

/** Every item of a partition, in the order of its sort key. One request per MiB. @param what for messages, e.g. `list links` */
export async function partition(table: Table, key: string, what: string): Promise<readonly Item[]> {
  const items: Item[] = [];
  let from: Item | undefined;
  do {
    const page = await table.ask(what, (documents) =>
      documents.send(
        new QueryCommand({
          TableName: table.name,
          KeyConditionExpression: `${PARTITION_KEY} = :key`,
          ExpressionAttributeValues: { ':key': key },
          ConsistentRead: true,
          ExclusiveStartKey: from,
        }),
      ),
    );
    items.push(...(page.Items ?? []));
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
  return items;
}
