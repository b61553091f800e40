// The contract of Kubernetes API servers, on the embedded one.
import { startApiServer } from '../../sandbox/apiserver/server.ts';
import { apiServerContract } from './apiserver.contract.ts';

apiServerContract('embedded', async ({ serviceRange = '10.96.0.0/16', garbageCollector = false }) => {
  const token = 'embedded-token';
  const server = await startApiServer({
    serviceRange,
    tokens: [{ token, user: 'admin' }],
    mirroringController: true,
    garbageCollector,
  });
  return {
    url: server.url,
    token,
    capabilities: {
      compact: async () => {
        server.store.compact();
      },
    },
    close: () => server.close(),
  };
});
