// How long nothing good has been heard of a name.
import type { GatewayRecord } from '../model/gateway.ts';

/**
 * Seconds since the last answer with addresses; of a name that never had one, since it was first found without.
 *
 * @param now seconds since the epoch, after the last answer
 */
export const ageOfLastGood = ({ lastGoodAt, failSince, negSince }: GatewayRecord, now: number): number =>
  Math.max(0, now - (lastGoodAt ?? Math.min(failSince ?? now, negSince ?? now)));
