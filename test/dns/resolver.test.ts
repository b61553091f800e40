// dnsResolver against the scripted server: the contract, and every kind of trouble that the server can make.
import dns from 'node:dns';
import { afterEach, describe, expect, it } from 'vitest';
import { dnsResolver } from '../../lib/dns/resolver.ts';
import type { Answer, Resolver } from '../../lib/ports.ts';
import { startDnsServer } from '../../sandbox/dns/server.ts';
import type { DnsServer, DnsServerOptions, NameRule } from '../../sandbox/dns/server.ts';
import { resolverContract } from '../contract/resolver.contract.ts';
import type { ZoneName } from '../contract/resolver.contract.ts';
import { clockSkipping, hurriedClock, realClock } from './clocks.ts';

const NAME = 'gateway.example.test';
const PAUSES = 300; // ms: the pauses between attempts and looks
const SOON = 150; // ms: a time limit for servers that never answer

resolverContract('dnsResolver and the scripted server', async () => {
  const server = await startDnsServer();
  let published: readonly ZoneName[] = [];
  return {
    resolver: dnsResolver({ servers: [server.address], clock: clockSkipping(PAUSES) }),
    async publish(names, negativeTtl) {
      const soa = { ttl: 600, minimum: negativeTtl };
      for (const { name } of published) server.remove(name);
      for (const { name, ...rule } of names) server.set(name, { ...rule, soa });
      server.set('*', { rcode: 'NXDOMAIN', soa });
      published = names;
    },
    close: () => server.close(),
  };
});

const servers: DnsServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function aServer(rule: NameRule, options: DnsServerOptions = {}): Promise<DnsServer> {
  const server = await startDnsServer(options);
  servers.push(server);
  server.set(NAME, rule);
  return server;
}

const asking = (...asked: readonly DnsServer[]): Resolver =>
  dnsResolver({ servers: asked.map(({ address }) => address), clock: clockSkipping(PAUSES) });

/** For servers that leave a query without an answer. */
const askingBriefly = (...asked: readonly DnsServer[]): Resolver =>
  dnsResolver({
    servers: asked.map(({ address }) => address),
    timeoutMs: SOON,
    clock: clockSkipping(SOON - 1),
  });

const asked = (server: DnsServer): readonly string[] =>
  server.queries.map(({ transport, edns }) => `${transport}${edns ? ' edns' : ''}`);

const answerOf = (addresses: readonly string[], ttl = 60): Answer => ({
  kind: 'addresses',
  addresses,
  ttl,
  partial: false,
});
const GOOD: NameRule = { a: ['192.0.2.1'] };
const GOOD_ANSWER = answerOf(['192.0.2.1']);

describe('the second server is asked when the first', () => {
  it.each<[string, NameRule]>([
    ['A8: fails (SERVFAIL)', { rcode: 'SERVFAIL' }],
    ['refuses (REFUSED)', { rcode: 'REFUSED' }],
    ['cannot (NOTIMP)', { rcode: 'NOTIMP' }],
    ['does not understand (FORMERR)', { rcode: 'FORMERR' }],
    ['sends what is no packet', { behaviour: 'malformed' }],
    ['names other servers', { behaviour: 'referral' }],
    ['sends aliases in a circle', { cname: NAME }],
  ])('%s', async (_, rule) => {
    const [first, second] = [await aServer(rule), await aServer(GOOD)];
    expect(await asking(first, second).resolve(NAME, 'IPv4')).toEqual(GOOD_ANSWER);
    expect(first.queries.length).toBeGreaterThan(0);
    expect(asked(second)).toEqual(['udp edns']);
  });

  it.each<[string, NameRule]>([
    ['A13: says nothing', { behaviour: 'silent' }],
    ['answers another query', { a: ['192.0.2.66'], behaviour: 'wrongId' }],
    ['answers another question', { a: ['192.0.2.66'], behaviour: 'wrongQuestion' }],
  ])('%s', async (_, rule) => {
    const [first, second] = [await aServer(rule), await aServer(GOOD)];
    expect(await askingBriefly(first, second).resolve(NAME, 'IPv4')).toEqual(GOOD_ANSWER);
    expect(first.queries.length).toBeGreaterThan(0);
  });

  it('is not there', async () => {
    const [first, second] = [await aServer(GOOD), await aServer(GOOD)];
    await first.close();
    expect(await asking(first, second).resolve(NAME, 'IPv4')).toEqual(GOOD_ANSWER);
    expect(asked(second)).toEqual(['udp edns']);
  });
});

