// The scripted DNS server, where its answers come from copies as a recursor's do, and its life cycle.
import { afterEach, describe, expect, it } from 'vitest';
import { dnsResolver } from '../../../lib/dns/resolver.ts';
import type { Answer } from '../../../lib/ports.ts';
import { startDnsServer } from '../../../sandbox/dns/server.ts';
import type { DnsServer, DnsServerOptions } from '../../../sandbox/dns/server.ts';
import { realClock } from '../../dns/clocks.ts';

const NAME = 'gateway.example.test';
const servers: DnsServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function aServer(options: DnsServerOptions = {}): Promise<DnsServer> {
  const server = await startDnsServer(options);
  servers.push(server);
  return server;
}

/** A server with a cache, and its time in seconds. */
async function aRecursor(): Promise<{
  readonly server: DnsServer;
  readonly wait: (seconds: number) => void;
}> {
  let now = 1_000_000;
  const server = await aServer({ cached: true, now: () => now });
  return { server, wait: (seconds) => (now += seconds * 1000) };
}

const ask = (server: DnsServer, name = NAME): Promise<Answer> =>
  dnsResolver({ servers: [server.address], clock: realClock }).resolve(name, 'IPv4');

const addresses = (ttl: number, ...ips: readonly string[]): Answer => ({
  kind: 'addresses',
  addresses: ips,
  ttl,
  partial: false,
});

describe('a server with a cache', () => {
  it('counts a copy down and takes a new one when it has run out', async () => {
    const { server, wait } = await aRecursor();
    server.set(NAME, { a: ['192.0.2.1'], ttl: 60 });
    expect(await ask(server)).toEqual(addresses(60, '192.0.2.1'));
    server.set(NAME, { a: ['192.0.2.2'], ttl: 60 });
    wait(37);
    expect(await ask(server)).toEqual(addresses(23, '192.0.2.1'));
    wait(22.9);
    expect(await ask(server)).toEqual(addresses(1, '192.0.2.1'));
    wait(0.1);
    expect(await ask(server)).toEqual(addresses(60, '192.0.2.2'));
  });

  it('keeps the parts of a chain for their own time', async () => {
    const { server, wait } = await aRecursor();
    server.set(NAME, { cname: 'lb.example.test', ttl: 20 });
    server.set('lb.example.test', { a: ['192.0.2.1'], ttl: 60 });
    expect(await ask(server)).toEqual(addresses(20, '192.0.2.1'));
    server.set('lb.example.test', { a: ['192.0.2.2'], ttl: 60 });
    wait(45);
    expect(await ask(server)).toEqual(addresses(15, '192.0.2.1'));
    wait(15);
    expect(await ask(server)).toEqual(addresses(5, '192.0.2.2'));
  });

  it('remembers "does not exist" as long as the SOA says', async () => {
    const { server, wait } = await aRecursor();
    server.set(NAME, { rcode: 'NXDOMAIN', soa: { ttl: 900, minimum: 30 } });
    expect(await ask(server)).toEqual({ kind: 'nothing', why: 'NXDOMAIN', negativeTtl: 30 });
    server.set(NAME, { a: ['192.0.2.1'] });
    wait(20);
    expect(await ask(server)).toEqual({ kind: 'nothing', why: 'NXDOMAIN', negativeTtl: 10 });
    wait(10);
    expect(await ask(server)).toEqual(addresses(60, '192.0.2.1'));
  });

  it('does not remember "does not exist" without an SOA', async () => {
    const { server } = await aRecursor();
    expect(await ask(server)).toEqual({ kind: 'nothing', why: 'NXDOMAIN' });
    server.set(NAME, { a: ['192.0.2.1'] });
    expect(await ask(server)).toEqual(addresses(60, '192.0.2.1'));
  });

  it('gives one part of a rotating set until the copy has run out', async () => {
    const { server, wait } = await aRecursor();
    server.set(NAME, { a: ['192.0.2.1', '192.0.2.2', '192.0.2.3'], rotate: 2, ttl: 10 });
    expect(await ask(server)).toEqual(addresses(10, '192.0.2.1', '192.0.2.2'));
    wait(5);
    expect(await ask(server)).toEqual(addresses(5, '192.0.2.1', '192.0.2.2'));
    wait(5);
    expect(await ask(server)).toEqual(addresses(10, '192.0.2.3', '192.0.2.1'));
  });

  it('has trouble at once, whatever it has kept', async () => {
    const { server } = await aRecursor();
    server.set(NAME, { a: ['192.0.2.1'] });
    await ask(server);
    server.set(NAME, { a: ['192.0.2.1'], behaviour: 'malformed' });
    expect(await ask(server)).toEqual({ kind: 'unknown', why: 'malformed' });
  });
});

describe('a server without a cache', () => {
  it('follows every change at once', async () => {
    const server = await aServer();
    server.set(NAME, { a: ['192.0.2.1'], ttl: 3600 });
    expect(await ask(server)).toEqual(addresses(3600, '192.0.2.1'));
    server.set(NAME, { a: ['192.0.2.2'], ttl: 3600 });
    expect(await ask(server)).toEqual(addresses(3600, '192.0.2.2'));
    server.remove(NAME);
    expect(await ask(server)).toEqual({ kind: 'nothing', why: 'NXDOMAIN' });
    server.set('*', { a: ['192.0.2.3'] });
    expect(await ask(server)).toEqual(addresses(60, '192.0.2.3'));
  });

  it('logs what it is asked', async () => {
    const server = await aServer({ now: () => 5000 });
    server.set('gateway.example.test', { a: ['192.0.2.1'], behaviour: 'truncate' });
    await ask(server, 'Gateway.example.test');
    expect(server.queries).toMatchObject([
      { time: 5000, name: NAME, type: 'A', transport: 'udp', edns: true },
      { time: 5000, name: NAME, type: 'A', transport: 'tcp', edns: true },
    ]);
  });

  it('answers late where it is told to', async () => {
    const server = await aServer();
    server.set(NAME, { a: ['192.0.2.1'], delayMs: 20 });
    expect(await ask(server)).toEqual(addresses(60, '192.0.2.1'));
  });
});

describe('closing', () => {
  it('frees the port, and may be done twice', async () => {
    const server = await aServer();
    await server.close();
    await server.close();
    const next = await aServer({ port: server.port });
    expect(next.port).toBe(server.port);
  });

  it('a taken port is an error', async () => {
    const server = await aServer();
    await expect(startDnsServer({ port: server.port })).rejects.toThrow('EADDRINUSE');
  });

  it('ends connections and answers that are still to come', async () => {
    const server = await aServer();
    server.set(NAME, { a: ['192.0.2.1'], behaviour: 'truncate', tcp: 'silent' });
    server.set('late.example.test', { a: ['192.0.2.1'], delayMs: 60_000 });
    const pending = [ask(server), ask(server, 'late.example.test')];
    while (server.queries.length < 3) await realClock.sleep(1);
    await server.close();
    expect((await Promise.all(pending)).map(({ kind }) => kind)).toEqual(['unknown', 'unknown']);
  });
});
