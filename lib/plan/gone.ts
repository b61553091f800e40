// What becomes of endpoint mirrors that no entry of their root points to any more.
import { HEADLESS_MIRROR, POD_GONE_AT } from '../model/labels.ts';
import type { DesiredRoot } from '../model/desired.ts';
import type { Meta } from '../model/objects.ts';
import type { Change } from '../model/plan.ts';
import type { Listing } from './listing.ts';
import { planList, type Subject, withoutEndpoints } from './mirror.ts';
import { isOwnedEndpoints, isOwnedService } from './ownership.ts';
import { deleteService } from './service.ts';
import { lostWords } from './shape.ts';
import type { Standing } from './standing.ts';

/** Whether the name is still that root's: no Service of another, nor a mirror that took the name, stands there. */
const isOfRoot = ({ link, root }: Subject, { service }: Standing): boolean =>
  service === undefined ||
  (isOwnedService(service, link.name) && service.meta.labels[HEADLESS_MIRROR] === root?.name);

/** The standing with those lists only that are the same root's: under its Service all of ours are. */
const ownLists = ({ link, root }: Subject, standing: Standing): Standing => {
  const { service, endpoints, ownSlices } = standing;
  const isSame = ({ labels }: Meta): boolean =>
    service !== undefined || labels[HEADLESS_MIRROR] === root?.name;
  const isOurs =
    endpoints !== undefined && isOwnedEndpoints(endpoints.meta, link.name) && isSame(endpoints.meta);
  return {
    ...standing,
    endpoints: isOurs ? endpoints : undefined,
    ownSlices: ownSlices.filter(({ meta }) => isSame(meta)),
  };
};

/** An endpoint mirror and the lists under its name that are the same root's; what is another's stays. */
export const removePod = (subject: Subject, standing: Standing, reason: string): readonly Change[] => {
  if (!subject.mayDelete || !isOfRoot(subject, standing)) return [];
  const { service } = standing;
  const lists = withoutEndpoints(subject.mirror, ownLists(subject, standing), reason);
  return service === undefined
    ? lists
    : [...lists, deleteService(service, subject.mirror, `${reason}; ${lostWords(service.clusterIPs)}`)];
};

const listMeta = ({ endpoints, ownSlices }: Standing): Meta | undefined =>
  endpoints?.meta ?? ownSlices[0]?.meta;

/** Since when the pod is gone, ms since the epoch; now where nothing says it. */
const goneSince = (standing: Standing, now: number): number => {
  const since = Date.parse(listMeta(standing)?.annotations[POD_GONE_AT] ?? '');
  return Number.isNaN(since) || since > now ? now : since;
};

/** Seconds, as people write times: the rest would only differ from what is read again. */
const isoSeconds = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');

/**
 * The endpoint mirror of a pod that is gone: removed, or emptied and kept for the link's grace so that a pod that comes back finds its
 * ClusterIP. Since when it is gone stands on its endpoints object: no table can lose it.
 */
export const planGone = (
  subject: Subject,
  root: DesiredRoot,
  standing: Standing,
  now: number,
): readonly Change[] => {
  const { link, mirror } = subject;
  const lists = ownLists(subject, standing);
  const since = goneSince(lists, now);
  const isOver = now - since >= link.endpointMirrorGrace * 1000;
  if (isOver || standing.service === undefined) return removePod(subject, standing, 'its pod is gone');
  if (!isOfRoot(subject, standing)) return [];
  const listing: Listing = {
    labels: { ...root.labels, [HEADLESS_MIRROR]: subject.root?.name ?? mirror.name },
    annotations: { ...listMeta(lists)?.annotations, [POD_GONE_AT]: isoSeconds(since) },
    ports: [],
    entries: [],
  };
  const { changes } = planList(subject, listing, lists);
  // Endpoints of somebody else stand where the time would be kept: without it the grace would never end.
  const isTaken = lists.endpoints !== standing.endpoints && changes.some(({ action }) => action === 'create');
  return isTaken ? removePod(subject, standing, 'its pod is gone') : changes;
};
