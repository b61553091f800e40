// Plays a story to an engine, which is asked at its own due times, and writes down what it publishes.
import type { PublishedAddress } from '../../lib/model/gateway.ts';
import type { Answer } from '../../lib/ports.ts';
import { between, type Random } from './random.ts';
import type { Heard, Recursor } from './recursor.ts';

/** Whatever turns answers into published addresses. Times are seconds. */
export interface Engine {
  hear(answer: Answer, now: number): Promise<Published>;
}

export interface Published {
  readonly addresses: readonly PublishedAddress[];
  readonly nextCheckAt: number;
}

export interface Check {
  readonly at: number; // when the answer was there
  readonly heard: Heard;
  readonly addresses: readonly PublishedAddress[]; // from then on
}

/** A delayed message comes at most this late. */
const LATEST = 2;

/** Timers are sent with whole seconds and come late by chance; the engine itself sees whole seconds only. */
export const play = async (
  length: number,
  recursor: Recursor,
  engine: Engine,
  random: Random,
): Promise<readonly Check[]> => {
  const checks: Check[] = [];
  for (let at = 0; at < length;) {
    const heard = await recursor.lookUp(at);
    const answered = at + heard.took;
    const now = Math.floor(answered);
    const { addresses, nextCheckAt } = await engine.hear(heard.answer, now);
    checks.push({ at: answered, heard, addresses });
    at = answered + Math.ceil(nextCheckAt - now) + between(random, 0, LATEST);
  }
  return checks;
};
