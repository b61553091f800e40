// Owned objects that no exported Service stands behind any more, and the brake on deleting too many of them at once.
import { compareKeys, compareText, type ObjectKey, keyText } from '../model/keys.ts';
import type { Link } from '../model/link.ts';
import type { Meta } from '../model/objects.ts';
import type { Change, Refusal } from '../model/plan.ts';
import type { SourceSnapshot } from '../model/snapshot.ts';
import { deleteEndpoints } from './endpoints.ts';
import { isOwnedEndpoints, isOwnedService, isOwnedSlice, rootName } from './ownership.ts';
import { deleteService } from './service.ts';
import { deleteSlice } from './slices.ts';

const REASON = 'its Service is no longer exported';

interface Owned {
  readonly root: ObjectKey; // the mirror that it stems from
  readonly service: ObjectKey; // the Service that it is, or whose endpoints it lists
  readonly name: string;
  readonly rank: number; // of deletion: the Service last, never before the objects that carry its addresses
  readonly remove: (mirror: ObjectKey) => Change;
}

type Place = Pick<Owned, 'root' | 'service' | 'name'>;

const place = (meta: Meta, serviceName: string): Place => ({
  root: { namespace: meta.namespace, name: rootName(meta, serviceName) },
  service: { namespace: meta.namespace, name: serviceName },
  name: meta.name,
});

/** A list stems from the mirror that the Service over it does, whatever its own labels say. */
const placeOfList = (source: SourceSnapshot, meta: Meta, serviceName: string): Place => {
  const service = source.services.get(keyText({ namespace: meta.namespace, name: serviceName }));
  return { ...place(service?.meta ?? meta, serviceName), name: meta.name };
};

const ownedObjects = (source: SourceSnapshot, link: string): readonly Owned[] => [
  ...[...source.slices.values()]
    .filter((slice) => isOwnedSlice(slice, link))
    .map((slice): Owned => ({
      ...placeOfList(source, slice.meta, slice.serviceName),
      rank: 0,
      remove: (mirror) => deleteSlice(slice, mirror, REASON),
    })),
  ...[...source.endpoints.values()]
    .filter(({ meta }) => isOwnedEndpoints(meta, link))
    .map((endpoints): Owned => ({
      ...placeOfList(source, endpoints.meta, endpoints.meta.name),
      rank: 1,
      remove: (mirror) => deleteEndpoints(endpoints, mirror, REASON),
    })),
  ...[...source.services.values()]
    .filter((service) => isOwnedService(service, link))
    .map((service): Owned => ({
      ...place(service.meta, service.meta.name),
      rank: 2,
      remove: (mirror) => deleteService(service, mirror, REASON),
    })),
];

const isOfRoot = ({ root, service }: Owned): boolean => keyText(root) === keyText(service);

/** The root goes first, so that no entry of it points to an endpoint mirror that is not whole. */
const compareOwned = (a: Owned, b: Owned): number =>
  compareKeys(a.root, b.root) ||
  Number(isOfRoot(b)) - Number(isOfRoot(a)) ||
  compareText(a.service.name, b.service.name) ||
  a.rank - b.rank ||
  compareText(a.name, b.name);

/** Endpoint mirrors of one root go side by side. */
const removal = (owned: Owned): Change => {
  const { root, service } = owned;
  const change = owned.remove(root);
  return isOfRoot(owned) ? change : { ...change, part: service, stage: 3 };
};

export interface OrphanPlan {
  readonly changes: readonly Change[];
  readonly refusals: readonly Refusal[];
}

/** Whether deleting `doomed` of `total` mirrors is more than the link lets one run do: both limits must be passed. */
const isBraked = ({ deleteBrake }: Link, doomed: number, total: number): boolean =>
  doomed > deleteBrake.atLeast && doomed * 100 > deleteBrake.percent * total;

/** A foreign Service took the name, or that of the root: what stands under it is not touched. */
const isUnderForeignService = (source: SourceSnapshot, link: string, { root, service }: Owned): boolean =>
  [root, service].some((key) => {
    const found = source.services.get(keyText(key));
    return found !== undefined && !isOwnedService(found, link);
  });

/**
 * Deletes of every owned object whose mirror is not in `kept`. Counted in mirrors of exported Services, so that a StatefulSet's
 * many objects count once.
 */
export const planOrphans = (
  link: Link,
  source: SourceSnapshot,
  kept: ReadonlySet<string>,
  options: { readonly force: boolean; readonly covers: (root: ObjectKey) => boolean },
): OrphanPlan => {
  const owned = ownedObjects(source, link.name);
  const doomed = owned
    .filter(
      (object) =>
        !kept.has(keyText(object.root)) &&
        options.covers(object.root) &&
        !isUnderForeignService(source, link.name, object),
    )
    .toSorted(compareOwned);
  const total = new Set(owned.map(({ root }) => keyText(root))).size;
  const roots = [...new Set(doomed.map(({ root }) => keyText(root)))];
  if (!options.force && isBraked(link, roots.length, total)) {
    const { percent, atLeast } = link.deleteBrake;
    const shown = roots.toSorted(compareText).slice(0, 5).join(', ');
    const message = `would delete ${roots.length} of ${total} mirrors (${shown}, …), deleteBrake allows ${percent} % or ${atLeast} in one run; nothing was deleted, force deletes if this is meant`;
    return { changes: [], refusals: [{ namespace: '', name: link.name, reason: 'DeleteBrake', message }] };
  }
  return { changes: doomed.map(removal), refusals: [] };
};
