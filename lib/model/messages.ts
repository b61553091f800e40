// What travels through the queues: keys, never state.
import * as z from 'zod';

/** How often a follow-up may follow a follow-up: below the 16 after which Lambda cuts such a chain. */
export const MOST_HOPS = 12;

const hop = z.int().min(0).max(MOST_HOPS).default(0);

export const reconcileMessage = z.object({ link: z.string().min(1), hop });
export type ReconcileMessage = z.output<typeof reconcileMessage>;

export const refreshMessage = z.object({
  hostname: z.string().min(1),
  family: z.enum(['IPv4', 'IPv6']),
  due: z.number(), // seconds since the epoch
  hop,
});
export type RefreshMessage = z.output<typeof refreshMessage>;
