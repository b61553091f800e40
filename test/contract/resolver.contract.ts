// What every Resolver must do, whoever answers behind it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Resolver } from '../../lib/ports.ts';

export interface ZoneName {
  readonly name: string; // in ZONE, in full
  readonly a?: readonly string[];
  readonly aaaa?: readonly string[];
  readonly cname?: string; // in full
  readonly ttl: number;
}

/** A running server of ZONE and a resolver that asks it. */
export interface ResolverWorld {
  readonly resolver: Resolver;
  /** Replaces the zone; resolves when it is served. NXDOMAIN and NODATA come with an SOA of that negative TTL. */
  publish(names: readonly ZoneName[], negativeTtl: number): Promise<void>;
  close(): Promise<void>;
}

export const ZONE = 'elb.example.test';

const GATEWAY = `gateway.${ZONE}`;
const FORTY = Array.from({ length: 40 }, (_, index) => `198.51.100.${index + 1}`);

const NAMES: readonly ZoneName[] = [
  { name: GATEWAY, a: ['192.0.2.12', '192.0.2.10', '192.0.2.11'], ttl: 60 },
  { name: `dual.${ZONE}`, a: ['192.0.2.20'], aaaa: ['2001:db8:0:1::20'], ttl: 40 },
  { name: `six.${ZONE}`, aaaa: ['2001:DB8:0:0:2:0:0:0', '2001:db8::5'], ttl: 60 },
  { name: `forty.${ZONE}`, a: FORTY, ttl: 60 },
  { name: `twice.${ZONE}`, a: ['192.0.2.30', '192.0.2.31', '192.0.2.30'], ttl: 60 },
  { name: `zero.${ZONE}`, a: ['192.0.2.40'], ttl: 0 },
  { name: `long-then-short.${ZONE}`, cname: `short.${ZONE}`, ttl: 300 },
  { name: `short.${ZONE}`, a: ['192.0.2.50'], ttl: 5 },
  { name: `short-then-long.${ZONE}`, cname: `long.${ZONE}`, ttl: 5 },
  { name: `long.${ZONE}`, a: ['192.0.2.51'], ttl: 300 },
  { name: `thrice.${ZONE}`, cname: `long-then-short.${ZONE}`, ttl: 3 },
  { name: `dangling.${ZONE}`, cname: `six.${ZONE}`, ttl: 60 },
];

const addresses = (ttl: number, ...ips: readonly string[]): Answer => ({
  kind: 'addresses',
  addresses: ips,
  ttl,
  partial: false,
});

function sorted(answer: Answer): Answer {
  return answer.kind === 'addresses' ? { ...answer, addresses: answer.addresses.toSorted() } : answer;
}

export function resolverContract(title: string, start: () => Promise<ResolverWorld>): void {
  describe(`Resolver contract: ${title}`, () => {
    let world: ResolverWorld;
    beforeAll(async () => {
      world = await start();
      await world.publish(NAMES, 7);
    }, 60_000);
    afterAll(() => world.close(), 60_000);

    const rows: readonly [situation: string, name: string, family: 'IPv4' | 'IPv6', answer: Answer][] = [
      [
        'A4: every address of a name',
        GATEWAY,
        'IPv4',
        addresses(60, '192.0.2.10', '192.0.2.11', '192.0.2.12'),
      ],
      [
        'a name in capitals and with a final dot',
        'Gateway.ELB.example.test.',
        'IPv4',
        addresses(60, '192.0.2.10', '192.0.2.11', '192.0.2.12'),
      ],
      ['A10: the IPv4 addresses of a name with both', `dual.${ZONE}`, 'IPv4', addresses(40, '192.0.2.20')],
      [
        'A10: the IPv6 addresses of a name with both',
        `dual.${ZONE}`,
        'IPv6',
        addresses(40, '2001:db8:0:1::20'),
      ],
      ['IPv6 in canonical text', `six.${ZONE}`, 'IPv6', addresses(60, '2001:db8:0:0:2::', '2001:db8::5')],
      ['more addresses than fit into 512 bytes', `forty.${ZONE}`, 'IPv4', addresses(60, ...FORTY.toSorted())],
      ['an address that is listed twice', `twice.${ZONE}`, 'IPv4', addresses(60, '192.0.2.30', '192.0.2.31')],
      ['TTL 0', `zero.${ZONE}`, 'IPv4', addresses(0, '192.0.2.40')],
      [
        'an alias that lasts longer than its address',
        `long-then-short.${ZONE}`,
        'IPv4',
        addresses(5, '192.0.2.50'),
      ],
      [
        'an address that lasts longer than its alias',
        `short-then-long.${ZONE}`,
        'IPv4',
        addresses(5, '192.0.2.51'),
      ],
      ['an alias of an alias', `thrice.${ZONE}`, 'IPv4', addresses(3, '192.0.2.50')],
      [
        'A10: a name without addresses of this family',
        GATEWAY,
        'IPv6',
        { kind: 'nothing', why: 'NODATA', negativeTtl: 7 },
      ],
      [
        'a name that does not exist',
        `absent.${ZONE}`,
        'IPv4',
        { kind: 'nothing', why: 'NXDOMAIN', negativeTtl: 7 },
      ],
      ['an IPv4 address', '192.0.2.60', 'IPv4', addresses(2_147_483_647, '192.0.2.60')],
      ['an IPv6 address', '2001:db8::60', 'IPv6', addresses(2_147_483_647, '2001:db8::60')],
      ['A10: an IPv4 address, asked for IPv6', '192.0.2.60', 'IPv6', { kind: 'nothing', why: 'NODATA' }],
      ['A10: an IPv6 address, asked for IPv4', '2001:db8::60', 'IPv4', { kind: 'nothing', why: 'NODATA' }],
      ['a text that is no name', 'two words.example.test', 'IPv4', { kind: 'unknown', why: 'invalid name' }],
      [
        'a name of 254 characters',
        `${'a23456789.'.repeat(24)}12.example.test`,
        'IPv4',
        { kind: 'unknown', why: 'invalid name' },
      ],
      [
        'a label of 64 characters',
        `${'a'.repeat(64)}.${ZONE}`,
        'IPv4',
        { kind: 'unknown', why: 'invalid name' },
      ],
    ];
    it.each(rows)('%s', async (_, name, family, answer) => {
      expect(sorted(await world.resolver.resolve(name, family))).toEqual(answer);
    });

    it('an alias of a name without addresses is nothing', async () => {
      expect(await world.resolver.resolve(`dangling.${ZONE}`, 'IPv4')).toMatchObject({
        kind: 'nothing',
        why: 'NODATA',
      });
    });

    it('keeps nothing between calls', async () => {
      await world.publish([{ name: GATEWAY, a: ['192.0.2.77'], ttl: 300 }], 300);
      expect(await world.resolver.resolve(GATEWAY, 'IPv4')).toEqual(addresses(300, '192.0.2.77'));
      expect(await world.resolver.resolve(`dual.${ZONE}`, 'IPv4')).toMatchObject({ why: 'NXDOMAIN' });
      await world.publish([{ name: `dual.${ZONE}`, a: ['192.0.2.78'], ttl: 300 }], 300);
      expect(await world.resolver.resolve(`dual.${ZONE}`, 'IPv4')).toEqual(addresses(300, '192.0.2.78'));
      expect(await world.resolver.resolve(GATEWAY, 'IPv4')).toMatchObject({ why: 'NXDOMAIN' });
    });
  });
}
