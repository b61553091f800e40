// No socket outlives its exchange.
import { afterEach, expect, it } from 'vitest';
import type { NameRule } from '../../sandbox/dns/server.ts';
import { aServer, askingBriefly, closeServers, GOOD, NAME } from './rig.ts';

afterEach(closeServers);

const openSockets = (): number =>
  process.getActiveResourcesInfo().filter((kind) => /^(UDP|TCPSocket)/.test(kind)).length;

const socketsBecome = (count: number): Promise<void> =>
  expect.poll(openSockets, { timeout: 5000 }).toBe(count);

it.each<[string, NameRule, string]>([
  ['an answer', GOOD, 'addresses'],
  ['silence', { behaviour: 'silent' }, 'unknown'],
  ['an answer over TCP', { ...GOOD, behaviour: 'truncate' }, 'addresses'],
  ['silence over TCP', { behaviour: 'truncate', tcp: 'silent' }, 'unknown'],
])('none stays open after %s', async (_, rule, kind) => {
  const server = await aServer(rule);
  await socketsBecome(1); // the server's own
  expect((await askingBriefly(server).resolve(NAME, 'IPv4')).kind).toBe(kind);
  await socketsBecome(1);
  await closeServers();
  await socketsBecome(0);
});
