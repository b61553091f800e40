// The changes of one mirror Service and its endpoints objects, in the form the link asks for: of a plain mirror, and of each part of a
// headless one.
import type { DesiredEndpoints, DesiredService } from '../model/desired.ts';
import { type ObjectKey, keyText } from '../model/keys.ts';
import { HEADLESS_MIRROR } from '../model/labels.ts';
import type { Link } from '../model/link.ts';
import type { EndpointSlice, Family, Meta } from '../model/objects.ts';
import type { Change, Reason, Refusal } from '../model/plan.ts';
import type { SourceSnapshot } from '../model/snapshot.ts';
import { deleteEndpoints, planEndpoints } from './endpoints.ts';
import { gatewayListing, ipText, type Listing } from './listing.ts';
import { foreignService, isOwnedEndpoints } from './ownership.ts';
import { deleteService, planService, policyChange } from './service.ts';
import { lostWords, misshapen, type Misshapen } from './shape.ts';
import { deleteSlice, planSlices, readyAddresses } from './slices.ts';
import { NOTHING_STANDS, type Standing } from './standing.ts';
import { desiredSubsets } from './subsets.ts';

export interface MirrorPlan {
  readonly changes: readonly Change[];
  readonly refusals: readonly Refusal[];
  /** Our slices must stay beside our Endpoints for now: nothing else shows their addresses to readers of slices. */
  readonly keepsSlices: boolean;
  /** The Service is deleted and made again. */
  readonly recreates?: Misshapen;
}

export interface Subject {
  readonly link: Link;
  readonly key: ObjectKey; // the exported Service
  readonly mirror: ObjectKey; // the Service that the changes are about
  readonly root?: ObjectKey; // of an endpoint mirror
  readonly source: Pick<SourceSnapshot, 'family' | 'secondFamily'>;
  /** Whether enough was seen to delete anything. */
  readonly mayDelete: boolean;
}

/** What a mirror Service should be, with what its endpoints objects should list. */
export interface DesiredPart {
  readonly service: DesiredService;
  readonly listing: Listing | 'none' | 'unobserved';
}

/** The families that the Service has, or gets by this plan. */
export const familiesOf = (
  { source: { family, secondFamily } }: Pick<Subject, 'source'>,
  desired: DesiredService,
  { service }: Standing,
): readonly Family[] => {
  const wanted = [family, ...(desired.wantsBothFamilies && secondFamily !== undefined ? [secondFamily] : [])];
  if (service === undefined || service.clusterIP === 'None') return wanted;
  const policy = policyChange(desired, service);
  if (policy === 'PreferDualStack') return wanted;
  return policy === 'SingleStack' ? service.ipFamilies.slice(0, 1) : service.ipFamilies;
};

export const gatewayPart = (
  subject: Subject,
  service: DesiredService,
  endpoints: DesiredEndpoints | 'none' | 'unobserved',
  standing: Standing,
): DesiredPart => ({
  service,
  listing:
    typeof endpoints === 'string'
      ? endpoints
      : gatewayListing(endpoints, familiesOf(subject, service, standing)),
});

const refuse = ({ key, mirror }: Subject, reason: Reason, found: string): MirrorPlan => ({
  changes: [],
  refusals: [{ ...key, reason, message: found.replace('{mirror}', keyText(mirror)) }],
  keepsSlices: false,
});

/** An endpoint mirror belongs to its root, and is never rewritten into another root's, or into a mirror of its own. */
const rootConflict = (subject: Subject, meta: Meta | undefined): MirrorPlan | undefined => {
  const [found, expected] = [meta?.labels[HEADLESS_MIRROR], subject.root?.name];
  if (meta === undefined || found === expected || found === subject.mirror.name) return undefined;
  const what = found === undefined ? 'a mirror of its own' : `a part of the headless mirror ${found}`;
  return refuse(subject, 'NameConflict', `{mirror} is ${what}`);
};

/**
 * Why nothing may be written at this name; undefined when it is free or ours. Where a Service stands it tells whose the name is, and a
 * list under it that says otherwise is set right. Endpoints of others are not looked at here.
 */
const obstacle = (subject: Subject, { service, endpoints, ownSlices }: Standing): MirrorPlan | undefined => {
  if (service === undefined) {
    const lists = [endpoints, ...ownSlices].map((list) => rootConflict(subject, list?.meta));
    return lists.find((conflict) => conflict !== undefined);
  }
  const foreign = foreignService(service, subject.link.name);
  if (foreign !== undefined)
    return refuse(subject, 'NotOwned', `Service {mirror} exists and is not this link's: ${foreign}`);
  return rootConflict(subject, service.meta);
};

const defined = (change: Change | undefined): readonly Change[] => (change === undefined ? [] : [change]);

export const withoutEndpoints = (
  mirror: ObjectKey,
  { ownSlices, endpoints }: Pick<Standing, 'ownSlices' | 'endpoints'>,
  reason: string,
): readonly Change[] => [
  ...ownSlices.map((slice) => deleteSlice(slice, mirror, reason)),
  ...(endpoints === undefined ? [] : [deleteEndpoints(endpoints, mirror, reason)]),
];

