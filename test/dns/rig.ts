// Scripted servers and resolvers for the tests of dnsResolver.
import { dnsResolver } from '../../lib/dns/resolver.ts';
import type { Answer, Resolver } from '../../lib/ports.ts';
import { startDnsServer } from '../../sandbox/dns/server.ts';
import type { DnsServer, DnsServerOptions, NameRule } from '../../sandbox/dns/server.ts';
import { clockSkipping } from './clocks.ts';

export const NAME = 'gateway.example.test';
export const PAUSES = 300; // ms: the pauses between attempts and looks
export const SOON = 150; // ms: a time limit for servers that never answer

const servers: DnsServer[] = [];

/** Closes all that aServer started; for afterEach. */
export async function closeServers(): Promise<void> {
  await Promise.all(servers.splice(0).map((server) => server.close()));
}

/** A server that answers NAME by this rule; it lives until closeServers. */
export async function aServer(rule: NameRule, options: DnsServerOptions = {}): Promise<DnsServer> {
  const server = await startDnsServer(options);
  servers.push(server);
  server.set(NAME, rule);
  return server;
}

/** Pauses between attempts take no time. */
export const asking = (...asked: readonly DnsServer[]): Resolver =>
  dnsResolver({ servers: asked.map(({ address }) => address), clock: clockSkipping(PAUSES) });

/** For servers that leave a query without an answer. */
export const askingBriefly = (...asked: readonly DnsServer[]): Resolver =>
  dnsResolver({
    servers: asked.map(({ address }) => address),
    timeoutMs: SOON,
    clock: clockSkipping(SOON - 1),
  });

/** What the server was asked, without the names. */
export const asked = (server: DnsServer): readonly string[] =>
  server.queries.map(({ transport, edns }) => `${transport}${edns ? ' edns' : ''}`);

export const answerOf = (addresses: readonly string[], ttl = 60): Answer => ({
  kind: 'addresses',
  addresses,
  ttl,
  partial: false,
});

export const GOOD: NameRule = { a: ['192.0.2.1'] };
export const GOOD_ANSWER = answerOf(['192.0.2.1']);
