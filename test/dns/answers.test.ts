// What dnsResolver makes of the records that it gets: truncated, foreign, rotating, of two families.
import { afterEach, describe, expect, it } from 'vitest';
import { dnsResolver } from '../../lib/dns/resolver.ts';
import type { DnsServerOptions, NameRule } from '../../sandbox/dns/server.ts';
import { clockSkipping, hangingClock } from './clocks.ts';
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
} from './rig.ts';

afterEach(closeServers);

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
    ['the connection is closed', { tcp: 'close' }, {}],
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

  it.each<[string, NameRule]>([
    ['"does not exist"', { rcode: 'NXDOMAIN' }],
    ['A8: a failure', { rcode: 'SERVFAIL' }],
    ['another part', { a: ['192.0.2.1', '192.0.2.2'], behaviour: 'truncateKeepingRecords', tcp: 'refuse' }],
  ])('%s from another server does not undo a part', async (_, rule) => {
    const first = await aServer({ a: six, behaviour: 'truncateKeepingRecords', tcp: 'refuse' });
    const second = await aServer(rule);
    expect(await asking(first, second).resolve(NAME, 'IPv4')).toMatchObject({
      addresses: ['198.51.100.1', '198.51.100.2', '198.51.100.3'],
      partial: true,
    });
    expect(asked(second)[0]).toBe('udp edns');
  });

  it('a part ends the search with its round', async () => {
    const first = await aServer({ a: six, behaviour: 'truncateKeepingRecords', tcp: 'refuse' });
    const second = await aServer({ rcode: 'SERVFAIL' });
    expect(await asking(first, second).resolve(NAME, 'IPv4')).toMatchObject({ partial: true });
    expect(asked(first)).toEqual(['udp edns', 'tcp edns']);
    expect(asked(second)).toEqual(['udp edns']);
  });

  it('a closed TCP connection is not waited for', async () => {
    const server = await aServer({ a: six, behaviour: 'truncate', tcp: 'close' });
    const clock = hangingClock();
    const resolver = dnsResolver({ servers: [server.address], tries: 1, clock });
    expect(await resolver.resolve(NAME, 'IPv4')).toEqual({ kind: 'unknown', why: 'truncated' });
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

  it('looks are made as the answer was got: here without EDNS, in the last round', async () => {
    const server = await aServer({ rcode: 'SERVFAIL' });
    const clock = clockSkipping(PAUSES);
    const resolver = dnsResolver({
      servers: [server.address],
      clock: {
        now: () => clock.now(),
        async sleep(ms, signal) {
          if (ms === PAUSES) server.set(NAME, rotating(twelve.slice(0, 9)));
          await clock.sleep(ms, signal);
        },
      },
    });
    expect(await resolver.resolve(NAME, 'IPv4')).toEqual(answerOf(twelve.slice(0, 9)));
    expect(asked(server)).toEqual(['udp edns', 'udp edns', 'udp', 'udp', 'udp', 'udp']);
  });

  it('looks go to the server that answered', async () => {
    const [first, second] = [await aServer({ rcode: 'REFUSED' }), await aServer(rotating(twelve))];
    expect(await asking(first, second).resolve(NAME, 'IPv4')).toEqual(answerOf(twelve));
    expect(first.queries).toHaveLength(1);
  });
});
