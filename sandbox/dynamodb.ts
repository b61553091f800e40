// DynamoDB on this computer: dynalite in memory, on loopback, with the table as serverless.yml declares it.
import { CreateTableCommand, DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { PARTITION_KEY, SORT_KEY } from '../lib/store/dynamo/keys.ts';
import { standInAccess } from './stand-in.ts';

export interface DynamoDbOptions {
  readonly port?: number; // default: a free one
  /** Tables to begin with. */
  readonly tables?: readonly string[];
  /** ms since the epoch; what the Date of its answers says. Default: the real time. */
  readonly now?: () => number;
}

export interface DynamoDb {
  /** `http://127.0.0.1:PORT` */
  readonly endpoint: string;
  readonly port: number;
  /** Resolves when the table can be used. */
  readonly createTable: (name: string) => Promise<void>;
  /** Ends every connection; resolves when the port is free. May be called again. */
  readonly close: () => Promise<void>;
}

/** Rejects when the port is taken, naming it. */
export async function startDynamoDb({ port = 0, tables = [], now }: DynamoDbOptions = {}): Promise<DynamoDb> {
  const server = dynalite({ createTableMs: 0 });
  if (now !== undefined) sayTime(server, now);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const chosen = portOf(server);
  const endpoint = `http://127.0.0.1:${chosen}`;
  const createTable = (name: string): Promise<void> => makeTable(endpoint, name);
  let closing: Promise<void> | undefined;
  for (const table of tables) await createTable(table);
  return { endpoint, port: chosen, createTable, close: () => (closing ??= stop(server)) };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('dynalite has no port');
  return address.port;
}

/** Node writes the Date of an answer only when nobody else did. */
function sayTime(server: Server, now: () => number): void {
  server.prependListener('request', (_request, response) => {
    response.setHeader('Date', new Date(now()).toUTCString());
  });
}

async function makeTable(endpoint: string, name: string): Promise<void> {
  const client = new DynamoDBClient(standInAccess(endpoint));
  try {
    await client.send(
      new CreateTableCommand({
        TableName: name,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [
          { AttributeName: PARTITION_KEY, AttributeType: 'S' },
          { AttributeName: SORT_KEY, AttributeType: 'S' },
        ],
        KeySchema: [
          { AttributeName: PARTITION_KEY, KeyType: 'HASH' },
          { AttributeName: SORT_KEY, KeyType: 'RANGE' },
        ],
      }),
    );
    while (!(await isActive(client, name))); // at the next turn of dynalite's event loop
  } finally {
    client.destroy();
  }
}

async function isActive(client: DynamoDBClient, name: string): Promise<boolean> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
  return Table?.TableStatus === 'ACTIVE';
}

async function stop(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve, reject) => {
    server.close((error) => (error === undefined || error === null ? resolve() : reject(error)));
  });
  server.closeAllConnections();
  await closed;
}
