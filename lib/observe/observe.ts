// Everything one run needs to see before it decides: both clusters, the Lease, and the gateway with what is remembered of it.
import { inferServiceRange } from '../gateway/filter.ts';
import { leaseName, TARGET_UID } from '../model/labels.ts';
import type { Link } from '../model/link.ts';
import type { Lease } from '../model/objects.ts';
import type { Refusal, Unobserved } from '../model/plan.ts';
import type { Observed, SourceSnapshot, TargetSnapshot } from '../model/snapshot.ts';
import type { Claim, Clock, Cluster, GatewayStore, Resolver } from '../ports.ts';
import { unobserved } from './attempt.ts';
import type { Probing } from './liveness.ts';
import { type GatewayLook, lookAtGateway, recall, type Remembered } from './gateway.ts';
import { observeLease, observeSource } from './source.ts';
import { observeTarget } from './target.ts';

/** All that one run touches. */
export interface World {
  readonly source: Cluster;
  readonly target: Cluster;
  readonly resolver: Resolver;
  readonly store: GatewayStore;
  readonly clock: Clock;
  readonly random: () => number; // from 0 up to 1, for the jitter of look-ups
  /** Absent: nobody probes gateways here. */
  readonly probing?: Probing;
  /** The lock among the functions of one deployment; absent where there is no deployment. */
  readonly lock?: () => Promise<Claim | undefined>;
  readonly runId: string; // unique; the holder of the Lease
}

export interface Seen {
  readonly target: TargetSnapshot;
  readonly source: SourceSnapshot;
  readonly lease: Lease | undefined;
  readonly gateway: GatewayLook;
  readonly remembered: Remembered;
  /** Parts of the target that could not be read though the rest could: nothing is deleted then. */
  readonly unobserved: readonly Unobserved[];
}

/** A run that saw too little to decide anything, and why. */
export interface Blind {
  readonly unobserved: readonly Unobserved[];
  readonly refusals: readonly Refusal[];
}

type Looked = readonly [Observed<TargetSnapshot>, Observed<SourceSnapshot>, Observed<Lease | undefined>];

/** The cluster the link was made for, as far as anybody remembers. */
const expectedUid = (remembered: Remembered, lease: Observed<Lease | undefined>): string | undefined =>
  (remembered.readable ? remembered.stored?.value.targetUid : undefined) ??
  (lease.observed ? lease.value?.meta.annotations[TARGET_UID] : undefined);

/** The names that a cluster goes by: it is remembered by its Service where its kube-system namespace could not be read at first. */
const identities = ({ uid, services }: Pick<SourceSnapshot, 'uid' | 'services'>): readonly string[] =>
  [uid, services.get('default/kubernetes')?.meta.uid].filter((identity) => identity !== undefined);

/** Good credentials for the wrong cluster are as bad as none: its absences are no evidence. */
const verified = (
  target: Observed<TargetSnapshot>,
  source: Observed<SourceSnapshot>,
  expected: string | undefined,
): Observed<TargetSnapshot> => {
  if (!target.observed) return target;
  const { uid } = target.value;
  const known = identities(target.value);
  if (expected !== undefined && !known.includes(expected)) {
    const message = `the link was made for the cluster with UID ${expected}, these credentials lead to ${uid}`;
    return unobserved('target cluster', message, 'WrongCluster');
  }
  if (source.observed && identities(source.value).some((identity) => known.includes(identity))) {
    const message = `source and target are the same cluster (UID ${uid})`;
    return unobserved('target cluster', message, 'WrongCluster');
  }
  return target;
};

const blind = (link: Link, looked: Looked): Blind => {
  const failed = looked.filter((part) => !part.observed);
  return {
    unobserved: failed.map(({ why }) => why),
    refusals: failed
      .filter(({ reason }) => reason !== 'Unobserved')
      .map(({ why, reason }) => ({ namespace: '', name: link.name, reason, message: why.message })),
  };
};

/** Looks at everything once. What comes back is either enough to decide on, or says what was missing. */
export const observe = async (
  link: Link,
  world: World,
  { fresh }: { readonly fresh: boolean },
): Promise<Seen | Blind> => {
  const [remembered, lease, source, seenTarget] = await Promise.all([
    recall(world.store, link.name),
    observeLease(world.source, link.namespace, leaseName(link.name)),
    observeSource(world.source, link, inferServiceRange),
    observeTarget(world.target),
  ]);
  const target = verified(seenTarget, source, expectedUid(remembered, lease));
  if (!target.observed || !source.observed || !lease.observed) return blind(link, [target, source, lease]);
  const clusters = { target: target.value, source: source.value, lease: lease.value };
  return withGateway(link, { ...world, fresh }, clusters, remembered);
};

const withGateway = async (
  link: Link,
  world: World & { readonly fresh: boolean },
  clusters: Pick<Seen, 'target' | 'source' | 'lease'>,
  remembered: Remembered,
): Promise<Seen> => {
  const gateway = await lookAtGateway(link, world, clusters, remembered);
  const { ready } = clusters.target;
  return {
    ...clusters,
    gateway,
    remembered,
    unobserved: [...(ready.observed ? [] : [ready.why]), ...gateway.unobserved],
  };
};

/** Looks at the target and at what is remembered again, for a run that met something else in the source than it had seen. */
export const observeTargetAgain = async (link: Link, world: World, seen: Seen): Promise<Observed<Seen>> => {
  const [remembered, seenTarget] = await Promise.all([
    recall(world.store, link.name),
    observeTarget(world.target),
  ]);
  const source = { observed: true, value: seen.source } as const;
  const target = verified(seenTarget, source, seen.target.uid);
  if (!target.observed) return target;
  const clusters = { ...seen, target: target.value };
  return { observed: true, value: await withGateway(link, { ...world, fresh: false }, clusters, remembered) };
};
