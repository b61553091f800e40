// One timer that went off: ask the name again, tell the links that use it, and let the mirrors of those that changed follow.
import type { RefreshMessage } from '../model/messages.ts';
import type { Answer } from '../ports.ts';
import { follow, type Followed, queue } from './follow.ts';
import { askClaimed, CLAIM_SECONDS } from './names.ts';
import type { RunWorld } from './world.ts';

export type RefreshResult =
  | {
      readonly kind: 'asked';
      readonly answer: Answer['kind'];
      /** Links whose addresses changed, and how their mirrors came to know. */
      readonly changed: Readonly<Record<string, Followed>>;
      /** Why AWS was asked for the load balancer and did not tell. */
      readonly untold?: string;
      /** Seconds since the name last resolved; absent of a name that no link uses any more. */
      readonly age?: number;
    }
  /** Not the present timer of its name: late, early, doubled, or of a name that no link uses any more. */
  | { readonly kind: 'idle' };

/** Half a second of tolerance: a timer is sent with whole seconds. */
const TOLERANCE = 0.5;

/**
 * Asks a name that really is due. Only the winner of the claim asks, saves and sends the next timer; a doubled message finds the
 * name claimed and does nothing. An answer that changes no published address reads and writes no cluster.
 *
 * @param deadline ms since the epoch; what cannot be followed until then is left to the work queue
 */
export const refresh = async (
  world: RunWorld,
  { hostname, family }: RefreshMessage,
  deadline: number,
): Promise<RefreshResult> => {
  const now = world.clock.now() / 1000;
  const times = { now: now + TOLERANCE, until: now + CLAIM_SECONDS };
  const claimed = await world.names.claim(hostname, family, times);
  if (claimed === undefined) return { kind: 'idle' };
  const { answer, changed, first, untold, age } = await askClaimed(world, claimed);
  const followed: Record<string, Followed> = {};
  for (const link of changed) {
    followed[link] = await (first.includes(link) ? queue(world, link) : follow(world, link, deadline));
  }
  return {
    kind: 'asked',
    answer: answer.kind,
    changed: followed,
    ...(untold !== undefined && { untold }),
    ...(age !== undefined && { age }),
  };
};
