// The stores on DynamoDB: the contracts.
import { gatewayStoreContract } from '../../contract/gateway-store.contract.ts';
import { journalContract } from '../../contract/journal.contract.ts';
import { linkLeaseContract } from '../../contract/link-lease.contract.ts';
import { linkStoreContract } from '../../contract/link-store.contract.ts';
import type { LinkWorld } from '../../contract/link-world.ts';
import { nameStoreContract } from '../../contract/name-store.contract.ts';
import { dynamoWorlds } from './world.ts';

const openTable = dynamoWorlds();

const openLinks = async (): Promise<LinkWorld> => {
  const { reopen, advance, plantItem } = await openTable();
  return { reopen, advance, plant: (name, item) => plantItem({ pk: 'LINKS', sk: name, ...item }) };
};

linkStoreContract('dynamoStores', openLinks);
linkLeaseContract('dynamoStores', openLinks);

gatewayStoreContract('dynamoStores', async () => {
  const { reopen } = await openTable();
  return { reopen: () => reopen().gateways };
});

journalContract('dynamoStores', async () => {
  const { reopen } = await openTable();
  return { reopen: () => reopen().journal };
});

nameStoreContract('dynamoStores', async () => {
  const { reopen } = await openTable();
  return { store: reopen().names, other: reopen().names };
});
