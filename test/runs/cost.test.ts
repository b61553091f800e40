// What a minute in which nothing happens costs: requests to DynamoDB and SQS, counted at the adapters.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ReconcileMessage } from '../../lib/model/messages.ts';
import { sqsClient } from '../../lib/queue/client.ts';
import { sqsQueue, type SqsQueue } from '../../lib/queue/sqs.ts';
import { tick } from '../../lib/runs/tick.ts';
import { workOn } from '../../lib/runs/work.ts';
import { dynamoClient } from '../../lib/store/dynamo/client.ts';
import { type DynamoStores, dynamoStores } from '../../lib/store/dynamo/stores.ts';
import { type DynamoDb, startDynamoDb } from '../../sandbox/dynamodb.ts';
import { type Sqs, startSqs } from '../../sandbox/sqs.ts';
import { standInAccess } from '../../sandbox/stand-in.ts';
import { aService, aSlice, GATEWAY_HOST } from '../support/builders.ts';
import { linkOf } from '../support/lab.ts';
import { openRunLab, type RunLab } from '../support/run-lab.ts';

let lab: RunLab;
let dynamo: DynamoDb;
let sqs: Sqs;
let stores: DynamoStores; // links and journal
let gatewayStores: DynamoStores; // DNS state, counted apart
let work: SqsQueue<ReconcileMessage>;

beforeAll(async () => {
  [lab, dynamo, sqs] = await Promise.all([openRunLab(), startDynamoDb({ tables: ['state'] }), startSqs()]);
  const { clock } = lab;
  const open = () =>
    dynamoStores({ client: dynamoClient(standInAccess(dynamo.endpoint)), table: 'state', clock });
  [stores, gatewayStores] = [open(), open()];
  const queueUrl = await sqs.createQueue({ name: 'work' });
  work = sqsQueue({ client: sqsClient(standInAccess(sqs.endpoint)), queueUrl, clock });
  lab.dns.set(GATEWAY_HOST, ['203.0.113.10']);
  await lab.target.create('Service', aService());
  await lab.target.create('EndpointSlice', aSlice());
});
afterAll(async () => {
  await Promise.all([lab.close(), dynamo.close(), sqs.close()]);
});

const minute = async (): Promise<void> => {
  const { links, journal } = stores;
  const { gateways, names } = gatewayStores;
  const world = { ...lab.world, links, journal, gateways, names, work };
  const { sent } = await tick(world);
  for (const link of sent) await workOn(world, { link, hop: 0 }, lab.clock.now() + 60_000);
};

it.each([1, 5])(
  'an unchanged minute of %i links: at most 2 DynamoDB requests and 1 SQS request per link',
  async (count) => {
    for (let index = 0; index < count; index += 1)
      await stores.links.put(linkOf({ name: `west-${count}-${index}` }), 0);
    const all = (await stores.links.list()).links.length;
    await minute();
    await minute();
    const [dynamoBefore, sqsBefore, gatewayBefore] = [
      stores.requests(),
      work.requests(),
      gatewayStores.requests(),
    ];
    await minute();
    expect(stores.requests() - dynamoBefore).toBe(1 + all); // one list, one read of each
    expect(stores.requests() - dynamoBefore).toBeLessThanOrEqual(2 * all);
    expect(work.requests() - sqsBefore).toBe(1);
    expect(gatewayStores.requests() - gatewayBefore).toBe(1 + 2 * all); // all names once; the state and the name of each
  },
);
