// Lets the mirrors of one link follow a gateway whose addresses changed, without a whole reconcile: only endpoints are read and written.
import { applyGuarded } from '../apply/guarded.ts';
import { publishedBy, resolvedBy } from '../gateway/published.ts';
import { withCommonZones } from '../gateway/zones.ts';
import type { GatewayState } from '../model/gateway.ts';
import { keyText } from '../model/keys.ts';
import { leaseName } from '../model/labels.ts';
import type { Link } from '../model/link.ts';
import type { Plan } from '../model/plan.ts';
import type { SourceSnapshot } from '../model/snapshot.ts';
import type { Cluster } from '../ports.ts';
import { withNamesReadAgain } from '../observe/again.ts';
import { observeEndpoints, observeLease } from '../observe/source.ts';
import { planFollow } from '../plan/follow.ts';
import { journalOutcomes } from './journal.ts';
import { type Locking, underLock } from './lock.ts';
import type { RunWorld } from './world.ts';

/** followed: every endpoints object lists what the gateway resolves to. queued: a reconcile was asked for instead. */
export type Followed = 'followed' | 'queued';

const planOf = (link: Link, source: SourceSnapshot, state: GatewayState): Plan => {
  const { endpoints, slices } = source;
  const changes = planFollow({
    link,
    endpoints,
    slices,
    gateway: {
      addresses: withCommonZones(link, publishedBy(state)),
      resolved: withCommonZones(link, resolvedBy(state)),
    },
  });
  return { changes, refusals: [], unobserved: [], notes: [] };
};

interface Following {
  readonly link: Link;
  readonly state: GatewayState;
  readonly runId: string;
  readonly deadline: number; // ms since the epoch
}

const write = async (world: RunWorld, cluster: Cluster, following: Following): Promise<boolean> => {
  const { link, state, runId, deadline } = following;
  const [source, lease] = await Promise.all([
    observeEndpoints(cluster, link),
    observeLease(cluster, link.namespace, leaseName(link.name)),
  ]);
  if (!source.observed || !lease.observed) return false;
  const { outcomes } = await applyGuarded(
    { link, source: cluster, clock: world.clock, runId, targetUid: state.targetUid, deadline },
    planOf(link, source.value, state),
    { source: source.value, lease: lease.value },
    {
      readAgain: (snapshot, names) => withNamesReadAgain(cluster, link, snapshot, names),
      decideAgain: async () => {
        const again = (await world.gateways.load(link.name))?.value ?? state;
        return (snapshot, mirror) => ({
          changes: planOf(link, snapshot, again).changes.filter(
            (change) => keyText(change.mirror) === keyText(mirror),
          ),
          refusals: [],
        });
      },
    },
  );
  await journalOutcomes(world, { link: link.name, runId }, outcomes);
  return outcomes.every(({ result }) => result === 'applied');
};

/** Reads all that it decides on while the lock is held: nothing of it can be older than what another function wrote. */
const followNow = async (world: RunWorld, { link: name, runId, deadline }: Locking): Promise<boolean> => {
  const [record, stored] = await Promise.all([world.links.get(name), world.gateways.load(name)]);
  if (record === undefined || record.ending || record.link.paused || stored === undefined) return false;
  const { link } = record;
  const clusters = await world.open(link, { fresh: false });
  try {
    return await write(world, clusters.source, { link, state: stored.value, runId, deadline });
  } finally {
    await clusters.close();
  }
};

/** Leaves a link to the work queue: the way of a gateway's first addresses, as an empty mirror does not say why it is empty. */
export const queue = async ({ work }: Pick<RunWorld, 'work'>, link: string): Promise<Followed> => {
  await work.send([{ body: { link, hop: 0 } }]);
  return 'queued';
};

/**
 * Writes what changed. Whatever hinders it (somebody else holds the link, a cluster that does not answer, the deadline) sends the link
 * to the work queue.
 */
export const follow = async (world: RunWorld, link: string, deadline: number): Promise<Followed> => {
  const locking = { link, runId: world.runId(), deadline };
  const isDone = await underLock(world, locking, () => followNow(world, locking));
  return isDone === true ? 'followed' : queue(world, link);
};
