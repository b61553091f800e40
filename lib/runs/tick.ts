// Each minute: one message for every link that has something to be done, and a new timer for every name whose timer got lost.
import type { BrokenLink } from '../ports.ts';
import { timerFor } from './timers.ts';
import type { RunWorld } from './world.ts';

/** How late a name's look-up may be before its timer counts as lost, seconds: longer than a queue is late by itself. */
const LOST_AFTER = 30;

export interface TickResult {
  readonly sent: readonly string[]; // links that get a reconcile
  readonly paused: readonly string[];
  readonly broken: readonly BrokenLink[];
  readonly timers: number; // that were set anew
}

type TickWorld = Pick<RunWorld, 'links' | 'names' | 'work' | 'timers' | 'clock'>;

/** Timers that should have gone off and did not: a message was lost, or whoever took it died. */
const resetTimers = async ({ names, timers, clock }: TickWorld): Promise<number> => {
  const now = clock.now() / 1000;
  const late = (await names.list()).filter(({ nextCheckAt }) => nextCheckAt + LOST_AFTER < now);
  if (late.length > 0) {
    await timers.send(late.map(({ record, nextCheckAt }) => timerFor({ ...record, nextCheckAt }, now)));
  }
  return late.length;
};

/** Reads all links by one list and sends them to the work queue. A paused link is left alone, unless it is ending. */
export const tick = async (world: TickWorld): Promise<TickResult> => {
  const stored = await world.links.list();
  const isDue = ({ link, ending }: (typeof stored.links)[number]): boolean => ending || !link.paused;
  const sent = stored.links.filter(isDue).map(({ link }) => link.name);
  if (sent.length > 0) await world.work.send(sent.map((link) => ({ body: { link, hop: 0 } })));
  return {
    sent,
    paused: stored.links.filter((record) => !isDue(record)).map(({ link }) => link.name),
    broken: stored.broken,
    timers: await resetTimers(world),
  };
};
