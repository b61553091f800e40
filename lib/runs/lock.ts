// The lock among the functions of one deployment, for runs that look at the mirrors of a link and write them at once.
import type { RunWorld } from './world.ts';

/** What a run needs after its deadline for requests already sent, ms. */
const AFTER_DEADLINE = 60_000;

/** How long a run holds the deployment's lock at the most, seconds: one that is killed keeps others out no longer than it would have run. */
export const lockSeconds = ({ clock }: Pick<RunWorld, 'clock'>, deadline: number): number =>
  Math.ceil((deadline - clock.now() + AFTER_DEADLINE) / 1000);

export interface Locking {
  readonly link: string;
  readonly runId: string;
  readonly deadline: number; // ms since the epoch
}

/**
 * Does something while no other function of the deployment writes the mirrors of a link.
 *
 * @returns undefined: another one does now, or the link is not stored any more; nothing was done
 */
export const underLock = async <T>(
  world: RunWorld,
  { link, runId, deadline }: Locking,
  work: () => Promise<T>,
): Promise<T | undefined> => {
  const claim = await world.links.claim(link, runId, lockSeconds(world, deadline));
  if (claim === undefined) return undefined;
  try {
    return await work();
  } finally {
    await claim.release();
  }
};