describe('one server is enough', () => {
  it.each<[string, NameRule]>([
    ['an answer with addresses', GOOD],
    ['"does not exist"', { rcode: 'NXDOMAIN' }],
    ['"nothing of this type"', {}],
  ])('%s', async (_, rule) => {
    const [first, second] = [await aServer(rule), await aServer({ a: ['192.0.2.2'] })];
    const answer = await asking(first, second).resolve(NAME, 'IPv4');
    expect(answer.kind).toBe(rule === GOOD ? 'addresses' : 'nothing');
    expect(asked(first)).toEqual(['udp edns']);
    expect(asked(second)).toEqual([]);
  });
});

describe('not known', () => {
  it.each<[string, NameRule, string]>([
    ['A8: SERVFAIL', { rcode: 'SERVFAIL' }, 'SERVFAIL'],
    ['REFUSED', { rcode: 'REFUSED' }, 'REFUSED'],
    ['no packet', { behaviour: 'malformed' }, 'malformed'],
    ['a referral', { behaviour: 'referral' }, 'referral'],
  ])('%s', async (_, rule, why) => {
    const server = await aServer(rule);
    expect(await asking(server).resolve(NAME, 'IPv4')).toEqual({ kind: 'unknown', why });
    expect(asked(server)).toEqual(['udp edns', 'udp edns', 'udp']);
  });

  it('nobody listens', async () => {
    const server = await aServer(GOOD);
    await server.close();
    expect(await asking(server).resolve(NAME, 'IPv4')).toEqual({ kind: 'unknown', why: 'unreachable' });
  });

  it('A13: a silent server is asked twice, and once more after 300 ms', async () => {
    const server = await aServer({ behaviour: 'silent' });
    const clock = clockSkipping(PAUSES);
    const resolver = dnsResolver({ servers: [server.address], timeoutMs: 301, clock });
    expect(await resolver.resolve(NAME, 'IPv4')).toEqual({ kind: 'unknown', why: 'timeout' });
    expect(asked(server)).toEqual(['udp edns', 'udp edns', 'udp']);
    expect(clock.skipped).toEqual([300]);
  });

  it('a server that says why tells more than a silent one', async () => {
    const [first, second] = [await aServer({ rcode: 'SERVFAIL' }), await aServer({ behaviour: 'silent' })];
    expect(await askingBriefly(first, second).resolve(NAME, 'IPv4')).toEqual({
      kind: 'unknown',
      why: 'SERVFAIL',
    });
  });

  it('a server that recovers is found in a later round', async () => {
    const server = await aServer({ rcode: 'SERVFAIL' });
    const clock = clockSkipping(0);
    const resolver = dnsResolver({
      servers: [server.address],
      clock: {
        now: () => clock.now(),
        async sleep(ms, signal) {
          if (ms === PAUSES) server.set(NAME, GOOD);
          else await clock.sleep(ms, signal);
        },
      },
    });
    expect(await resolver.resolve(NAME, 'IPv4')).toEqual(GOOD_ANSWER);
    expect(server.queries).toHaveLength(3);
  });
});

