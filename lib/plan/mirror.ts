// The changes of one mirror: its Service, then its endpoints objects in the form the link asks for.
import type { DesiredEndpoints, DesiredMirror } from '../model/desired.ts';
import { type ObjectKey, keyText } from '../model/keys.ts';
import type { Link } from '../model/link.ts';
import type { Endpoints, EndpointSlice, Family, Service } from '../model/objects.ts';
import type { Change, Reason, Refusal } from '../model/plan.ts';
import { deleteEndpoints, planEndpoints } from './endpoints.ts';
import { foreignService, isOwnedEndpoints, rootName } from './ownership.ts';
import { planService } from './service.ts';
import { deleteSlice, planSlices, readyAddresses } from './slices.ts';
import { desiredSubsets } from './subsets.ts';

/** What stands in the source cluster at and under a mirror's name. */
export interface Standing {
  readonly service: Service | undefined;
  readonly endpoints: Endpoints | undefined; // any owner's
  readonly ownSlices: readonly EndpointSlice[];
  readonly copiedSlices: readonly EndpointSlice[]; // the mirroring controller's copies of our Endpoints
}

export interface MirrorPlan {
  readonly changes: readonly Change[];
  readonly refusals: readonly Refusal[];
  /** Our slices must stay beside our Endpoints for now: nothing else shows their addresses to readers of slices. */
  readonly keepsSlices: boolean;
}

interface Subject {
  readonly link: Link;
  readonly key: ObjectKey; // the exported Service
  readonly mirror: ObjectKey;
  readonly family: Family;
}

const refuse = ({ key, mirror }: Subject, reason: Reason, found: string): MirrorPlan => ({
  changes: [],
  refusals: [{ ...key, reason, message: found.replace('{mirror}', keyText(mirror)) }],
  keepsSlices: false,
});

/** Why nothing may be written at this name; undefined when it is free or ours. Endpoints of others are not looked at here. */
const obstacle = (subject: Subject, { service, endpoints }: Standing): MirrorPlan | undefined => {
  const { link } = subject;
  const foreign = service === undefined ? undefined : foreignService(service, link.name);
  if (foreign !== undefined)
    return refuse(subject, 'NotOwned', `Service {mirror} exists and is not this link's: ${foreign}`);
  if (service?.clusterIP === 'None') {
    return refuse(
      subject,
      'Unsupported',
      'Service {mirror} is a headless mirror, spec.clusterIP: expected an address, got None; changing its shape is not built yet',
    );
  }
  return conflict(subject, [service, endpoints]);
};

/** An endpoint mirror belongs to its root: it is never rewritten into the mirror of another Service that would have its name. */
const conflict = (
  subject: Subject,
  standing: readonly (Service | Endpoints | undefined)[],
): MirrorPlan | undefined => {
  const { name } = subject.mirror;
  const root = standing
    .flatMap((found) => (found === undefined ? [] : rootName(found.meta, name)))
    .find((found) => found !== name);
  return root === undefined
    ? undefined
    : refuse(subject, 'NameConflict', `{mirror} is a part of the headless mirror ${root}`);
};

const defined = (change: Change | undefined): readonly Change[] => (change === undefined ? [] : [change]);

const withoutEndpoints = ({ mirror }: Subject, standing: Standing, reason: string): readonly Change[] => [
  ...standing.ownSlices.map((slice) => deleteSlice(slice, mirror, reason)),
  ...(standing.endpoints === undefined ? [] : [deleteEndpoints(standing.endpoints, mirror, reason)]),
];

const inSlices = (subject: Subject, desired: DesiredEndpoints, standing: Standing): readonly Change[] => {
  const { mirror, family } = subject;
  const context = { link: subject.link.name, mirror, ownerUid: standing.service?.meta.uid, family };
  return planSlices(context, desired, standing.ownSlices);
};

/** Slices first, then the Endpoints go: a reader that merges slices sees the addresses all the time. */
const toSlices = (subject: Subject, desired: DesiredEndpoints, standing: Standing): readonly Change[] => [
  ...inSlices(subject, desired, standing),
  ...(standing.endpoints === undefined
    ? []
    : [deleteEndpoints(standing.endpoints, subject.mirror, 'the link writes EndpointSlices')]),
];

/**
 * Whether the mirroring controller's copies show every ready address that the Endpoints should list. Where there is none, nothing
 * says that somebody copies: slices that went then would be missed as soon as the mirror fills again.
 */
const isCovered = (desired: DesiredEndpoints, copies: readonly EndpointSlice[]): boolean => {
  const shown = readyAddresses(copies);
  const listed = desiredSubsets(desired).flatMap(({ addresses }) => addresses);
  return listed.length > 0 && listed.every(({ ip }) => shown.has(ip));
};

/** Endpoints first; slices of an earlier setting go only when copies of the Endpoints show the same, and are kept true until then. */
const toEndpoints = (
  subject: Subject,
  desired: DesiredEndpoints,
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

/**
 * The changes of one mirror, and what stands in the way of them. Endpoints of somebody else stand in the way of creating anything at
 * their name, and of nothing else: they are looked for only then, and the plan must not depend on what other mirrors need.
 */
export const planMirror = (subject: Subject, desired: DesiredMirror, standing: Standing): MirrorPlan => {
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

/** The changes where all that stands there is ours. */
export const planOwned = (subject: Subject, desired: DesiredMirror, standing: Standing): MirrorPlan => {
  const service = defined(planService(subject.mirror, desired.service, standing.service));
  const { endpoints } = desired;
  if (endpoints === 'unobserved') return { changes: service, refusals: [], keepsSlices: false };
  if (endpoints === 'none') {
    const gone = withoutEndpoints(subject, standing, 'remote discovery has no endpoints');
    return { changes: [...service, ...gone], refusals: [], keepsSlices: false };
  }
  if (subject.link.endpoints === 'endpointslices') {
    return {
      changes: [...service, ...toSlices(subject, endpoints, standing)],
      refusals: [],
      keepsSlices: false,
    };
  }
  const { changes, keepsSlices } = toEndpoints(subject, endpoints, standing);
  return { changes: [...service, ...changes], refusals: [], keepsSlices };
};
