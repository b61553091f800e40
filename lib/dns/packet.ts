// Turns questions into DNS packets and packets into replies: the one place that knows the packet library.
import { isIP } from 'node:net';
import { decode, encode, RECURSION_DESIRED, TRUNCATED_RESPONSE } from 'dns-packet';
import type { Answer as PacketRecord, DecodedPacket } from 'dns-packet';

export interface Question {
  readonly name: string; // lower case, no trailing dot
  readonly type: 'A' | 'AAAA';
}

export interface Query extends Question {
  readonly id: number;
  readonly edns: boolean;
}

export interface ResourceRecord {
  readonly owner: string; // lower case, no trailing dot
  readonly type: 'A' | 'AAAA' | 'CNAME';
  readonly ttl: number; // seconds, 32 bits as sent
  readonly data: string; // an address in canonical text, or a name in lower case
}

/** What one server said to one query. */
export interface Reply {
  readonly kind: 'reply';
  readonly rcode: number; // with the upper bits of EDNS
  readonly truncated: boolean;
  readonly records: readonly ResourceRecord[]; // of the answer section
  readonly negativeTtl?: number; // seconds; absent without an SOA
  /** It names the servers that would know: no statement about the name itself. */
  readonly referral: boolean;
}

export interface Malformed {
  readonly kind: 'malformed';
}

export const NOERROR = 0;
export const FORMERR = 1;
export const NXDOMAIN = 3;
export const NOTIMP = 4;
export const BADVERS = 16; // RFC 6891: the server does not know this version of EDNS

const HEADER_BYTES = 12;
const QR_AND_OPCODE = 0xf800;
const ANSWER_TO_A_QUERY = 0x8000; // QR set, opcode 0
const RCODE = 0x000f;
const UDP_PAYLOAD = 1232; // bytes that pass every common path unfragmented (DNS flag day 2020)

export function encodeQuery({ id, name, type, edns }: Query): Buffer {
  return encode({
    type: 'query',
    id,
    flags: RECURSION_DESIRED,
    questions: [{ name, type, class: 'IN' }],
    additionals: edns ? [ednsRecord()] : [],
  });
}

/**
 * Reads a packet as the reply to `query`; undefined when it answers some other query (another id or question, or no answer
 * at all), which says nothing about this one.
 */
export function readReply(packet: Buffer, query: Query): Reply | Malformed | undefined {
  if (packet.length < HEADER_BYTES || packet.readUInt16BE(0) !== query.id) return undefined;
  const flags = packet.readUInt16BE(2);
  if ((flags & QR_AND_OPCODE) !== ANSWER_TO_A_QUERY) return undefined;
  const decoded = tryDecode(packet);
  if (!decoded) return (flags & TRUNCATED_RESPONSE) === 0 ? { kind: 'malformed' } : cutShort(flags);
  if (!isAbout(decoded, query, flags & RCODE)) return undefined;
  const records = (decoded.answers ?? []).flatMap(toRecord);
  return records.every(isWellFormed) ? toReply(decoded, flags, records) : { kind: 'malformed' };
}

function ednsRecord(): PacketRecord {
  return {
    type: 'OPT',
    name: '.',
    udpPayloadSize: UDP_PAYLOAD,
    extendedRcode: 0,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    options: [],
  };
}

function tryDecode(packet: Buffer): DecodedPacket | undefined {
  try {
    return decode(packet);
  } catch {
    return undefined;
  }
}

/** Old servers cut in the middle of a record; the header still tells to ask over TCP. */
function cutShort(flags: number): Reply {
  return { kind: 'reply', rcode: flags & RCODE, truncated: true, records: [], referral: false };
}

/** A server that cannot read or will not serve a query may leave its question out of the reply. */
function isAbout({ questions = [] }: DecodedPacket, query: Query, rcode: number): boolean {
  const [question, ...others] = questions;
  if (!question) return rcode !== NOERROR && rcode !== NXDOMAIN;
  return (
    others.length === 0 &&
    plainName(question.name) === query.name &&
    question.type === query.type &&
    question.class === 'IN'
  );
}

function toReply(packet: DecodedPacket, flags: number, records: readonly ResourceRecord[]): Reply {
  const authorities = packet.authorities ?? [];
  const negativeTtls = authorities.flatMap((record) =>
    record.type === 'SOA' ? [Math.min(record.ttl ?? 0, record.data.minimum ?? 0)] : [],
  );
  const edns = packet.additionals?.find((record) => record.type === 'OPT');
  return {
    kind: 'reply',
    rcode: ((edns?.extendedRcode ?? 0) << 4) | (flags & RCODE),
    truncated: (flags & TRUNCATED_RESPONSE) !== 0,
    records,
    ...(negativeTtls.length > 0 && { negativeTtl: Math.min(...negativeTtls) }),
    referral: isReferral(packet),
  };
}

/** RFC 2308 §2.2. With an alias in the answer, the name servers may be those of the alias's own zone (CoreDNS adds them). */
function isReferral({ flag_aa: isAuthoritative, answers = [], authorities = [] }: DecodedPacket): boolean {
  const types = new Set(authorities.map(({ type }) => type));
  return !isAuthoritative && answers.length === 0 && types.has('NS') && !types.has('SOA');
}

function toRecord(record: PacketRecord): readonly ResourceRecord[] {
  if (record.type !== 'A' && record.type !== 'AAAA' && record.type !== 'CNAME') return [];
  if (record.class !== 'IN') return [];
  const { type, ttl = 0 } = record;
  const data = type === 'CNAME' ? plainName(record.data) : canonicalAddress(record.data);
  return [{ owner: plainName(record.name), type, ttl, data }];
}

/** The library reads past the end of a short record without a complaint; the text is then no address. */
function isWellFormed({ type, data }: ResourceRecord): boolean {
  return type === 'CNAME' || isIP(data) === (type === 'A' ? 4 : 6);
}

/** The library shortens the first run of zeros instead of the longest (RFC 5952); the URL parser knows the rule. */
function canonicalAddress(text: string): string {
  return isIP(text) === 6 ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text;
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
