// Delayed messages that make a name be asked again at its due time, to the second.
import type { GatewayRecord } from '../model/gateway.ts';
import type { RefreshMessage } from '../model/messages.ts';
import type { QueueMessage } from '../ports.ts';

/** SQS delivers a message at most this late on purpose. */
const LONGEST_DELAY = 900;

/** One timer per record. Whoever saved a record's new time sends its timer, and nobody else: so there is one at a time. */
export const timersFor = (
  link: string,
  records: readonly GatewayRecord[],
  now: { readonly seconds: number; readonly hop: number },
): readonly QueueMessage<RefreshMessage>[] =>
  records.map(({ hostname, family, nextCheckAt }) => ({
    body: { link, hostname, family, due: nextCheckAt, hop: now.hop },
    delaySeconds: Math.min(LONGEST_DELAY, Math.max(0, Math.ceil(nextCheckAt - now.seconds))),
  }));
