// The cluster port on the embedded API server.
import { afterEach, expect, it } from 'vitest';
import { type EmbeddedApiServer, startApiServer } from '../../sandbox/apiserver/server.ts';
import { SERVICE_RANGE, clusterContract } from '../contract/cluster.contract.ts';
import { testClock } from '../support/clock.ts';
import { connect } from './connect.ts';

clusterContract(async () => {
  const server = await startApiServer({
    serviceRange: SERVICE_RANGE,
    holdTerminating: true,
    tokens: ['admin', 'nobody'].map((user) => ({ user, token: `token-of-${user}` })),
    authorize: ({ user }) => user === 'admin',
  });
  return {
    url: server.url,
    adminToken: 'token-of-admin',
    nobodyToken: 'token-of-nobody',
    stop: () => server.close(),
  };
}, connect);

let server: EmbeddedApiServer | undefined;
afterEach(() => server?.close());

it('a list begins anew when the server forgot its position', async () => {
  server = await startApiServer();
  const { store, faults } = server;
  const put = (name: string) =>
    store.put('services', { metadata: { name, namespace: 'default' }, spec: { ports: [{ port: 80 }] } });
  for (const name of ['a', 'b', 'c']) put(name);
  faults.add({
    match: ({ query }) => query.has('continue'),
    times: 1,
    action: 'pass',
    onMatch: () => {
      put('d');
      store.compact();
    },
  });
  const cluster = connect(server.url, '', { clock: testClock(), pageSize: 2 });
  const names = (await cluster.list('Service')).map(({ meta }) => meta.name);
  expect(names).toEqual(['a', 'b', 'c', 'd', 'kubernetes']);
  await cluster.close();
});
