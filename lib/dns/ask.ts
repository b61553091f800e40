// One question to one server: UDP first, without EDNS where that is not understood, over TCP where the reply was cut short.
import { randomInt } from 'node:crypto';
import type { Answer } from '../ports.ts';
import { answerOf } from './answer.ts';
import type { Budget } from './budget.ts';
import { BADVERS, encodeQuery, FORMERR, NOTIMP, readReply } from './packet.ts';
import type { Question, Reply } from './packet.ts';
import type { DnsServer } from './servers.ts';
import { overTcp, overUdp } from './transport.ts';

export interface Ask {
  readonly server: DnsServer;
  readonly question: Question;
  readonly edns: boolean;
  readonly budget: Budget;
}

interface Failure {
  readonly kind: 'failure';
  readonly why: 'timeout' | 'unreachable' | 'malformed';
}

/**
 * The answer of one server; unknown with `timeout`, `unreachable`, `malformed`, `truncated`, `referral` or a response code.
 * Where TCP is of no help, the addresses of a truncated reply are an answer with `partial`.
 */
export async function askServer(ask: Ask): Promise<Answer> {
  const reply = await send(overUdp, ask);
  if (ask.edns && dislikesEdns(reply)) return askServer({ ...ask, edns: false });
  if (reply.kind === 'failure' || !reply.truncated) return toAnswer(reply, ask.question);
  const whole = toAnswer(await send(overTcp, ask), ask.question);
  if (whole.kind !== 'unknown') return whole;
  const part = answerOf(reply, ask.question);
  return part.kind === 'addresses' ? part : { kind: 'unknown', why: 'truncated' };
}

async function send(transport: typeof overUdp<Reply | Failure>, ask: Ask): Promise<Reply | Failure> {
  const query = { ...ask.question, edns: ask.edns, id: randomInt(0x1_0000) };
  const read = (packet: Buffer): Reply | Failure | undefined => {
    const reply = readReply(packet, query);
    return reply?.kind === 'malformed' ? { kind: 'failure', why: 'malformed' } : reply;
  };
  const exchange = { server: ask.server, query: encodeQuery(query), read };
  try {
    const reply = await ask.budget.within((signal) => transport({ ...exchange, signal }));
    return reply ?? { kind: 'failure', why: 'timeout' };
  } catch {
    return { kind: 'failure', why: 'unreachable' }; // no route, port closed, no socket left: all mean "ask another"
  }
}

function dislikesEdns(reply: Reply | Failure): boolean {
  return reply.kind === 'reply' && [FORMERR, NOTIMP, BADVERS].includes(reply.rcode);
}

function toAnswer(reply: Reply | Failure, question: Question): Answer {
  return reply.kind === 'failure' ? { kind: 'unknown', why: reply.why } : answerOf(reply, question);
}
