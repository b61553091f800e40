// Turns a failed look at a cluster into "unobserved".
import { ClusterError, errorText } from '../errors.ts';
import type { Reason } from '../model/plan.ts';
import type { Observed } from '../model/snapshot.ts';

/** @param what what was looked for, as a person would say it: `target Services` */
export const unobserved = (
  what: string,
  message: string,
  reason: Reason = 'Unobserved',
): Observed<never> => ({
  observed: false,
  why: { what, message },
  reason,
});

/** The value, or why it could not be seen. Only errors of the cluster become "unobserved": a fault of ours is thrown on. */
export const attempt = async <T>(what: string, look: () => Promise<T>): Promise<Observed<T>> => {
  try {
    return { observed: true, value: await look() };
  } catch (error) {
    if (error instanceof ClusterError) return unobserved(what, `${error.request}: ${errorText(error)}`);
    throw error;
  }
};
