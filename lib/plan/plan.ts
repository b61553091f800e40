// Puts the decisions of one link beside what stands in the source cluster: the plan.
import { type Decision, type DesiredGateway, isHeadlessMirror, type PlainMirror } from '../model/desired.ts';
import { compareKeys, compareText, type ObjectKey, keyText } from '../model/keys.ts';
import { ownershipLabels } from '../model/labels.ts';
import type { Link } from '../model/link.ts';
import type { Change, Plan, Refusal, Unobserved } from '../model/plan.ts';
import type { SourceSnapshot } from '../model/snapshot.ts';
import { findWinners, nameConflict } from './claims.ts';
import { planGateway } from './gateway-mirror.ts';
import { planHeadless, withoutPods } from './headless.ts';
import { gatewayPart, type MirrorPlan, planPart, type Subject } from './mirror.ts';
import { inOrder } from './order.ts';
import { planOrphans } from './orphans.ts';
import { isCopiedSlice, isOwnedEndpoints } from './ownership.ts';
import { lostWords } from './shape.ts';
import { type StandingIndex, standingOf } from './standing.ts';

export interface PlanInput {
  readonly link: Link;
  readonly decisions: readonly Decision[]; // of every Service of the target cluster
  readonly source: SourceSnapshot;
  /** What could not be read of the target: anything here forbids deletes. */
  readonly unobserved: readonly Unobserved[];
  /** What should exist of the gateway itself; undefined: it stays as it is. */
  readonly gateway: DesiredGateway | undefined;
  /** What the gateway itself was refused. */
  readonly refusals: readonly Refusal[];
  readonly forceDeletes: boolean;
  readonly now: number; // ms since the epoch, by the source cluster's clock
  /** Whether a mirror is in the part of the link that this run was asked for. */
  readonly covers: (mirror: ObjectKey) => boolean;
}

const namespaceChange = (namespace: string, link: Link): Change => ({
  action: 'create',
  kind: 'Namespace',
  namespace: '',
  name: namespace,
  mirror: { namespace: '', name: namespace },
  needsEarlier: false,
  reasons: ['createNamespaces is on'],
  body: {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace, labels: ownershipLabels(link.name) },
  },
});

/** Says when our Endpoints reach no reader of EndpointSlices (kube-proxy, CoreDNS, Linkerd's proxies all are). */
const copyNotes = ({ link, source }: PlanInput, keepsSlices: readonly string[]): readonly string[] => {
  if (link.endpoints !== 'endpoints') return [];
  const kept =
    keepsSlices.length === 0
      ? []
      : [
          `our EndpointSlices of ${keepsSlices.length} mirrors stay (${keepsSlices.slice(0, 5).join(', ')}): no copy of their Endpoints lists the same addresses yet`,
        ];
  const written = [...source.endpoints.values()].filter(
    ({ meta, subsets }) => isOwnedEndpoints(meta, link.name) && subsets.length > 0,
  );
  const isCopied = [...source.slices.values()].some((slice) => isCopiedSlice(slice, link.name));
  const uncopied =
    written.length === 0 || isCopied
      ? []
      : [
          `nothing copies our Endpoints to EndpointSlices in the source cluster, so proxies and DNS there do not see ${written.length} mirrors: switch the endpointslice-mirroring-controller on, or set endpoints: endpointslices`,
        ];
  return [...kept, ...uncopied];
};

type NamedPlan = MirrorPlan & { readonly mirror: ObjectKey };

/** A mirror with an address, and what is left of a headless one in its place. */
const planPlain = (
  subject: Subject,
  { service, endpoints }: PlainMirror,
  standing: StandingIndex,
): MirrorPlan => {
  const at = standing.at(subject.mirror);
  const plan = planPart(subject, gatewayPart(subject, service, endpoints, at), at);
  // While it is not known what the list says, that of a former headless shape may stand and point to them.
  if (plan.refusals.length > 0 || endpoints === 'unobserved') return plan;
  return { ...plan, changes: [...plan.changes, ...withoutPods(subject, standing)] };
};

const planDecisions = (input: PlanInput, decisions: readonly Decision[]): readonly NamedPlan[] => {
  const { link, source, now } = input;
  const standing = standingOf(source, link.name);
  const winner = findWinners(input.decisions, standing);
  const mayDelete = input.unobserved.length === 0;
  return decisions.flatMap(({ key, mirror, desired }) => {
    if (desired === undefined) return [];
    const conflict = nameConflict(mirror, { service: key }, winner);
    if (conflict !== undefined) return [{ mirror, changes: [], refusals: [conflict], keepsSlices: false }];
    const subject: Subject = { link, key, mirror, source, mayDelete };
    const plan = isHeadlessMirror(desired)
      ? planHeadless(subject, desired, { standing, winner, now })
      : planPlain(subject, desired, standing);
    return [{ mirror, ...plan }];
  });
};

/** Says of each Service that is made again what becomes of its address. */
const shapeNotes = (mirrors: readonly NamedPlan[]): readonly string[] =>
  mirrors.flatMap(({ mirror, recreates }) => {
    if (recreates?.service === undefined) return [];
    const lost = lostWords(recreates.lost);
    const what = `${keyText(mirror)} is deleted and made again (${recreates.words})`;
    return [lost === '' ? what : `${what}: ${lost}`];
  });

const byKey = (a: Refusal, b: Refusal): number => compareKeys(a, b) || compareText(a.reason, b.reason);

/** The plan of one link. Same input, whatever its order, same plan. */
export const planFor = (input: PlanInput): Plan => {
  const decisions = input.decisions
    .filter(({ mirror }) => input.covers(mirror))
    .toSorted((a, b) => compareKeys(a.key, b.key));
  const mirrors = planDecisions(input, decisions);
  const kept = new Set(
    input.decisions.filter(({ protects }) => protects).map(({ mirror }) => keyText(mirror)),
  );
  const orphans =
    input.unobserved.length > 0
      ? { changes: [], refusals: [] }
      : planOrphans(input.link, input.source, kept, { force: input.forceDeletes, covers: input.covers });
  const namespaces = new Set(
    decisions.filter(({ desired }) => desired?.createNamespace).map(({ mirror }) => mirror.namespace),
  );
  const gateway = planGateway(input.link, input.source, input.gateway, input.covers);
  const keepsSlices = mirrors.filter((plan) => plan.keepsSlices).map(({ mirror }) => keyText(mirror));
  return {
    changes: inOrder([
      ...[...namespaces].map((namespace) => namespaceChange(namespace, input.link)),
      ...mirrors.flatMap(({ changes }) => changes),
      ...orphans.changes,
      ...gateway.changes,
    ]),
    refusals: [
      ...input.refusals,
      ...decisions.flatMap(({ refusals }) => refusals),
      ...mirrors.flatMap(({ refusals }) => refusals),
      ...orphans.refusals,
      ...gateway.refusals,
    ].sort(byKey),
    unobserved: input.unobserved,
    notes: [...shapeNotes(mirrors), ...(gateway.notes ?? []), ...copyNotes(input, keepsSlices)],
  };
};
