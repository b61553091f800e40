// dnsResolver against the scripted server: the contract, whom it asks, and when it gives up.
import dns from 'node:dns';
import { afterEach, describe, expect, it } from 'vitest';
import { dnsResolver } from '../../lib/dns/resolver.ts';
import { startDnsServer } from '../../sandbox/dns/server.ts';
import type { NameRule } from '../../sandbox/dns/server.ts';
import { resolverContract } from '../contract/resolver.contract.ts';
import type { ZoneName } from '../contract/resolver.contract.ts';
import { testClock } from '../support/clock.ts';
import { clockSkipping, realClock } from './clocks.ts';
import {
  answerOf,
  aServer,
  asked,
  asking,
  askingBriefly,
  closeServers,
  GOOD,
  GOOD_ANSWER,
  NAME,
  PAUSES,
  SOON,
} from './rig.ts';

afterEach(closeServers);

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
    const clock = testClock(0);
    const resolver = dnsResolver({ servers: silent.map(({ address }) => address), clock });
    expect(await resolver.resolve(NAME, 'IPv4')).toEqual({ kind: 'unknown', why: 'timeout' });
    expect(clock.slept).toEqual([1000, 1000, 1000, 1000, 1000]);
  });

  it('shortens the last wait, and leaves out the pause that would pass it', async () => {
    const server = await aServer({ behaviour: 'silent' });
    const clock = testClock(0);
    const resolver = dnsResolver({ servers: [server.address], timeoutMs: 800, deadlineMs: 1500, clock });
    expect(await resolver.resolve(NAME, 'IPv4')).toEqual({ kind: 'unknown', why: 'timeout' });
    expect(clock.slept).toEqual([800, 700]);
  });

  it('holds over TCP', async () => {
    const server = await aServer({ ...GOOD, behaviour: 'truncate', tcp: 'silent' });
    const resolver = dnsResolver({
      servers: [server.address],
      timeoutMs: 60_000,
      deadlineMs: 4 * SOON,
      clock: realClock,
    });
    expect(await resolver.resolve(NAME, 'IPv4')).toEqual({ kind: 'unknown', why: 'truncated' });
    expect(asked(server)).toEqual(['udp edns', 'tcp edns']);
  });
});

describe('EDNS', () => {
  it.each(['formerrOnEdns', 'notimpOnEdns', 'badversOnEdns'] as const)(
    '%s: a server that does not know it is asked without',
    async (behaviour) => {
      const server = await aServer({ ...GOOD, behaviour });
      expect(await asking(server).resolve(NAME, 'IPv4')).toEqual(GOOD_ANSWER);
      expect(asked(server)).toEqual(['udp edns', 'udp']);
    },
  );
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
