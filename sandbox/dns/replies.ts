// Builds the packets with which the scripted DNS server answers one query, as the rule of the name says.
import { decode, encode, RECURSION_AVAILABLE, RECURSION_DESIRED, TRUNCATED_RESPONSE } from 'dns-packet';
import type { Answer, Packet, Question } from 'dns-packet';
import { RCODES } from './rules.ts';
import type { NameRule } from './rules.ts';
import { addressRecord } from './zone.ts';
import type { Resolution, Zone, ZoneRecord } from './zone.ts';

export interface ParsedQuery {
  readonly id: number;
  readonly question: Question;
  /** bytes that the asker takes in a datagram; undefined: it did not use EDNS */
  readonly payload?: number;
}

export type Transport = 'udp' | 'tcp';

/** What to do about one query: packets to send one after the other, and the end of the connection, if any. */
export interface Response {
  readonly packets: readonly Buffer[];
  readonly end?: 'reset' | 'close';
  readonly delayMs: number;
}

const PLAIN_PAYLOAD = 512; // bytes of a datagram without EDNS (RFC 1035 §4.2.1)
const OUR_PAYLOAD = 1232;
const EDNS_RCODES = {
  formerrOnEdns: { flags: RCODES.FORMERR, extendedRcode: 0 },
  notimpOnEdns: { flags: RCODES.NOTIMP, extendedRcode: 0 },
  badversOnEdns: { flags: 0, extendedRcode: 1 }, // 16: its lower four bits are in the header (RFC 6891 §6.1.3)
} as const;
const FOREIGN_OWNER = 'foreign.invalid';
const FOREIGN_TTL = 60; // s

/** undefined for what is no query. */
export function parseQuery(packet: Buffer): ParsedQuery | undefined {
  try {
    const { id = 0, type, questions = [], additionals = [] } = decode(packet);
    const [question] = questions;
    if (!question || type !== 'query') return undefined;
    const edns = additionals.find((record) => record.type === 'OPT');
    return { id, question, ...(edns && { payload: edns.udpPayloadSize }) };
  } catch {
    return undefined;
  }
}

export function respond(query: ParsedQuery, transport: Transport, zone: Zone): Response {
  const resolution = zone.resolve(query.question.name, query.question.type);
  const { behaviour, ahead, tcp, delayMs = 0 } = resolution.rule;
  const isMute = behaviour === 'silent' || (transport === 'tcp' && tcp !== undefined);
  if (isMute) return { packets: [], delayMs, ...ending(tcp) };
  const reply = replyPacket(query, transport, resolution);
  const packets = ahead ? [spoil(reply, ahead), reply] : [reply];
  return { packets: packets.map((packet) => toBytes(packet, resolution)), delayMs };
}

function ending(tcp: NameRule['tcp']): Pick<Response, 'end'> {
  if (tcp === undefined || tcp === 'silent') return {};
  return { end: tcp === 'refuse' ? 'reset' : 'close' };
}

function replyPacket(query: ParsedQuery, transport: Transport, resolution: Resolution): Packet {
  const { rule } = resolution;
  const whole = wholeReply(query, resolution);
  switch (rule.behaviour) {
    case 'formerrOnEdns':
    case 'notimpOnEdns':
    case 'badversOnEdns':
      return query.payload === undefined ? fitting(whole, query, transport) : refuse(whole, rule.behaviour);
    case 'truncate':
      return transport === 'tcp' ? whole : cut(whole, 0);
    case 'truncateKeepingRecords':
      return transport === 'tcp' ? whole : cut(whole, Math.ceil((whole.answers ?? []).length / 2));
    case 'wrongId':
    case 'wrongQuestion':
      return spoil(whole, rule.behaviour);
    case 'referral':
      return { ...whole, answers: [], authorities: [nameServer(query.question.name)] };
    case 'silent':
    case 'malformed':
    case undefined:
      return fitting(whole, query, transport);
    default:
      return rule.behaviour satisfies never;
  }
}

function wholeReply({ id, question, payload }: ParsedQuery, resolution: Resolution): Packet {
  const { records, rcode, soa, rule } = resolution;
  const foreign = (rule.foreign ?? []).map((data) => addressRecord(FOREIGN_OWNER, FOREIGN_TTL, data));
  return {
    type: 'response',
    id,
    flags: RECURSION_DESIRED | RECURSION_AVAILABLE | rcode,
    questions: [question],
    answers: [...foreign, ...records].map(toAnswer),
    authorities: soa ? [soaRecord(question.name, soa.ttl, soa.minimum)] : [],
    additionals: payload === undefined ? [] : [ednsRecord()],
  };
}

/** A datagram takes what the asker said it can; the rest is cut off. Names are not compressed, so it fills up early. */
function fitting(packet: Packet, { payload = 0 }: ParsedQuery, transport: Transport): Packet {
  const limit = transport === 'tcp' ? Infinity : Math.max(PLAIN_PAYLOAD, payload);
  let kept = packet;
  for (let count = (packet.answers ?? []).length; encode(kept).length > limit && count > 0;) {
    count -= 1;
    kept = cut(packet, count);
  }
  return kept;
}

function cut(packet: Packet, count: number): Packet {
  const answers = (packet.answers ?? []).slice(0, count);
  return { ...packet, flags: (packet.flags ?? 0) | TRUNCATED_RESPONSE, answers, authorities: [] };
}

function refuse(packet: Packet, how: keyof typeof EDNS_RCODES): Packet {
  const { flags, extendedRcode } = EDNS_RCODES[how];
  const additionals = extendedRcode === 0 ? [] : [ednsRecord(extendedRcode)];
  return { ...packet, flags, answers: [], authorities: [], additionals };
}

function spoil(packet: Packet, how: 'wrongId' | 'wrongQuestion'): Packet {
  if (how === 'wrongId') return { ...packet, id: ((packet.id ?? 0) + 1) & 0xffff };
  return { ...packet, questions: [{ name: FOREIGN_OWNER, type: 'A', class: 'IN' }] };
}

function toBytes(packet: Packet, { rule }: Resolution): Buffer {
  const bytes = encode(packet);
  if (rule.behaviour !== 'malformed') return bytes;
  const header = Buffer.from(bytes.subarray(0, 12));
  header.writeUInt16BE(7, 6); // seven answers that do not follow
  return header;
}

const toAnswer = ({ owner, type, ttl, data }: ZoneRecord): Answer => ({ name: owner, type, ttl, data });

function nameServer(name: string): Answer {
  return { name, type: 'NS', ttl: 60, data: 'ns.invalid' };
}

function soaRecord(name: string, ttl: number, minimum: number): Answer {
  const data = { mname: 'ns.invalid', rname: 'hostmaster.invalid', serial: 1, refresh: 3600, retry: 600 };
  return { name, type: 'SOA', ttl, data: { ...data, expire: 86_400, minimum } };
}

function ednsRecord(extendedRcode = 0): Answer {
  const fixed = { extendedRcode, ednsVersion: 0, flags: 0, flag_do: false, options: [] };
  return { type: 'OPT', name: '.', udpPayloadSize: OUR_PAYLOAD, ...fixed };
}