const inSlices = (subject: Subject, desired: Listing, standing: Standing): readonly Change[] => {
  const { mirror, source } = subject;
  const context = {
    link: subject.link.name,
    mirror,
    ownerUid: standing.service?.meta.uid,
    family: source.family,
  };
  return planSlices(context, desired, standing.ownSlices);
};

/** Slices first, then the Endpoints go: a reader that merges slices sees the addresses all the time. */
const toSlices = (subject: Subject, desired: Listing, standing: Standing): readonly Change[] => [
  ...inSlices(subject, desired, standing),
  ...(standing.endpoints === undefined
    ? []
    : [deleteEndpoints(standing.endpoints, subject.mirror, 'the link writes EndpointSlices')]),
];

/**
 * Whether the mirroring controller's copies show every ready address that the Endpoints should list. Where there is none, nothing
 * says that somebody copies: slices that went then would be missed as soon as the mirror fills again.
 */
const isCovered = (desired: Listing, copies: readonly EndpointSlice[]): boolean => {
  const shown = readyAddresses(copies);
  const listed = desiredSubsets(desired).flatMap(({ addresses }) => addresses);
  return listed.length > 0 && listed.every(({ ip }) => shown.has(ipText(ip)));
};

/** Endpoints first; slices of an earlier setting go only when copies of the Endpoints show the same, and are kept true until then. */
const toEndpoints = (
  subject: Subject,
  desired: Listing,
  standing: Standing,
): Omit<MirrorPlan, 'refusals'> => {
  const written = defined(planEndpoints(subject.mirror, desired, standing.endpoints));
  if (standing.ownSlices.length === 0) return { changes: written, keepsSlices: false };
  if (written.length === 0 && isCovered(desired, standing.copiedSlices)) {
    const deleted = standing.ownSlices.map((slice) =>
      deleteSlice(slice, subject.mirror, 'a copy of the Endpoints lists the same addresses'),
    );
    return { changes: deleted, keepsSlices: false };
  }
  return { changes: [...written, ...inSlices(subject, desired, standing)], keepsSlices: true };
};

/** The list goes first, or the new Service would show it in its own shape; then as little as possible lies between the two Services. */
const madeAgain = (
  subject: Subject,
  desired: DesiredPart,
  standing: Standing,
  found: Misshapen,
): MirrorPlan => {
  if (!subject.mayDelete || desired.listing === 'unobserved')
    return { changes: [], refusals: [], keepsSlices: false };
  const { mirror } = subject;
  const reason = ['shape', found.words].join(': ');
  const lost = lostWords(found.lost);
  const deleted =
    found.service === undefined
      ? []
      : [deleteService(found.service, mirror, lost === '' ? reason : `${reason}; ${lost}`)];
  const created = planOwned(subject, desired, NOTHING_STANDS).changes.map((change) =>
    change.kind === 'Service' ? { ...change, reasons: [reason], needsEarlier: true } : change,
  );
  return {
    changes: [...withoutEndpoints(mirror, standing, reason), ...deleted, ...created],
    refusals: [],
    keepsSlices: false,
    recreates: found,
  };
};

/**
 * The changes of one Service, and what stands in the way of them. Endpoints of somebody else stand in the way of creating anything at
 * their name, and of nothing else: they are looked for only then, and the plan must not depend on what other mirrors need.
 */
export const planPart = (subject: Subject, desired: DesiredPart, standing: Standing): MirrorPlan => {
  const { endpoints } = standing;
  const isForeign = endpoints !== undefined && !isOwnedEndpoints(endpoints.meta, subject.link.name);
  const owned = isForeign ? { ...standing, endpoints: undefined } : standing;
  const plan = obstacle(subject, owned) ?? planOwned(subject, desired, owned);
  return isForeign && plan.changes.some(({ action }) => action === 'create')
    ? refuse(
        subject,
        'NotOwned',
        "Endpoints {mirror} exist and are not this link's: they lack its ownership labels",
      )
    : plan;
};

/** Only the endpoints objects of a Service that stands, or is made before them. */
export const planList = (
  subject: Subject,
  listing: Listing,
  standing: Standing,
): Omit<MirrorPlan, 'refusals'> =>
  subject.link.endpoints === 'endpointslices'
    ? { changes: toSlices(subject, listing, standing), keepsSlices: false }
    : toEndpoints(subject, listing, standing);

/** The changes where all that stands there is ours. */
export const planOwned = (subject: Subject, desired: DesiredPart, standing: Standing): MirrorPlan => {
  const found = misshapen(desired.service, standing);
  if (found !== undefined) return madeAgain(subject, desired, standing, found);
  const service = defined(planService(subject.mirror, desired.service, standing.service));
  const { listing } = desired;
  if (listing === 'unobserved') return { changes: service, refusals: [], keepsSlices: false };
  if (listing === 'none') {
    const gone = withoutEndpoints(subject.mirror, standing, 'remote discovery has no endpoints');
    return { changes: [...service, ...gone], refusals: [], keepsSlices: false };
  }
  const { changes, keepsSlices } = planList(subject, listing, standing);
  return { changes: [...service, ...changes], refusals: [], keepsSlices };
};
