// The stores on DynamoDB: the contracts.
import { gatewayStoreContract } from '../../contract/gateway-store.contract.ts';
import { journalContract } from '../../contract/journal.contract.ts';
import { linkStoreContract } from '../../contract/link-store.contract.ts';
import { dynamoWorlds } from './world.ts';

const openTable = dynamoWorlds();

linkStoreContract('dynamoStores', async () => {
  const { reopen, advance, plantItem } = await openTable();
  return { reopen, advance, plant: (name, item) => plantItem({ pk: 'LINKS', sk: name, ...item }) };
});

gatewayStoreContract('dynamoStores', async () => {
  const { reopen } = await openTable();
  return { reopen: () => reopen().gateways };
});

journalContract('dynamoStores', async () => {
  const { reopen } = await openTable();
  return { reopen: () => reopen().journal };
});
