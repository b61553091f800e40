// Delayed messages that make a name be asked again at its due time, to the second.
import type { GatewayRecord } from '../model/gateway.ts';
import type { RefreshMessage } from '../model/messages.ts';
import type { QueueMessage } from '../ports.ts';

/** SQS delivers a message at most this late on purpose. */
const LONGEST_DELAY = 900;

/** Whoever saved a name's new due time sends its timer, and nobody else: so there is one at a time. @param now seconds */
export const timerFor = (
  { hostname, family, nextCheckAt }: Pick<GatewayRecord, 'hostname' | 'family' | 'nextCheckAt'>,
  now: number,
): QueueMessage<RefreshMessage> => ({
  body: { hostname, family, due: nextCheckAt, hop: 0 },
  delaySeconds: Math.min(LONGEST_DELAY, Math.max(0, Math.ceil(nextCheckAt - now))),
});
