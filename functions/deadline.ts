// When a function stops starting work.
import type { Context } from 'aws-lambda';

/** Left for requests already sent, for giving up the Lease and for the answer, ms. */
const RESERVE_MS = 20_000;

/** ms since the epoch; at least half of what is left, so that a short timeout still does something. */
export const deadlineOf = (context: Pick<Context, 'getRemainingTimeInMillis'>): number => {
  const left = context.getRemainingTimeInMillis();
  return Date.now() + Math.max(left / 2, left - RESERVE_MS);
};
