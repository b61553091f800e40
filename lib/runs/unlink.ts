// The end of a link: its mirrors go first, then what is stored of it. Only the source cluster is needed.
import { applyGuarded } from '../apply/guarded.ts';
import { inferServiceRange } from '../gateway/service-range.ts';
import { leaseName } from '../model/labels.ts';
import type { Link } from '../model/link.ts';
import type { ObjectKey } from '../model/keys.ts';
import type { Outcome, Plan, Refusal, Unobserved } from '../model/plan.ts';
import type { SourceSnapshot } from '../model/snapshot.ts';
import type { Cluster } from '../ports.ts';
import { withNamesReadAgain } from '../observe/again.ts';
import { observeLease, observeSource } from '../observe/source.ts';
import { keyText } from '../model/keys.ts';
import { removeGateway } from '../plan/gateway-mirror.ts';
import { planFor } from '../plan/plan.ts';
import { journalOutcomes } from './journal.ts';
import { underLock } from './lock.ts';
import type { RunWorld } from './world.ts';

export interface Unlinked {
  readonly link: string;
  readonly done: boolean; // every mirror is gone and the link is forgotten
  readonly outcomes: readonly Outcome[];
  readonly refusals: readonly Refusal[];
  readonly unobserved: readonly Unobserved[];
  readonly notes: readonly string[];
}

/** Deletes of everything the link owns, exempt from the delete brake: its owner asked for it. */
const removalPlan = (
  link: Link,
  source: SourceSnapshot,
  covers: (mirror: ObjectKey) => boolean = () => true,
): Plan => {
  // Nothing is kept for a while: no root is left that it could belong to.
  const nothing = { decisions: [], gateway: undefined, unobserved: [], refusals: [], now: 0 };
  const plan = planFor({ ...nothing, link, source, forceDeletes: true, covers });
  return {
    ...plan,
    changes: [...plan.changes, ...removeGateway(link, source).filter(({ mirror }) => covers(mirror))],
  };
};

interface Removal {
  readonly link: Link;
  readonly cluster: Cluster; // the source
  readonly runId: string;
  readonly deadline: number;
}

const unfinished = (link: Link): Unlinked => ({
  link: link.name,
  done: false,
  outcomes: [],
  refusals: [],
  unobserved: [],
  notes: [],
});

/** Looks and deletes while this deployment's lock is held, so that no other function of it can make a mirror after the look. */
const removeMirrors = async (world: RunWorld, removal: Removal): Promise<Unlinked> => {
  const { link, cluster, runId, deadline } = removal;
  const [source, lease] = await Promise.all([
    observeSource(cluster, link, inferServiceRange),
    observeLease(cluster, link.namespace, leaseName(link.name)),
  ]);
  const failed = [source, lease].filter((part) => !part.observed);
  if (!source.observed || !lease.observed)
    return { ...unfinished(link), unobserved: failed.map(({ why }) => why) };
  const terms = {
    link: { ...link, paused: false },
    source: cluster,
    clock: world.clock,
    runId,
    targetUid: undefined,
    deadline,
  };
  const written = await applyGuarded(
    terms,
    removalPlan(link, source.value),
    { source: source.value, lease: lease.value },
    {
      readAgain: (snapshot, names) => withNamesReadAgain(cluster, link, snapshot, names),
      decideAgain: () =>
        Promise.resolve((snapshot: SourceSnapshot, mirror: ObjectKey) =>
          removalPlan(link, snapshot, (other) => keyText(other) === keyText(mirror)),
        ),
    },
  );
  const { outcomes, refusals, notes } = written;
  await journalOutcomes(world, { link: link.name, runId }, outcomes);
  const done = outcomes.every(({ result }) => result === 'applied') && refusals.length === 0;
  return { link: link.name, done, outcomes, refusals, notes, unobserved: [] };
};

const removeAndForget = async (world: RunWorld, removal: Removal): Promise<Unlinked> => {
  const removed = await removeMirrors(world, removal);
  if (removed.done) await world.links.remove(removal.link.name);
  return removed;
};

const heldBy = ({ name, namespace }: Link): Refusal => ({
  namespace,
  name,
  reason: 'HeldBy',
  message: `link ${name}: another function of this deployment writes its mirrors now; nothing was removed yet`,
});

/**
 * Removes the mirrors of a link that is ending, then forgets the link. Safe to run again: what is left is done then. A paused link
 * is removed too. The lock is kept until the link is forgotten: a reconcile that began before its end finds either the lock taken or
 * no link to lock, and makes nothing anew.
 */
export const unlink = async (
  world: RunWorld,
  link: Link,
  { deadline }: { readonly deadline: number },
): Promise<Unlinked> => {
  const runId = world.runId();
  const clusters = await world.open(link, { fresh: false });
  const removal = { link, cluster: clusters.source, runId, deadline };
  try {
    const removed = await underLock(world, { link: link.name, runId, deadline }, () =>
      removeAndForget(world, removal),
    );
    return removed ?? { ...unfinished(link), refusals: [heldBy(link)] };
  } finally {
    await clusters.close();
  }
};