describe('A13: the hard limit', () => {
  it('holds over all servers and rounds', async () => {
    const silent = await Promise.all([1, 2, 3].map(() => aServer({ behaviour: 'silent' })));
    const clock = hurriedClock();
    const resolver = dnsResolver({ servers: silent.map(({ address }) => address), clock });
    expect(await resolver.resolve(NAME, 'IPv4')).toEqual({ kind: 'unknown', why: 'timeout' });
    expect(clock.slept).toEqual([1000, 1000, 1000, 1000, 1000]);
  });

  it('shortens the last wait, and leaves out the pause that would pass it', async () => {
    const server = await aServer({ behaviour: 'silent' });
    const clock = hurriedClock();
    const resolver = dnsResolver({ servers: [server.address], timeoutMs: 800, deadlineMs: 1500, clock });
    expect(await resolver.resolve(NAME, 'IPv4')).toEqual({ kind: 'unknown', why: 'timeout' });
    expect(clock.slept).toEqual([800, 700]);
  });

  it('holds over TCP', async () => {
    const server = await aServer({ ...GOOD, behaviour: 'truncate', tcp: 'silent' });
    const resolver = dnsResolver({
      servers: [server.address],
      timeoutMs: 60_000,
      deadlineMs: 2 * SOON,
      clock: realClock,
    });
    expect(await resolver.resolve(NAME, 'IPv4')).toEqual({ kind: 'unknown', why: 'truncated' });
    expect(asked(server)).toEqual(['udp edns', 'tcp edns']);
  });
});

describe('truncation', () => {
  const forty = Array.from({ length: 40 }, (_, index) => `198.51.100.${index + 1}`);
  const six = Array.from({ length: 6 }, (_, index) => `198.51.100.${index + 1}`);

  it('40 addresses come over TCP from a server without EDNS', async () => {
    const server = await aServer({ a: forty, behaviour: 'formerrOnEdns' });
    const answer = await asking(server).resolve(NAME, 'IPv4');
    expect(answer).toEqual(answerOf(forty));
    expect(asked(server).slice(0, 3)).toEqual(['udp edns', 'udp', 'tcp']);
  });

  it.each(['truncate', 'truncateKeepingRecords'] as const)(
    '%s: the whole answer comes over TCP',
    async (behaviour) => {
      const server = await aServer({ a: six, behaviour });
      expect(await asking(server).resolve(NAME, 'IPv4')).toEqual(answerOf(six));
      expect(asked(server)).toEqual(['udp edns', 'tcp edns']);
    },
  );

  it.each<[string, NameRule, DnsServerOptions]>([
    ['nobody listens', {}, { tcp: false }],
    ['the connection is reset', { tcp: 'refuse' }, {}],
    ['the connection stays silent', { tcp: 'silent' }, {}],
  ])('TCP blocked (%s): the addresses received are a part', async (_, rule, options) => {
    const server = await aServer({ a: six, behaviour: 'truncateKeepingRecords', ...rule }, options);
    expect(await askingBriefly(server).resolve(NAME, 'IPv4')).toEqual({
      kind: 'addresses',
      addresses: ['198.51.100.1', '198.51.100.2', '198.51.100.3'],
      ttl: 60,
      partial: true,
    });
  });

  it('TCP blocked: a part of eight and more is not asked for again', async () => {
    const server = await aServer({ a: forty, behaviour: 'truncateKeepingRecords', tcp: 'refuse' });
    expect(await asking(server).resolve(NAME, 'IPv4')).toEqual({
      kind: 'addresses',
      addresses: forty.slice(0, 20),
      ttl: 60,
      partial: true,
    });
    expect(asked(server)).toEqual(['udp edns', 'tcp edns']);
  });

  it('A8: TCP blocked and no address received is not known', async () => {
    const server = await aServer({ a: forty, behaviour: 'truncate', tcp: 'refuse' });
    expect(await asking(server).resolve(NAME, 'IPv4')).toEqual({ kind: 'unknown', why: 'truncated' });
  });

  it('another server may have the whole of a part', async () => {
    const first = await aServer({ a: six, behaviour: 'truncateKeepingRecords', tcp: 'refuse' });
    const second = await aServer({ a: six });
    expect(await asking(first, second).resolve(NAME, 'IPv4')).toEqual(answerOf(six));
  });

  it('A8: "nothing" from another server does not undo a part', async () => {
    const first = await aServer({ a: six, behaviour: 'truncateKeepingRecords', tcp: 'refuse' });
    const second = await aServer({ rcode: 'NXDOMAIN' });
    expect(await asking(first, second).resolve(NAME, 'IPv4')).toMatchObject({
      addresses: ['198.51.100.1', '198.51.100.2', '198.51.100.3'],
      partial: true,
    });
    expect(asked(second)).toEqual(['udp edns']);
  });
});

