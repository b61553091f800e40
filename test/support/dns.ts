// A resolver port whose answers a test writes down; it counts what it is asked.
import type { Answer, Resolver } from '../../lib/ports.ts';

export interface TestDns extends Resolver {
  /** What a name answers from now on. */
  set(name: string, answer: Answer | readonly string[]): void;
  readonly asked: string[];
}

export const SERVFAIL: Answer = { kind: 'unknown', why: 'SERVFAIL' };
const NXDOMAIN: Answer = { kind: 'nothing', why: 'NXDOMAIN', negativeTtl: 60 };

const isAnswer = (answer: Answer | readonly string[]): answer is Answer => !Array.isArray(answer);

/** Addresses alone stand for a complete answer with a TTL of 60 s. Unknown names do not exist; only IPv4 is served. */
export const testDns = (): TestDns => {
  const zone = new Map<string, Answer>();
  const asked: string[] = [];
  return {
    asked,
    set: (name, answer) => {
      zone.set(
        name,
        isAnswer(answer) ? answer : { kind: 'addresses', addresses: answer, ttl: 60, partial: false },
      );
    },
    resolve: (name, family) => {
      asked.push(`${name} ${family}`);
      if (family === 'IPv6') return Promise.resolve({ kind: 'nothing', why: 'NODATA' });
      return Promise.resolve(zone.get(name) ?? NXDOMAIN);
    },
  };
};
