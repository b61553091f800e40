// The store that forgets with the process.
import { memoryStore } from '../../lib/store/memory.ts';
import { gatewayStoreContract } from '../contract/gateway-store.contract.ts';

gatewayStoreContract('memoryStore', async () => {
  const store = memoryStore();
  return { reopen: () => store };
});
