// What a reply means, where no server is needed to see it.
import { describe, expect, it } from 'vitest';
import { answerOf } from '../../lib/dns/answer.ts';
import type { Reply, ResourceRecord } from '../../lib/dns/packet.ts';

const QUESTION = { name: 'gw.test', type: 'A' } as const;

const a = (owner: string, data: string, ttl = 60): ResourceRecord => ({ owner, type: 'A', ttl, data });
const alias = (owner: string, data: string, ttl = 60): ResourceRecord => ({
  owner,
  type: 'CNAME',
  ttl,
  data,
});
const aReply = (reply: Partial<Reply> = {}): Reply => ({
  kind: 'reply',
  rcode: 0,
  truncated: false,
  records: [],
  referral: false,
  ...reply,
});

/** gw.test → n1 → n2 → … → n<length>, which has an address. */
function chain(length: number): readonly ResourceRecord[] {
  const names = ['gw.test', ...Array.from({ length }, (_, index) => `n${index + 1}`)];
  const aliases = names.slice(1).map((name, index) => alias(names[index] ?? '', name));
  return [...aliases, a(names.at(-1) ?? '', '192.0.2.1')];
}

describe('answerOf', () => {
  it('unequal TTLs of one name: the lowest counts', () => {
    const records = [
      a('gw.test', '192.0.2.1', 30),
      a('gw.test', '192.0.2.2', 20),
      a('gw.test', '192.0.2.3', 40),
    ];
    expect(answerOf(aReply({ records }), QUESTION)).toEqual({
      kind: 'addresses',
      addresses: ['192.0.2.1', '192.0.2.2', '192.0.2.3'],
      ttl: 20,
      partial: false,
    });
  });

  it('a duplicate with a lower TTL lowers it', () => {
    const records = [a('gw.test', '192.0.2.1', 30), a('gw.test', '192.0.2.1', 3)];
    expect(answerOf(aReply({ records }), QUESTION)).toMatchObject({ addresses: ['192.0.2.1'], ttl: 3 });
  });

  it('the order of records in a chain does not matter', () => {
    const records = chain(3).toReversed();
    expect(answerOf(aReply({ records }), QUESTION)).toMatchObject({ addresses: ['192.0.2.1'], ttl: 60 });
  });

  it('the TTL of a record off the chain does not count', () => {
    const records = [
      alias('other.test', 'x.test', 1),
      a('x.test', '198.51.100.1', 1),
      a('gw.test', '192.0.2.1'),
    ];
    expect(answerOf(aReply({ records }), QUESTION)).toMatchObject({ addresses: ['192.0.2.1'], ttl: 60 });
  });

  it('addresses of the other family are not counted', () => {
    const records: ResourceRecord[] = [{ owner: 'gw.test', type: 'AAAA', ttl: 60, data: '2001:db8::1' }];
    expect(answerOf(aReply({ records }), QUESTION)).toEqual({ kind: 'nothing', why: 'NODATA' });
  });

  it('a chain of 16 aliases is followed', () => {
    expect(answerOf(aReply({ records: chain(16) }), QUESTION)).toMatchObject({ addresses: ['192.0.2.1'] });
  });

  it.each([
    ['a chain of 17 aliases', chain(17)],
    ['a circle', [alias('gw.test', 'x.test'), alias('x.test', 'gw.test')]],
    ['an alias of itself', [alias('gw.test', 'gw.test')]],
  ])('%s is not known', (_, records) => {
    expect(answerOf(aReply({ records }), QUESTION)).toEqual({ kind: 'unknown', why: 'malformed' });
  });

  it.each([
    [1, 'FORMERR'],
    [2, 'SERVFAIL'],
    [4, 'NOTIMP'],
    [5, 'REFUSED'],
    [9, 'RCODE9'],
    [16, 'RCODE16'],
  ])('response code %d is not known: %s', (rcode, why) => {
    const records = [a('gw.test', '192.0.2.1')];
    expect(answerOf(aReply({ rcode, records, negativeTtl: 5 }), QUESTION)).toEqual({ kind: 'unknown', why });
  });

  it('"does not exist" wins over addresses', () => {
    const records = [a('gw.test', '192.0.2.1')];
    expect(answerOf(aReply({ rcode: 3, records }), QUESTION)).toEqual({ kind: 'nothing', why: 'NXDOMAIN' });
  });

  it('a referral with addresses is an answer', () => {
    const records = [a('gw.test', '192.0.2.1')];
    expect(answerOf(aReply({ records, referral: true }), QUESTION).kind).toBe('addresses');
  });

  it('a truncated reply holds a part', () => {
    const records = [a('gw.test', '192.0.2.1')];
    expect(answerOf(aReply({ records, truncated: true }), QUESTION)).toMatchObject({ partial: true });
  });
});
