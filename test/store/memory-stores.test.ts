// The stores that forget with the process.
import { memoryStores } from '../../lib/store/memory-stores.ts';
import type { MemoryLinks } from '../../lib/store/memory-links.ts';
import { gatewayStoreContract } from '../contract/gateway-store.contract.ts';
import { JOURNAL_DAYS, journalContract } from '../contract/journal.contract.ts';
import { linkLeaseContract } from '../contract/link-lease.contract.ts';
import { linkStoreContract } from '../contract/link-store.contract.ts';
import type { LinkWorld } from '../contract/link-world.ts';
import { nameStoreContract } from '../contract/name-store.contract.ts';
import { testClock } from '../support/clock.ts';

const openLinks = async (): Promise<LinkWorld> => {
  const clock = testClock();
  const rows: MemoryLinks = new Map();
  const stores = memoryStores({ clock, rows });
  return {
    reopen: () => stores,
    advance: (seconds) => clock.advance(seconds),
    plant: async (name, item) => {
      rows.set(name, { item, fence: 0 });
    },
  };
};

linkStoreContract('memoryStores', openLinks);
linkLeaseContract('memoryStores', openLinks);

gatewayStoreContract('memoryStores', async () => {
  const { gateways } = memoryStores({ clock: testClock() });
  return { reopen: () => gateways };
});

journalContract('memoryStores', async () => {
  const { journal } = memoryStores({ clock: testClock(), journalDays: JOURNAL_DAYS });
  return { reopen: () => journal };
});

nameStoreContract('memoryStores', async () => {
  const { names } = memoryStores({ clock: testClock() });
  return { store: names, other: names };
});
