// The change that makes a mirror's Endpoints object what it should be.
import type { ObjectKey } from '../model/keys.ts';
import type { Endpoints } from '../model/objects.ts';
import type { Change } from '../model/plan.ts';
import { changeText, type Listing, newText, saysTheSame } from './listing.ts';
import { diffMetadata, withoutEmpty } from './metadata.ts';
import { desiredSubsets, subsetsBody, toldSubsets } from './subsets.ts';

const base = (mirror: ObjectKey) => ({ kind: 'Endpoints', ...mirror, mirror }) as const;

const createEndpoints = (mirror: ObjectKey, desired: Listing): Change => {
  const subsets = desiredSubsets(desired);
  return {
    action: 'create',
    ...base(mirror),
    needsEarlier: true,
    reasons: [newText(toldSubsets(subsets))],
    body: {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { ...mirror, labels: desired.labels, annotations: desired.annotations },
      subsets: subsetsBody(subsets),
    },
  };
};

/** Create, update or nothing. */
export const planEndpoints = (
  mirror: ObjectKey,
  desired: Listing,
  current: Endpoints | undefined,
): Change | undefined => {
  if (current === undefined) return createEndpoints(mirror, desired);
  const { meta } = current;
  const metadata = diffMetadata(meta, desired);
  const subsets = desiredSubsets(desired);
  const [before, after] = [toldSubsets(current.subsets), toldSubsets(subsets)];
  const subsetReasons = saysTheSame(before, after) ? [] : [`addresses: ${changeText(before, after)}`];
  const reasons = [...metadata.reasons, ...subsetReasons];
  if (reasons.length === 0) return undefined;
  return {
    action: 'update',
    ...base(mirror),
    needsEarlier: false,
    reasons,
    uid: meta.uid,
    resourceVersion: meta.resourceVersion,
    patch: withoutEmpty({
      metadata: metadata.patch,
      subsets: subsetReasons.length > 0 ? subsetsBody(subsets) : undefined,
    }),
  };
};

export const deleteEndpoints = (current: Endpoints, mirror: ObjectKey, reason: string): Change => ({
  action: 'delete',
  kind: 'Endpoints',
  namespace: current.meta.namespace,
  name: current.meta.name,
  mirror,
  needsEarlier: true,
  reasons: [reason],
  uid: current.meta.uid,
  resourceVersion: current.meta.resourceVersion,
});
