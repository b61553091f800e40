// How the texts that name DNS servers are read.
import { describe, expect, it } from 'vitest';
import { parseServers } from '../../lib/dns/servers.ts';
import { InputError } from '../../lib/errors.ts';

const EXPECTED = 'expected an IP address with or without a port, like 127.0.0.1:53 or [::1]:53';

function mistakesOf(texts: readonly string[]): readonly string[] {
  try {
    parseServers(texts);
    return [];
  } catch (error) {
    if (error instanceof InputError) return error.mistakes;
    throw error;
  }
}

describe('parseServers', () => {
  it.each([
    ['127.0.0.1:5353', { host: '127.0.0.1', port: 5353, family: 4 }],
    ['10.0.0.2', { host: '10.0.0.2', port: 53, family: 4 }],
    ['[::1]:5353', { host: '::1', port: 5353, family: 6 }],
    ['[2001:db8::53]', { host: '2001:db8::53', port: 53, family: 6 }],
    ['2001:db8::53', { host: '2001:db8::53', port: 53, family: 6 }],
    ['fe80::1%eth0', { host: 'fe80::1%eth0', port: 53, family: 6 }],
    ['localhost:5353', { host: '127.0.0.1', port: 5353, family: 4 }],
    [' 127.0.0.1:65535 ', { host: '127.0.0.1', port: 65_535, family: 4 }],
  ])('%s', (text, server) => {
    expect(parseServers([text])).toEqual([server]);
  });

  it('keeps their order', () => {
    expect(parseServers(['10.0.0.2', '10.0.0.1']).map(({ host }) => host)).toEqual(['10.0.0.2', '10.0.0.1']);
  });

  it.each([
    'dns.example.test',
    '127.0.0.1:0',
    '127.0.0.1:65536',
    '127.0.0.1:',
    '127.0.0.1:53:53',
    '010.0.0.1',
    '127.0.0.1:5x',
    '[127.0.0.1]:53',
    '[::1',
    '::1]:53',
    '[localhost]:53',
    '',
  ])('refuses "%s"', (text) => {
    expect(mistakesOf([text])).toEqual([`dns[0]: ${EXPECTED}, got "${text}"`]);
  });

  it('tells every mistake', () => {
    expect(mistakesOf(['one', '127.0.0.1', 'three:53'])).toEqual([
      `dns[0]: ${EXPECTED}, got "one"`,
      `dns[2]: ${EXPECTED}, got "three:53"`,
    ]);
  });

  it('wants at least one', () => {
    expect(mistakesOf([])).toEqual(['dns: expected at least one server, got none']);
  });
});
