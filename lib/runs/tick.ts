// Each minute: one message for every link that has something to be done.
import type { BrokenLink } from '../ports.ts';
import type { RunWorld } from './world.ts';

export interface TickResult {
  readonly sent: readonly string[]; // links that get a reconcile
  readonly paused: readonly string[];
  readonly broken: readonly BrokenLink[];
}

/** Reads all links by one list and sends them to the work queue. A paused link is left alone, unless it is ending. */
export const tick = async ({ links, work }: Pick<RunWorld, 'links' | 'work'>): Promise<TickResult> => {
  const stored = await links.list();
  const isDue = ({ link, ending }: (typeof stored.links)[number]): boolean => ending || !link.paused;
  const sent = stored.links.filter(isDue).map(({ link }) => link.name);
  if (sent.length > 0) await work.send(sent.map((link) => ({ body: { link, hop: 0 } })));
  return {
    sent,
    paused: stored.links.filter((record) => !isDue(record)).map(({ link }) => link.name),
    broken: stored.broken,
  };
};
