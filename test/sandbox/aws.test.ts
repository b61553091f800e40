// The stand-ins of AWS: what the sandbox relies on beyond what the contracts show.
import { connect } from 'node:net';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import { sqsClient } from '../../lib/queue/client.ts';
import { sqsQueue } from '../../lib/queue/sqs.ts';
import { dynamoClient } from '../../lib/store/dynamo/client.ts';
import { startDynamoDb } from '../../sandbox/dynamodb.ts';
import { startSqs } from '../../sandbox/sqs.ts';
import { standInAccess } from '../../sandbox/stand-in.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const starts = [
  ['startDynamoDb', startDynamoDb],
  ['startSqs', startSqs],
] as const;

/** Addresses of this computer that others can reach. */
const outsideAddresses = (): readonly string[] =>
  Object.values(networkInterfaces()).flatMap((rows = []) =>
    rows.filter(({ internal, family }) => !internal && family === 'IPv4').map(({ address }) => address),
  );

async function answers(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

describe.each(starts)('%s', (_, start) => {
  it('listens on loopback only', async () => {
    const { port, endpoint, close } = await start();
    closing.push(close);
    expect(endpoint).toBe(`http://127.0.0.1:${port}`);
    expect(await answers('127.0.0.1', port)).toBe(true);
    for (const host of outsideAddresses()) expect(await answers(host, port)).toBe(false);
  });

  it('names the port that is taken', async () => {
    const { port, close } = await start();
    closing.push(close);
    await expect(start({ port })).rejects.toThrow(String(port));
  });

  it('frees its port when it is closed, with clients connected, and can be closed twice', async () => {
    const { port, close } = await start();
    const socket = connect({ host: '127.0.0.1', port });
    socket.on('error', () => {});
    await once(socket, 'connect');
    await close();
    await close();
    expect(await answers('127.0.0.1', port)).toBe(false);
    const again = await start({ port });
    closing.push(again.close);
    expect(again.port).toBe(port);
  });
});

describe('startDynamoDb', () => {
  it('has its tables from the beginning, keyed as the stores want them', async () => {
    const { endpoint, close } = await startDynamoDb({ tables: ['state'] });
    const client = dynamoClient(standInAccess(endpoint));
    closing.push(close, () => client.destroy());
    const { Table } = await client.send(new DescribeTableCommand({ TableName: 'state' }));
    expect(Table?.TableStatus).toBe('ACTIVE');
    expect(Table?.KeySchema).toStrictEqual([
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ]);
  });
});

describe('startSqs', () => {
  it('moves a message that was received too often to the dead letters', async () => {
    const { endpoint, look, close } = await startSqs({
      queues: [
        { name: 'dead' },
        { name: 'work', visibilityTimeout: 0, deadLetters: { queue: 'dead', maxReceiveCount: 2 } },
      ],
    });
    const client = sqsClient(standInAccess(endpoint));
    closing.push(close, () => client.destroy());
    const queueUrl = `${endpoint}/000000000000/work`;
    await sqsQueue({ client, queueUrl, clock: { now: Date.now, sleep: async () => {} } }).send([
      { body: 'west' },
    ]);
    const receive = async () =>
      (await client.send(new ReceiveMessageCommand({ QueueUrl: queueUrl }))).Messages ?? [];
    expect(await receive()).toHaveLength(1);
    expect(await look('work')).toStrictEqual([{ body: '"west"', delaySeconds: 0 }]);
    expect(await receive()).toHaveLength(1);
    expect(await receive()).toHaveLength(0);
    expect(await look('work')).toStrictEqual([]);
    expect(await look('dead')).toStrictEqual([{ body: '"west"', delaySeconds: 0 }]);
  });

  it('says so when it is asked for a queue that it does not have', async () => {
    const { look, close } = await startSqs();
    closing.push(close);
    await expect(look('absent')).rejects.toThrow('absent');
  });
});
