// Packets in and out: bytes written out by hand, and bytes at random.
import { array, assert, nat, property, tuple, uint8Array } from 'fast-check';
import { isIP } from 'node:net';
import { describe, expect, it } from 'vitest';
import { encodeQuery, readReply } from '../../lib/dns/packet.ts';

const QUERY = { id: 0x1234, name: 'gw.test', type: 'A', edns: true } as const;
const QUESTION = '02 6777 04 74657374 00 0001 0001'; // gw.test A IN
const OPT = '00 0029 04d0 00000000 0000'; // EDNS version 0, 1232 bytes

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');

/** A reply to QUERY: flags, then counts of answers, authorities and additionals, then what follows the question. */
const aReply = (flags: string, counts: string, rest = '', question = QUESTION): Buffer =>
  bytes(`1234 ${flags} ${question ? '0001' : '0000'} ${counts} ${question} ${rest}`);

const A_RECORD = 'c00c 0001 0001 0000003c 0004 c0000201'; // gw.test 60 A 192.0.2.1, its name by reference
const NS_RECORD = 'c00c 0002 0001 0000003c 0005 026e73 c00f'; // gw.test 60 NS ns.test
const good = aReply('8180', '0001 0000 0000', A_RECORD);

describe('encodeQuery', () => {
  it('asks for recursion, with EDNS', () => {
    expect(encodeQuery(QUERY)).toEqual(bytes(`1234 0100 0001 0000 0000 0001 ${QUESTION} ${OPT}`));
  });

  it('without EDNS, for IPv6', () => {
    const ofIpv6 = QUESTION.replace('0001 0001', '001c 0001');
    expect(encodeQuery({ ...QUERY, type: 'AAAA', edns: false })).toEqual(
      bytes(`1234 0100 0001 0000 0000 0000 ${ofIpv6}`),
    );
  });
});

describe('readReply', () => {
  it('reads an address with a compressed name', () => {
    expect(readReply(good, QUERY)).toEqual({
      kind: 'reply',
      rcode: 0,
      truncated: false,
      records: [{ owner: 'gw.test', type: 'A', ttl: 60, data: '192.0.2.1' }],
      referral: false,
    });
  });

  it('a question that comes back in capitals is the same', () => {
    const capitals = QUESTION.replace('6777', '4757');
    expect(readReply(aReply('8180', '0001 0000 0000', A_RECORD, capitals), QUERY)).toMatchObject({
      records: [{ owner: 'gw.test' }],
    });
  });

  it('the response code has its upper bits in EDNS', () => {
    const badVersion = OPT.replace('00000000', '01000000');
    expect(readReply(aReply('8180', '0000 0000 0001', badVersion), QUERY)).toMatchObject({ rcode: 16 });
  });

  it('an address of another class is no address', () => {
    const chaos = A_RECORD.replace('0001 0001', '0001 0003');
    expect(readReply(aReply('8180', '0001 0000 0000', chaos), QUERY)).toMatchObject({ records: [] });
  });

  it('name servers without an SOA are a referral', () => {
    expect(readReply(aReply('8180', '0000 0001 0000', NS_RECORD), QUERY)).toMatchObject({ referral: true });
  });

  it.each([
    ['an authority', '8580', '0000 0001 0000', ''],
    ['an answer', '8180', '0001 0001 0000', 'c00c 0005 0001 0000003c 0004 01 78 c00f'],
    ['an SOA', '8180', '0000 0002 0000', `c00c 0006 0001 0000003c 0016 00 00 ${'00000007'.repeat(5)}`],
  ])('name servers with %s are no referral', (_, flags, counts, before) => {
    expect(readReply(aReply(flags, counts, `${before} ${NS_RECORD}`), QUERY)).toMatchObject({
      referral: false,
    });
  });

  it.each([
    ['another id', bytes(good.toString('hex').replace('1234', '1235'))],
    ['a query', aReply('0100', '0000 0000 0000')],
    ['another operation', aReply('a980', '0001 0000 0000', A_RECORD)],
    ['another name', aReply('8180', '0000 0000 0000', '', QUESTION.replace('6777', '6778'))],
    ['another type', aReply('8180', '0000 0000 0000', '', QUESTION.replace('0001 0001', '001c 0001'))],
    ['another class', aReply('8180', '0000 0000 0000', '', QUESTION.replace('0001 0001', '0001 0003'))],
    ['two questions', bytes(`1234 8180 0002 0000 0000 0000 ${QUESTION} ${QUESTION}`)],
    ['no question', aReply('8180', '0000 0000 0000', '', '')],
    ['no question, "does not exist"', aReply('8183', '0000 0000 0000', '', '')],
    ['half a header', good.subarray(0, 11)],
    ['no byte', Buffer.alloc(0)],
  ])('%s is not meant for us', (_, packet) => {
    expect(readReply(packet, QUERY)).toBeUndefined();
  });

  it.each([
    ['FORMERR', '8181', 1],
    ['SERVFAIL', '8182', 2],
    ['NOTIMP', '8184', 4],
    ['REFUSED', '8185', 5],
  ])('%s may come without the question', (_, flags, rcode) => {
    expect(readReply(aReply(flags, '0000 0000 0000', '', ''), QUERY)).toMatchObject({ kind: 'reply', rcode });
  });

  it.each([
    ['fewer records than it says', aReply('8180', '0002 0000 0000', A_RECORD)],
    ['an address cut in the middle', good.subarray(0, good.length - 2)],
    [
      'a name that refers to itself',
      aReply('8180', '0001 0000 0000', 'c019 0001 0001 0000003c 0004 c0000201'),
    ],
  ])('%s is malformed', (_, packet) => {
    expect(readReply(packet, QUERY)).toEqual({ kind: 'malformed' });
  });

  it('cut in the middle of a record, with the bit that says so: truncated', () => {
    expect(readReply(aReply('8380', '0002 0000 0000', A_RECORD), QUERY)).toMatchObject({
      kind: 'reply',
      truncated: true,
      records: [],
    });
  });

  it('whatever comes, it never throws and its addresses are addresses', () => {
    const edits = array(tuple(nat(good.length - 1), nat(255)), { maxLength: 6 });
    const addressesOf = property(edits, uint8Array({ maxLength: 80 }), (changes, tail) => {
      const packet = Buffer.concat([good, tail]);
      for (const [at, value] of changes) packet[at] = value;
      packet.writeUInt16BE(QUERY.id, 0);
      const reply = readReply(packet, QUERY);
      const records = reply?.kind === 'reply' ? reply.records : [];
      return records.every(({ type, data }) => type === 'CNAME' || isIP(data) !== 0);
    });
    expect(() => assert(addressesOf, { numRuns: 2000 })).not.toThrow();
  });
});