describe('EDNS', () => {
  it('a server that does not know it is asked without', async () => {
    const server = await aServer({ ...GOOD, behaviour: 'formerrOnEdns' });
    expect(await asking(server).resolve(NAME, 'IPv4')).toEqual(GOOD_ANSWER);
    expect(asked(server)).toEqual(['udp edns', 'udp']);
  });
});

describe('what an answer is made of', () => {
  it('records of other names are ignored', async () => {
    const server = await aServer({ ...GOOD, foreign: ['198.51.100.66'] });
    expect(await asking(server).resolve(NAME, 'IPv4')).toEqual(GOOD_ANSWER);
  });

  it('records of other names alone are nothing', async () => {
    const server = await aServer({ foreign: ['198.51.100.66'] });
    expect(await asking(server).resolve(NAME, 'IPv4')).toEqual({ kind: 'nothing', why: 'NODATA' });
  });

  it.each(['wrongId', 'wrongQuestion'] as const)('a packet with the %s is ignored', async (ahead) => {
    const server = await aServer({ ...GOOD, ahead });
    expect(await asking(server).resolve(NAME, 'IPv4')).toEqual(GOOD_ANSWER);
    expect(asked(server)).toEqual(['udp edns']);
  });

  it.each([0, 2_147_483_653, 4_000_000_000])('TTL %d is passed on as sent', async (ttl) => {
    const server = await aServer({ ...GOOD, ttl });
    expect(await asking(server).resolve(NAME, 'IPv4')).toEqual(answerOf(['192.0.2.1'], ttl));
  });

  it.each([
    ['its TTL', { ttl: 20, minimum: 900 }, 20],
    ['its minimum', { ttl: 900, minimum: 30 }, 30],
  ])('the lower figure of the SOA counts: %s', async (_, soa, negativeTtl) => {
    const server = await aServer({ rcode: 'NXDOMAIN', soa });
    expect(await asking(server).resolve(NAME, 'IPv4')).toEqual({
      kind: 'nothing',
      why: 'NXDOMAIN',
      negativeTtl,
    });
    server.set(NAME, { soa });
    expect(await asking(server).resolve(NAME, 'IPv4')).toEqual({
      kind: 'nothing',
      why: 'NODATA',
      negativeTtl,
    });
  });

  it('without an SOA the negative TTL is not known', async () => {
    const server = await aServer({ rcode: 'NXDOMAIN' });
    expect(await asking(server).resolve(NAME, 'IPv4')).toEqual({ kind: 'nothing', why: 'NXDOMAIN' });
  });

  it('an alias of a name that does not exist is nothing', async () => {
    const server = await aServer({ cname: 'absent.example.test' });
    expect(await asking(server).resolve(NAME, 'IPv4')).toEqual({ kind: 'nothing', why: 'NXDOMAIN' });
  });

  it('A10: the failure of one family says nothing about the other', async () => {
    const server = await aServer({ aaaa: ['2001:db8::1'] });
    server.set(NAME, { rcode: 'SERVFAIL' }, 'A');
    const resolver = asking(server);
    expect(await resolver.resolve(NAME, 'IPv4')).toEqual({ kind: 'unknown', why: 'SERVFAIL' });
    expect(await resolver.resolve(NAME, 'IPv6')).toEqual(answerOf(['2001:db8::1']));
  });
});

