// The changes of a headless mirror: its root, and an endpoint mirror for each pod.
//
//   stage 0  the root's Service, where it keeps its shape
//   stage 1  endpoint mirrors of listed pods, side by side: Service, then its list
//   stage 2  the root's list, with the ClusterIPs of stage 1; before it the Service, where it is made again
//   stage 3  endpoint mirrors that no entry points to any more: emptied, or removed
//
// So no reader finds an entry of the root without a working Service behind it, and a run that stops anywhere leaves the rest to the next.
import type { DesiredPod, DesiredRoot, HeadlessMirror } from '../model/desired.ts';
import { familyOf } from '../model/families.ts';
import { type ObjectKey, keyText } from '../model/keys.ts';
import type { Family } from '../model/objects.ts';
import type { Change, Stage } from '../model/plan.ts';
import { type FindWinner, nameConflict } from './claims.ts';
import { planGone, removePod } from './gone.ts';
import type { Entry, Listing } from './listing.ts';
import { familiesOf, gatewayPart, type MirrorPlan, planPart, type Subject } from './mirror.ts';
import { givesAddresses, takesAddress } from './service.ts';
import type { Standing, StandingIndex } from './standing.ts';

export interface HeadlessContext {
  readonly standing: StandingIndex;
  readonly winner: FindWinner;
  readonly now: number; // ms since the epoch, by the API server's clock
}

interface PodPlan extends MirrorPlan {
  readonly pod: DesiredPod;
  readonly entries: readonly Entry[];
}

const inStage = (changes: readonly Change[], root: ObjectKey, stage: Stage): readonly Change[] =>
  changes.map((change) => ({ ...change, mirror: root, part: change.mirror, stage }));

/** New endpoint mirrors wait for the root's Service; standing ones are kept up to date whatever becomes of it. */
const afterRoot = (changes: readonly Change[]): readonly Change[] =>
  changes.map((change) => (change.action === 'create' ? { ...change, needsEarlier: true } : change));

const afterAll = (changes: readonly Change[]): readonly Change[] =>
  changes.map((change) => ({ ...change, needsEarlier: true }));

const listsNobody = ({ endpoints, ownSlices }: Standing): boolean =>
  (endpoints?.subsets ?? []).length === 0 && ownSlices.every((slice) => slice.endpoints.length === 0);

/** The lines of one pod in the root. An address that depends on what is written first is filled in when that was done. */
const entriesOf = (
  pod: DesiredPod,
  standing: Standing,
  families: readonly Family[],
  changes: readonly Change[],
): readonly Entry[] => {
  const line = { state: 'ready', ports: pod.ports, hostname: pod.hostname } as const;
  const { clusterIP = 'None', clusterIPs = [] } = standing.service ?? {};
  const known = clusterIP === 'None' ? [] : clusterIPs.filter((ip) => families.includes(familyOf(ip)));
  const isGiven = changes.some(givesAddresses);
  const isMade = changes.some(({ action }) => action === 'create');
  const isFilled = changes.length > 0 && listsNobody(standing); // a pod that is ready again
  if (!isGiven && !isMade && !isFilled) return known.map((ip) => ({ ...line, ip, family: familyOf(ip) }));
  return (isGiven ? families : known.map(familyOf)).map((family) => {
    const ip = known.find((one) => familyOf(one) === family);
    return { ...line, family, ip: { clusterIPOf: pod.mirror, family, ...(ip === undefined ? {} : { ip }) } };
  });
};

const planPod = (subject: Subject, pod: DesiredPod, context: HeadlessContext): PodPlan => {
  const standing = context.standing.at(pod.mirror);
  const nothing: PodPlan = { pod, changes: [], refusals: [], keepsSlices: false, entries: [] };
  // A pod that was never ready has no endpoint mirror yet.
  if (!pod.isListed && standing.service === undefined) return nothing;
  const { key, mirror } = subject;
  const conflict = nameConflict(
    pod.mirror,
    { service: key, hostname: pod.hostname, root: mirror },
    context.winner,
  );
  if (conflict !== undefined) return { ...nothing, refusals: [conflict] };
  const part = { ...subject, mirror: pod.mirror, root: subject.mirror };
  const plan = planPart(part, gatewayPart(part, pod.service, pod.endpoints, standing), standing);
  const refusals = plan.refusals.map((refusal) => ({ ...refusal, hostname: pod.hostname }));
  if (!pod.isListed || refusals.length > 0) return { ...plan, refusals, pod, entries: [] };
  const families = familiesOf(part, pod.service, standing);
  return { ...plan, pod, entries: entriesOf(pod, standing, families, plan.changes) };
};

/** What of the root comes before its pods, and what after them. */
const rootStages = ({ changes, recreates }: MirrorPlan): readonly [readonly Change[], readonly Change[]] =>
  recreates === undefined
    ? [changes.filter(({ kind }) => kind === 'Service'), changes.filter(({ kind }) => kind !== 'Service')]
    : [[], changes.map((change) => ({ ...change, needsOnePart: true as const }))];

const gonePods = (
  subject: Subject,
  root: DesiredRoot,
  known: ReadonlySet<string>,
  { standing, now }: HeadlessContext,
): readonly Change[] =>
  standing
    .podsOf(subject.mirror)
    .filter((pod) => !known.has(keyText(pod)))
    .flatMap((pod) =>
      planGone({ ...subject, mirror: pod, root: subject.mirror }, root, standing.at(pod), now),
    );

/** Every change of a headless mirror; one pod that cannot be mirrored does not stop the others. */
export const planHeadless = (
  subject: Subject,
  desired: HeadlessMirror,
  context: HeadlessContext,
): MirrorPlan => {
  const { mirror } = subject;
  const { labels, annotations, pods } = desired.endpoints;
  const plans = pods.map((pod) => planPod(subject, pod, context));
  const listing: Listing = {
    labels,
    annotations,
    ports: pods[0]?.ports ?? [],
    entries: plans.flatMap(({ entries }) => entries),
  };
  const root = planPart(subject, { service: desired.service, listing }, context.standing.at(mirror));
  if (root.refusals.length > 0) return root;
  const [before, after] = rootStages(root);
  // What takes an address away waits until no entry shows it.
  const isEarly = ({ pod, changes }: PodPlan): boolean => pod.isListed && !changes.some(takesAddress);
  const [early, late] = [true, false].map((wanted) =>
    plans.filter((plan) => isEarly(plan) === wanted).flatMap(({ changes }) => changes),
  );
  const known = new Set(pods.map((pod) => keyText(pod.mirror)));
  const gone = gonePods(subject, desired.endpoints, known, context);
  return {
    ...root,
    changes: [
      ...before,
      ...inStage(afterRoot(early ?? []), mirror, 1),
      ...after.map((change) => ({ ...change, stage: 2 as const })),
      ...inStage(afterAll([...(late ?? []), ...gone]), mirror, 3),
    ],
    refusals: plans.flatMap(({ refusals }) => refusals),
    keepsSlices: root.keepsSlices || plans.some(({ keepsSlices }) => keepsSlices),
  };
};

/** What is left of a former headless shape once the mirror has another. */
export const withoutPods = (subject: Subject, standing: StandingIndex): readonly Change[] => {
  const { mirror } = subject;
  const removed = standing
    .podsOf(mirror)
    .flatMap((pod) =>
      removePod(
        { ...subject, mirror: pod, root: mirror },
        standing.at(pod),
        `${keyText(mirror)} is not headless`,
      ),
    );
  return inStage(afterAll(removed), mirror, 3);
};
