// The stored form of a link's gateway state: plain JSON, checked when it is read back. Shared by every store.
import { isIP } from 'node:net';
import * as z from 'zod';
import { StateError } from '../errors.ts';
import { mistakeLine, mistakesOf } from '../mistakes.ts';
import { RECORD_STATES, type GatewayState } from '../model/gateway.ts';
import { LIVENESS_STATES } from '../model/liveness.ts';

const seconds = z.number('expected seconds since the epoch');
const count = z.int('expected a whole number').min(0);
const address = z.string().refine((text) => isIP(text) !== 0, 'expected an IP address');

const entry = z.object({
  state: z.enum(['ready', 'draining', 'down']),
  misses: count,
  missingSince: seconds.exactOptional(),
  returns: z.array(seconds),
  streak: count,
});

const record = z.object({
  hostname: z.string().min(1),
  family: z.enum(['IPv4', 'IPv6']),
  state: z.enum(RECORD_STATES),
  addresses: z.record(address, entry),
  lastGoodAt: seconds.exactOptional(),
  expiresAt: seconds.exactOptional(),
  copyExpiry: seconds.exactOptional(),
  failCount: count,
  failSince: seconds.exactOptional(),
  negCount: count,
  negSince: seconds.exactOptional(),
  negExpiry: seconds.exactOptional(),
  returnEvents: z.array(z.object({ at: seconds, addresses: z.array(address) })),
  rotatingUntil: seconds.exactOptional(),
  nextCheckAt: seconds,
  lastError: z.string().exactOptional(),
  refused: z.array(z.object({ address: z.string(), why: z.string() })).exactOptional(),
  departedAt: seconds.exactOptional(),
});

/** One record on its own, as it stands in the item of a name. */
export const recordSchema = record;

const liveness = z.object({
  state: z.enum(LIVENESS_STATES),
  failures: count,
  since: seconds,
  lastProbeAt: seconds,
  lastWhy: z.string().exactOptional(),
});

const state = z.object({
  schema: z.literal(1),
  targetUid: z.string().exactOptional(),
  identity: z.string().exactOptional(),
  liveness: z.record(address, liveness).exactOptional(),
  probe: z
    .object({ port: count, path: z.string(), timeout: z.number(), anyAnswer: z.boolean() })
    .exactOptional(),
  guarded: z
    .object({
      allowedCIDRs: z.array(z.string()),
      serviceRanges: z.array(z.string()),
      apiServers: z.array(z.string()),
    })
    .exactOptional(),
  records: z.array(record),
  literals: z.record(address, z.object({ departedAt: seconds.exactOptional() })),
  zones: z.record(address, z.string()).exactOptional(),
  published: z.object({ changedAt: seconds, since: z.record(address, seconds) }).exactOptional(),
});

/**
 * The state that `stored` holds; fields that a newer version may have added are dropped.
 * @param where names the place in messages, e.g. a file and a link
 * @throws StateError naming every field that is not as it should be
 */
export function gatewayStateFrom(stored: unknown, where: string): GatewayState {
  const parsed = state.safeParse(stored);
  if (parsed.success) return parsed.data;
  const lines = mistakesOf(parsed.error.issues, state, stored).map(mistakeLine);
  throw new StateError(`${where}: ${lines.join('; ')}`);
}
