// A DynamoDB stand-in for the tests of one file: a table for each test, and a clock that the answers say.
import { DynamoDBDocumentClient, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll } from 'vitest';
import { startDynamoDb, type DynamoDb } from '../../../sandbox/dynamodb.ts';
import { standInAccess } from '../../../sandbox/stand-in.ts';
import { dynamoClient } from '../../../lib/store/dynamo/client.ts';
import { dynamoStores, type DynamoStores } from '../../../lib/store/dynamo/stores.ts';
import type { Clock } from '../../../lib/ports.ts';
import { JOURNAL_DAYS } from '../../contract/journal.contract.ts';

type Item = Readonly<Record<string, unknown>>;

export interface DynamoWorld {
  readonly table: string;
  /** The stores of another function, with a client of its own. @param clock its local clock; default: the server's */
  readonly reopen: (clock?: Clock) => DynamoStores;
  /** Moves the server's clock. The SDK sends requests again once it is 4 minutes off, so stay below. */
  readonly advance: (seconds: number) => void;
  readonly now: () => number;
  /** Stops the server's clock. */
  readonly stopAt: (ms: number) => void;
  readonly plantItem: (item: Item) => Promise<void>;
  /** Everything in the table. */
  readonly allItems: () => Promise<readonly Item[]>;
}

/** Call at the top of a test file: gives a function that opens an empty table. */
export function dynamoWorlds(): () => Promise<DynamoWorld> {
  let server: DynamoDb | undefined;
  let ahead = 0; // ms
  let stopped: number | undefined;
  const clients: DynamoDBClient[] = [];
  const now = (): number => stopped ?? Date.now() + ahead;
  beforeAll(async () => {
    server = await startDynamoDb({ now });
  });
  afterAll(async () => {
    for (const client of clients) client.destroy();
    await server?.close();
  });

  let tables = 0;
  return async () => {
    if (server === undefined) throw new Error('the server is started before the first test');
    ahead = 0;
    stopped = undefined;
    tables += 1;
    const table = `state-${tables}`;
    await server.createTable(table);
    const { endpoint } = server;
    const newClient = (): DynamoDBClient => {
      const client = dynamoClient(standInAccess(endpoint));
      clients.push(client);
      return client;
    };
    return {
      table,
      now,
      stopAt: (ms) => {
        stopped = ms;
      },
      reopen: (clock = { now, sleep: async () => {} }) =>
        dynamoStores({ client: newClient(), table, clock, journalDays: JOURNAL_DAYS }),
      advance: (seconds) => {
        ahead += seconds * 1000;
      },
      plantItem: async (item) => {
        await DynamoDBDocumentClient.from(newClient()).send(new PutCommand({ TableName: table, Item: item }));
      },
      allItems: async () => {
        const scan = new ScanCommand({ TableName: table });
        const { Items = [] } = await DynamoDBDocumentClient.from(newClient()).send(scan);
        return Items;
      },
    };
  };
}