describe('A9: answers that may be parts of a larger set', () => {
  const twelve = Array.from({ length: 12 }, (_, index) => `203.0.113.${index + 1}`);
  const rotating = (all: readonly string[]): NameRule => ({ a: all, rotate: 8 });

  it('rotating answers are united', async () => {
    const server = await aServer(rotating(twelve));
    expect(await asking(server).resolve(NAME, 'IPv4')).toEqual(answerOf(twelve));
  });

  it('six looks are the most, 200 ms apart', async () => {
    const hundred = Array.from({ length: 100 }, (_, index) => `203.0.113.${index + 1}`);
    const server = await aServer(rotating(hundred));
    const clock = clockSkipping(PAUSES);
    const answer = await dnsResolver({ servers: [server.address], clock }).resolve(NAME, 'IPv4');
    expect(answer).toEqual(answerOf(hundred.slice(0, 48)));
    expect(clock.skipped).toEqual([200, 200, 200, 200, 200]);
  });

  it('two looks that add nothing are enough', async () => {
    const server = await aServer({ a: twelve.slice(0, 8) });
    expect(await asking(server).resolve(NAME, 'IPv4')).toEqual(answerOf(twelve.slice(0, 8)));
    expect(server.queries).toHaveLength(3);
  });

  it('seven addresses are all', async () => {
    const server = await aServer({ a: twelve.slice(0, 7) });
    expect(await asking(server).resolve(NAME, 'IPv4')).toEqual(answerOf(twelve.slice(0, 7)));
    expect(server.queries).toHaveLength(1);
  });

  it('looks go to the server that answered', async () => {
    const [first, second] = [await aServer({ rcode: 'REFUSED' }), await aServer(rotating(twelve))];
    expect(await asking(first, second).resolve(NAME, 'IPv4')).toEqual(answerOf(twelve));
    expect(first.queries).toHaveLength(1);
  });
});

describe('on the wire', () => {
  it.each(['192.0.2.1', '2001:db8::1', '', '.', 'a..b', 'bücher.example.test'])(
    'the text "%s" is never asked for',
    async (text) => {
      const server = await aServer(GOOD);
      await asking(server).resolve(text, 'IPv4');
      await asking(server).resolve(text, 'IPv6');
      expect(server.queries).toEqual([]);
    },
  );

  it('every call asks: nothing is kept in the process', async () => {
    const server = await aServer({ ...GOOD, ttl: 3600 });
    server.set('absent.example.test', { rcode: 'NXDOMAIN', soa: { ttl: 3600, minimum: 3600 } });
    const resolver = asking(server);
    for (const name of [NAME, NAME, 'absent.example.test', 'absent.example.test'])
      await resolver.resolve(name, 'IPv4');
    expect(server.queries.map(({ name }) => name)).toEqual([
      NAME,
      NAME,
      'absent.example.test',
      'absent.example.test',
    ]);
  });

  it('ids and ports are not to be guessed', async () => {
    const server = await aServer(GOOD);
    const resolver = asking(server);
    for (let call = 0; call < 20; call += 1) await resolver.resolve(NAME, 'IPv4');
    const ids = server.queries.map(({ id }) => id);
    const steps = new Set(ids.slice(1).map((id, index) => id - (ids[index] ?? 0)));
    expect(steps.size).toBeGreaterThan(10);
    expect(new Set(server.queries.map(({ port }) => port)).size).toBeGreaterThan(10);
  });

  it('a server is reached by its IPv6 address', async () => {
    const server = await aServer(GOOD, { host: '::1' });
    expect(server.address).toBe(`[::1]:${server.port}`);
    expect(await asking(server).resolve(NAME, 'IPv4')).toEqual(GOOD_ANSWER);
  });

  it("without servers named, it asks the system's", async () => {
    const server = await aServer(GOOD);
    const before = dns.getServers();
    dns.setServers([server.address]);
    const resolver = dnsResolver({ clock: clockSkipping(PAUSES) });
    dns.setServers(before);
    expect(await resolver.resolve(NAME, 'IPv4')).toEqual(GOOD_ANSWER);
  });

  it('many names at once', async () => {
    const server = await aServer(GOOD);
    server.set('*', { a: ['192.0.2.9'] });
    const resolver = asking(server);
    const names = Array.from({ length: 50 }, (_, index) => `name-${index}.example.test`);
    const answers = await Promise.all(names.map((name) => resolver.resolve(name, 'IPv4')));
    expect(answers).toEqual(names.map(() => answerOf(['192.0.2.9'])));
  });
});
