// dnsResolver against a real CoreDNS: the contract, and the traps that a well-behaved server can set.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dnsResolver } from '../../lib/dns/resolver.ts';
import type { Resolver } from '../../lib/ports.ts';
import { startCoreDns } from '../cluster/coredns.ts';
import type { CoreDns } from '../cluster/coredns.ts';
import { recordsZone } from '../cluster/corefile.ts';
import { resolverContract, ZONE } from '../contract/resolver.contract.ts';
import type { ZoneName } from '../contract/resolver.contract.ts';
import { clockSkipping } from './clocks.ts';

const START = 60_000; // ms
const PAUSES = 300; // ms: the pauses between attempts and looks
const POLL = 50; // ms

const asking = (...servers: readonly string[]): Resolver =>
  dnsResolver({ servers, clock: clockSkipping(PAUSES) });

function recordsOf({ name, ttl, cname, a = [], aaaa = [] }: ZoneName): readonly string[] {
  return [
    ...(cname === undefined ? [] : [`${name}. ${ttl} IN CNAME ${cname}.`]),
    ...a.map((ip) => `${name}. ${ttl} IN A ${ip}`),
    ...aaaa.map((ip) => `${name}. ${ttl} IN AAAA ${ip}`),
  ];
}

resolverContract('dnsResolver and CoreDNS', async () => {
  const server = await startCoreDns(recordsZone({ zone: ZONE, records: [] }));
  const resolver = asking(server.address);
  let version = 0;
  return {
    resolver,
    async publish(names, negativeTtl) {
      version += 1;
      const mark = `version-${version}.${ZONE}`;
      const records = [...names.flatMap(recordsOf), `${mark}. 0 IN A 192.0.2.255`];
      server.replace(recordsZone({ zone: ZONE, records, negativeTtl }).files);
      while ((await resolver.resolve(mark, 'IPv4')).kind !== 'addresses') await sleep(POLL);
    },
    close: () => server.stop(),
  };
});

describe('CoreDNS', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => `198.51.100.${index + 1}`);
  let server: CoreDns;
  let small: CoreDns; // never sends more than 512 bytes over UDP
  beforeAll(async () => {
    const { corefile, files } = recordsZone({
      zone: ZONE,
      records: [
        ...hundred.map((ip) => `hundred 60 IN A ${ip}`),
        ...hundred.slice(0, 40).map((ip) => `forty 60 IN A ${ip}`),
        'outside 60 IN CNAME elsewhere.invalid.',
        'broken 60 IN CNAME absent',
        'child 60 IN NS ns.child',
        'ns.child 60 IN A 127.0.0.1',
        'a 60 IN CNAME b',
        'b 60 IN CNAME a',
        'huge 2147483653 IN A 192.0.2.1',
      ],
    });
    server = await startCoreDns({ corefile, files });
    small = await startCoreDns({ corefile: corefile.replace('errors', 'errors\n  bufsize 512'), files });
  }, START);
  afterAll(async () => {
    await server?.stop();
    await small?.stop();
  }, START);

  it('100 addresses, more than fit into 1232 bytes, come over TCP', async () => {
    const answer = await asking(server.address).resolve(`hundred.${ZONE}`, 'IPv4');
    expect(answer).toMatchObject({ kind: 'addresses', ttl: 60, partial: false });
    expect(answer.kind === 'addresses' && new Set(answer.addresses)).toEqual(new Set(hundred));
  });

  it('40 addresses, more than fit into 512 bytes, come over TCP', async () => {
    const answer = await asking(small.address).resolve(`forty.${ZONE}`, 'IPv4');
    expect(answer).toMatchObject({ kind: 'addresses', ttl: 60, partial: false });
    expect(answer.kind === 'addresses' && new Set(answer.addresses)).toEqual(new Set(hundred.slice(0, 40)));
  });

  it('a name that it does not serve is REFUSED', async () => {
    expect(await asking(server.address).resolve('gateway.elsewhere.test', 'IPv4')).toEqual({
      kind: 'unknown',
      why: 'REFUSED',
    });
  });

  it('the second server is asked when the first refuses', async () => {
    const zone = recordsZone({ zone: 'elsewhere.test', records: ['gateway 60 IN A 192.0.2.9'] });
    const second = await startCoreDns(zone);
    try {
      const resolver = asking(server.address, second.address);
      expect(await resolver.resolve('gateway.elsewhere.test', 'IPv4')).toMatchObject({
        addresses: ['192.0.2.9'],
      });
    } finally {
      await second.stop();
    }
  });

  it('an alias that leaves the zone is nothing', async () => {
    expect(await asking(server.address).resolve(`outside.${ZONE}`, 'IPv4')).toEqual({
      kind: 'nothing',
      why: 'NODATA',
    });
  });

  it('an alias of a name that does not exist is nothing', async () => {
    expect(await asking(server.address).resolve(`broken.${ZONE}`, 'IPv4')).toMatchObject({ kind: 'nothing' });
  });

  it('aliases in a circle are not known', async () => {
    expect(await asking(server.address).resolve(`a.${ZONE}`, 'IPv4')).toEqual({
      kind: 'unknown',
      why: 'malformed',
    });
  });

  it('a name in a zone of other servers is not known', async () => {
    expect(await asking(server.address).resolve(`gateway.child.${ZONE}`, 'IPv4')).toEqual({
      kind: 'unknown',
      why: 'referral',
    });
  });

  it('a TTL of 2^31 and more is passed on as sent', async () => {
    expect(await asking(server.address).resolve(`huge.${ZONE}`, 'IPv4')).toEqual({
      kind: 'addresses',
      addresses: ['192.0.2.1'],
      ttl: 2_147_483_653,
      partial: false,
    });
  });
});
