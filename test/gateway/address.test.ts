// Reading, writing and ordering of addresses and ranges.
import { describe, expect, it } from 'vitest';
import {
  compareAddresses,
  contains,
  familyOf,
  formatAddress,
  formatRange,
  parseAddress,
  parseRange,
} from '../../lib/gateway/address.ts';

const canonical = (text: string): string | undefined => {
  const address = parseAddress(text);
  return address === undefined ? undefined : formatAddress(address);
};

describe('canonical text', () => {
  it.each([
    ['203.0.113.10', '203.0.113.10'],
    ['255.255.255.255', '255.255.255.255'],
    ['0.0.0.0', '0.0.0.0'],
    ['2001:DB8::A', '2001:db8::a'],
    ['2001:0db8:0000:0000:0000:0000:0000:0010', '2001:db8::10'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'], // equal runs: the first
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'], // the longest run
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'], // a single zero group stays
    ['1:0:0:0:0:0:0:0', '1::'],
    ['0:0:0:0:0:0:0:1', '::1'],
    ['::', '::'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
    ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
    ['::ffff:1.2.3.4', '::ffff:102:304'],
    ['1:2:3:4:5:6:1.2.3.4', '1:2:3:4:5:6:102:304'],
  ])('%s is written %s', (text, expected) => {
    expect(canonical(text)).toBe(expected);
  });

  it.each([
    '010.1.2.3',
    '0x7f.1',
    '127.1',
    '2130706433',
    '1.2.3.4 ',
    ' 1.2.3.4',
    '1.2.3',
    '',
    'fe80::1%eth0',
    '::1::',
  ])('refuses %j', (text) => {
    expect(parseAddress(text)).toBeUndefined();
    expect(familyOf(text)).toBeUndefined();
  });
});

describe('order', () => {
  it('A4: is by number, IPv4 first, what is no address last', () => {
    const mixed = [
      '2001:db8::2',
      '10.0.0.10',
      'zebra',
      '9.255.255.255',
      '2001:db8::1',
      '10.0.0.2',
      'ant',
      '::5',
    ];
    expect([...mixed].sort(compareAddresses)).toEqual([
      '9.255.255.255',
      '10.0.0.2',
      '10.0.0.10',
      '::5',
      '2001:db8::1',
      '2001:db8::2',
      'ant',
      'zebra',
    ]);
  });
});

describe('ranges', () => {
  const holds = (range: string, address: string): boolean | undefined => {
    const [left, right] = [parseRange(range), parseAddress(address)];
    return left === undefined || right === undefined ? undefined : contains(left, right);
  };

  it.each([
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['10.1.2.3/8', '10.9.9.9', true], // bits behind the prefix do not matter
    ['0.0.0.0/0', '255.255.255.255', true],
    ['0.0.0.0/0', '::1', false],
    ['::/0', 'ffff::', true],
    ['203.0.113.7/32', '203.0.113.7', true],
    ['203.0.113.7/32', '203.0.113.6', false],
    ['2001:db8::/33', '2001:db8:7fff::', true],
    ['2001:db8::/33', '2001:db8:8000::', false],
  ])('%s and %s: %s', (range, address, expected) => {
    expect(holds(range, address)).toBe(expected);
  });

  it.each([
    '10.0.0.0',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/08',
    '10.0.0.0/8/8',
    '::/129',
    'x/8',
    '10.0.0.0/',
  ])('refuses %j', (text) => {
    expect(parseRange(text)).toBeUndefined();
  });

  it('are written with their prefix', () => {
    expect(formatRange({ family: 'IPv4', value: 0x0a600000n, hostBits: 19 })).toBe('10.96.0.0/13');
    expect(formatRange({ family: 'IPv6', value: 0xfdn << 120n, hostBits: 20 })).toBe('fd00::/108');
  });
});
