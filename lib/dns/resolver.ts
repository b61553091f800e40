// The Resolver port over DNS: which servers are asked, how often, and when a look-up ends.
import dns from 'node:dns';
import { isIP } from 'node:net';
import type { Family } from '../model/objects.ts';
import type { Answer, Clock, Resolver } from '../ports.ts';
import { askServer } from './ask.ts';
import { startBudget } from './budget.ts';
import type { Budget } from './budget.ts';
import { lookAgain } from './looks.ts';
import type { Question } from './packet.ts';
import { parseServers } from './servers.ts';
import type { DnsServer } from './servers.ts';

export interface DnsResolverOptions {
  /** `127.0.0.1:5353`, `[::1]:53`, a bare address (port 53); undefined: those of the system */
  readonly servers?: readonly string[] | undefined;
  readonly timeoutMs?: number; // for one exchange with one server; default 1000
  readonly tries?: number; // rounds over all servers before the last one; default 2
  readonly deadlineMs?: number; // for one name and family, TCP and repeats included; default 5000
  readonly clock: Clock;
}

interface Settings {
  readonly servers: readonly DnsServer[];
  readonly tries: number;
}

interface Found {
  readonly answer: Answer;
  readonly askAgain?: () => Promise<Answer>; // in the same way; absent when nobody gave it
}

const LAST_ROUND_PAUSE = 300; // ms before the last round
const LITERAL_TTL = 2 ** 31 - 1; // s; an address does not expire: the longest TTL of RFC 2181 §8
const LABEL = /^[a-z0-9_-]{1,63}$/;
const MAX_NAME = 253;

/**
 * A resolver that speaks DNS itself, as the response code, the SOA's negative TTL and truncation decide what an answer is
 * worth, and node:dns hides them. It asks full names only (no search list, no hosts file) and keeps nothing between calls.
 *
 * Reasons of "unknown": `timeout`, `unreachable`, `malformed`, `truncated`, `referral`, `invalid name`, or a response code such
 * as `SERVFAIL` and `REFUSED`. Throws InputError, with every mistake, when a server's text is no address.
 */
export function dnsResolver(options: DnsResolverOptions): Resolver {
  const { timeoutMs = 1000, tries = 2, deadlineMs = 5000, clock } = options;
  const settings = { servers: parseServers(options.servers ?? dns.getServers()), tries };
  return {
    async resolve(name, family) {
      if (isIP(name) !== 0) return literalAnswer(name, family);
      const question = toQuestion(name, family);
      if (!question) return { kind: 'unknown', why: 'invalid name' };
      return search(question, settings, startBudget({ clock, totalMs: deadlineMs, eachMs: timeoutMs }));
    },
  };
}

function literalAnswer(ip: string, family: Family): Answer {
  const isOfFamily = isIP(ip) === (family === 'IPv4' ? 4 : 6);
  if (!isOfFamily) return { kind: 'nothing', why: 'NODATA' };
  return { kind: 'addresses', addresses: [ip], ttl: LITERAL_TTL, partial: false };
}

function toQuestion(text: string, family: Family): Question | undefined {
  const name = text.toLowerCase().replace(/\.$/, '');
  const isName = name.length <= MAX_NAME && name.split('.').every((label) => LABEL.test(label));
  return isName ? { name, type: family === 'IPv4' ? 'A' : 'AAAA' } : undefined;
}

async function search(question: Question, settings: Settings, budget: Budget): Promise<Answer> {
  const { answer, askAgain } = await firstAnswer(question, settings, budget);
  return askAgain && answer.kind === 'addresses' ? lookAgain(answer, budget, askAgain) : answer;
}

/**
 * Asks until one server gives a whole answer:
 *
 *     round 1 … tries   each server in turn
 *     300 ms later      each server once more, without EDNS (some firewalls drop what they do not know)
 *
 * A partial answer ends the search with its round: another server may still have the whole, but "nothing" is not the whole
 * of something. What is reported at the end is the last reason that a server gave; `timeout` says less than any.
 */
async function firstAnswer(question: Question, settings: Settings, budget: Budget): Promise<Found> {
  let best: Found = { answer: { kind: 'unknown', why: 'timeout' } };
  for (let round = 1; round <= settings.tries + 1; round += 1) {
    const isLast = round > settings.tries;
    if (isLast && !(await budget.pause(LAST_ROUND_PAUSE))) break;
    for (const server of settings.servers) {
      const ask = (): Promise<Answer> => askServer({ server, question, edns: !isLast, budget });
      const answer = await ask();
      if (isWhole(answer, best.answer)) return { answer, askAgain: ask };
      if (saysMore(answer, best.answer)) best = { answer, askAgain: ask };
    }
    if (best.answer.kind === 'addresses') break;
  }
  return best;
}

function isWhole(answer: Answer, best: Answer): boolean {
  if (answer.kind === 'addresses') return !answer.partial;
  return answer.kind === 'nothing' && best.kind !== 'addresses';
}

function saysMore(answer: Answer, best: Answer): boolean {
  if (best.kind === 'addresses') return false;
  return answer.kind === 'addresses' || (answer.kind === 'unknown' && answer.why !== 'timeout');
}
