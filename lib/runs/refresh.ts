// One timer that went off: ask a gateway's name again, remember the answer, and have the mirrors follow when it changed something.
import { drawJitter, SETTINGS } from '../gateway/settings.ts';
import { nameKey, rememberedNames, stepGateway } from '../gateway/state.ts';
import type { GatewayRecord, GatewayState } from '../model/gateway.ts';
import type { RefreshMessage } from '../model/messages.ts';
import type { Link } from '../model/link.ts';
import type { Answer, LinkRecord } from '../ports.ts';
import { timersFor } from './timers.ts';
import type { RunWorld } from './world.ts';

export type RefreshResult =
  | { readonly kind: 'asked'; readonly changed: boolean; readonly answer: Answer['kind'] }
  /** The timer was not the present one of its name: late, doubled, or of a name or link that is gone. */
  | { readonly kind: 'idle'; readonly why: string };

const idle = (why: string): RefreshResult => ({ kind: 'idle', why });

const recordOf = (state: GatewayState, { hostname, family }: RefreshMessage): GatewayRecord | undefined =>
  state.records.find(
    (record) => record.hostname === hostname && record.family === family && record.departedAt === undefined,
  );

/** Half a second of tolerance: a timer is sent with whole seconds. */
const isDue = (record: GatewayRecord, now: number): boolean => record.nextCheckAt <= now + 0.5;

const step = (
  link: Link,
  state: GatewayState,
  at: { answers: ReadonlyMap<string, Answer>; now: number; jitter: number },
) =>
  stepGateway({
    ...at,
    state,
    declaration: rememberedNames(state, link.gateway === 'none' ? { namespace: '', name: '' } : link.gateway),
    families: [...new Set(state.records.map(({ family }) => family))],
    rules: {
      allowedCIDRs: link.allowedCIDRs,
      serviceRanges: state.guarded?.serviceRanges ?? [],
      serviceAddresses: new Set(),
      apiServers: new Set(state.guarded?.apiServers ?? []),
    },
    seeds: [],
    firstLookDelay: link.firstLookDelay,
    settings: SETTINGS,
  });

const isLive = (record: LinkRecord | undefined): record is LinkRecord =>
  record !== undefined && !record.ending && !record.link.paused && record.link.gateway !== 'none';

/**
 * Asks one name when it really is due. Whoever saves the answer first sends the next timer; a doubled message finds the record moved
 * and does nothing. A changed set of addresses sends the link to the work queue; an unchanged one reads and writes no cluster.
 */
export const refresh = async (world: RunWorld, message: RefreshMessage): Promise<RefreshResult> => {
  const { clock, gateways, links } = world;
  const [linkRecord, stored] = await Promise.all([links.get(message.link), gateways.load(message.link)]);
  if (!isLive(linkRecord)) return idle('the link is gone, ending or paused');
  const record = stored === undefined ? undefined : recordOf(stored.value, message);
  if (stored === undefined || record === undefined)
    return idle('the gateway does not declare this name any more');
  if (!isDue(record, clock.now() / 1000)) return idle('it was asked meanwhile');
  const answer = await world.resolver.resolve(message.hostname, message.family);
  const now = Math.floor(clock.now() / 1000);
  const result = step(linkRecord.link, stored.value, {
    answers: new Map([[nameKey(message.hostname, message.family), answer]]),
    now,
    jitter: drawJitter(world.random()),
  });
  if (!(await gateways.save(message.link, result.state, stored.version)))
    return idle('somebody else saved an answer first');
  const next = recordOf(result.state, message);
  if (next !== undefined) await world.timers.send(timersFor(message.link, [next], { seconds: now, hop: 0 }));
  if (result.changed) await world.work.send([{ body: { link: message.link, hop: 0 } }]);
  return { kind: 'asked', changed: result.changed, answer: answer.kind };
};
