// The address filter: every denied range with its edges and the neighbours that must pass.
import { describe, expect, it } from 'vitest';
import { filterAddresses } from '../../lib/gateway/filter.ts';
import { OPEN_RULES, frozen, someRules } from './support.ts';

const whyNot = (address: string, rules = OPEN_RULES): string | undefined =>
  filterAddresses([address], rules).refused[0]?.why;

interface DeniedRange {
  readonly why: string;
  readonly edges: readonly [first: string, last: string];
  readonly inside?: readonly string[];
  readonly neighbours?: readonly string[]; // just outside, and no part of another denied range
}

const DENIED: readonly DeniedRange[] = [
  { why: 'this host (0.0.0.0/8)', edges: ['0.0.0.0', '0.255.255.255'], neighbours: ['1.0.0.0'] },
  {
    why: 'unspecified, loopback or IPv4-compatible (::/96)',
    edges: ['::', '::ffff:ffff'],
    inside: ['::1', '::10.0.0.1'],
    neighbours: ['::1:0:0'],
  },
  {
    why: 'loopback (127.0.0.0/8)',
    edges: ['127.0.0.0', '127.255.255.255'],
    inside: ['127.0.0.1'],
    neighbours: ['126.255.255.255', '128.0.0.0'],
  },
  {
    why: 'link-local: instance metadata and node services (169.254.0.0/16)',
    edges: ['169.254.0.0', '169.254.255.255'],
    inside: ['169.254.169.254', '169.254.169.253', '169.254.170.2', '169.254.170.23', '169.254.20.10'],
    neighbours: ['169.253.255.255', '169.255.0.0'],
  },
  {
    why: 'instance metadata and node services (fd00:ec2::/32)',
    edges: ['fd00:ec2::', 'fd00:ec2:ffff:ffff:ffff:ffff:ffff:ffff'],
    inside: ['fd00:ec2::254', 'fd00:ec2::253', 'fd00:ec2::23', 'FD00:0EC2:0:0:0:0:0:254'],
    neighbours: ['fd00:ec1:ffff:ffff:ffff:ffff:ffff:ffff', 'fd00:ec3::'],
  },
  {
    why: 'link-local (fe80::/10)',
    edges: ['fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    neighbours: ['fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  },
  { why: 'site-local (fec0::/10)', edges: ['fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'] },
  {
    why: 'multicast (224.0.0.0/4)',
    edges: ['224.0.0.0', '239.255.255.255'],
    inside: ['224.0.1.1'],
    neighbours: ['223.255.255.255'],
  },
  {
    why: 'multicast (ff00::/8)',
    edges: ['ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    inside: ['ff02::1', 'ff05::2'],
  },
  { why: 'reserved or broadcast (240.0.0.0/4)', edges: ['240.0.0.0', '255.255.255.255'] },
  {
    why: 'IPv4-mapped (::ffff:0:0/96)',
    edges: ['::ffff:0:0', '::ffff:255.255.255.255'],
    inside: ['::ffff:203.0.113.10', '::ffff:169.254.169.254'],
    neighbours: ['::fffe:ffff:ffff', '::1:0:0:0'],
  },
  {
    why: 'NAT64: may wrap any IPv4 address (64:ff9b::/96)',
    edges: ['64:ff9b::', '64:ff9b::ffff:ffff'],
    inside: ['64:ff9b::169.254.169.254'],
    neighbours: ['64:ff9a:ffff:ffff:ffff:ffff:ffff:ffff', '64:ff9b::1:0:0'],
  },
  {
    why: 'NAT64: may wrap any IPv4 address (64:ff9b:1::/48)',
    edges: ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
    neighbours: ['64:ff9b:0:ffff:ffff:ffff:ffff:ffff', '64:ff9b:2::'],
  },
  {
    why: '6to4: may wrap any IPv4 address (2002::/16)',
    edges: ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    inside: ['2002:a9fe:a9fe::1'],
    neighbours: ['2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2003::'],
  },
  {
    why: 'Teredo: may wrap any IPv4 address (2001::/32)',
    edges: ['2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff'],
    neighbours: ['2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:1::'],
  },
  {
    why: 'protocol assignments (192.0.0.0/24)',
    edges: ['192.0.0.0', '192.0.0.255'],
    neighbours: ['191.255.255.255', '192.0.1.0'],
  },
  {
    why: 'former 6to4 relays (192.88.99.0/24)',
    edges: ['192.88.99.0', '192.88.99.255'],
    neighbours: ['192.88.98.255', '192.88.100.0'],
  },
  {
    why: 'benchmarking (198.18.0.0/15)',
    edges: ['198.18.0.0', '198.19.255.255'],
    neighbours: ['198.17.255.255', '198.20.0.0'],
  },
  {
    why: 'discard-only (100::/64)',
    edges: ['100::', '100::ffff:ffff:ffff:ffff'],
    neighbours: ['ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '100:0:0:1::'],
  },
];

describe('the deny list', () => {
  it.each(DENIED)('refuses $edges as $why', ({ why, edges, inside = [], neighbours = [] }) => {
    const bad = [...edges, ...inside];
    expect(bad.map((address) => [address, whyNot(address)])).toEqual(bad.map((address) => [address, why]));
    expect(filterAddresses(neighbours, OPEN_RULES)).toEqual({ accepted: neighbours, refused: [] });
  });

  it.each([
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1', // EKS custom networking
    '203.0.113.10',
    '198.51.100.5',
    '52.10.0.1',
    'fd12:3456::1',
    '2001:db8::10',
    '2600:1f18:1::a',
  ])('lets %s through', (address) => {
    expect(filterAddresses([address], OPEN_RULES)).toEqual({ accepted: [address], refused: [] });
  });

  it.each(['010.1.2.3', '0x7f.1', '127.1', '2130706433', 'lb.example.test', 'fe80::1%eth0', ''])(
    'refuses %j as no address',
    (address) => {
      expect(whyNot(address)).toBe('not an IP address in plain form');
    },
  );

  it('comes before the link: an allow list cannot open it', () => {
    const rules = someRules({ allowedCIDRs: ['169.254.0.0/16', '10.0.0.0/8'] });
    expect(whyNot('169.254.169.254', rules)).toBe(
      'link-local: instance metadata and node services (169.254.0.0/16)',
    );
    expect(whyNot('10.1.1.1', rules)).toBeUndefined();
  });
});

describe('the source cluster', () => {
  const rules = someRules({
    serviceRanges: ['10.100.0.0/16', 'fd30::/108'],
    serviceAddresses: new Set(['172.20.0.10', '2001:db8::5']),
    apiServers: new Set(['10.0.0.5', '10.0.1.5']),
  });

  it.each([
    ['10.100.0.1', 'Service range (10.100.0.0/16)'],
    ['10.100.255.255', 'Service range (10.100.0.0/16)'],
    ['fd30::a', 'Service range (fd30::/108)'],
    ['172.20.0.10', 'ClusterIP of a Service in the source cluster'],
    ['2001:DB8:0::5', 'ClusterIP of a Service in the source cluster'], // whatever the spelling
    ['10.0.1.5', 'API server of the source cluster'],
    ['10.101.0.0', undefined],
    ['10.99.255.255', undefined],
    ['172.20.0.11', undefined],
    ['10.0.1.6', undefined],
  ])('%s: %s', (address, why) => {
    expect(whyNot(address, rules)).toBe(why);
  });

  it('cannot be opened by the link either', () => {
    const opened = { ...rules, allowedCIDRs: ['0.0.0.0/0'] };
    expect(whyNot('10.100.0.1', opened)).toBe('Service range (10.100.0.0/16)');
    expect(whyNot('10.0.0.5', opened)).toBe('API server of the source cluster');
  });
});

describe('allowedCIDRs', () => {
  it('lets only their addresses through', () => {
    const rules = someRules({ allowedCIDRs: ['10.20.0.0/16', '2600:1f18::/32'] });
    expect(filterAddresses(['10.20.1.10', '10.21.0.0', '2600:1f18:1::a', '2600:1f19::'], rules)).toEqual({
      accepted: ['10.20.1.10', '2600:1f18:1::a'],
      refused: [
        { address: '10.21.0.0', why: 'outside allowedCIDRs' },
        { address: '2600:1f19::', why: 'outside allowedCIDRs' },
      ],
    });
  });

  it('with nothing readable in it lets nothing through', () => {
    expect(whyNot('10.20.1.10', someRules({ allowedCIDRs: ['nonsense'] }))).toBe('outside allowedCIDRs');
  });
});

describe('a mixed answer', () => {
  const answer = [
    '10.0.0.10',
    '127.0.0.1',
    '10.0.0.2',
    '10.0.0.10',
    '2600:1F18::A',
    '2600:1f18:0::a',
    'junk',
    '127.0.0.1',
  ];
  const expected = {
    accepted: ['10.0.0.2', '10.0.0.10', '2600:1f18::a'],
    refused: [
      { address: '127.0.0.1', why: 'loopback (127.0.0.0/8)' },
      { address: 'junk', why: 'not an IP address in plain form' },
    ],
  };

  it('A4: gives its good part, canonical, unique and by number', () => {
    expect(filterAddresses(frozen(answer), frozen(OPEN_RULES))).toEqual(expected);
  });

  it('A9: gives the same in any order', () => {
    expect(filterAddresses([...answer].reverse(), OPEN_RULES)).toEqual(expected);
  });
});
