// Puts the decisions of one link beside what stands in the source cluster: the plan.
import type { Decision, DesiredGateway } from '../model/desired.ts';
import { compareKeys, compareText, type ObjectKey, keyText } from '../model/keys.ts';
import { ownershipLabels } from '../model/labels.ts';
import type { Link } from '../model/link.ts';
import type { Endpoints, EndpointSlice } from '../model/objects.ts';
import type { Change, Plan, Refusal, Unobserved } from '../model/plan.ts';
import type { SourceSnapshot } from '../model/snapshot.ts';
import { type MirrorPlan, planMirror, type Standing } from './mirror.ts';
import { planGateway } from './gateway-mirror.ts';
import { inOrder } from './order.ts';
import { planOrphans } from './orphans.ts';
import { isCopiedSlice, isOwnedEndpoints, isOwnedSlice } from './ownership.ts';

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
  /** Whether a mirror is in the part of the link that this run was asked for. */
  readonly covers: (mirror: ObjectKey) => boolean;
}

const sliceOwner = ({ meta, serviceName }: EndpointSlice): string =>
  keyText({ namespace: meta.namespace, name: serviceName });

/** Finds what stands at a mirror's name without walking every slice for every mirror. */
const standingAt = (source: SourceSnapshot, link: string): ((mirror: ObjectKey) => Standing) => {
  const slices = [...source.slices.values()].toSorted((a, b) => compareKeys(a.meta, b.meta));
  const own = Map.groupBy(
    slices.filter((slice) => isOwnedSlice(slice, link)),
    sliceOwner,
  );
  const copied = Map.groupBy(
    slices.filter((slice) => isCopiedSlice(slice, link)),
    sliceOwner,
  );
  /** Ours that appeared since the snapshot look empty there: a create meets them, and reads them whole. */
  const foreignAt = (key: string): Endpoints | undefined => {
    const found = source.foreignEndpoints?.get(key);
    return found === undefined || isOwnedEndpoints(found.meta, link) ? undefined : found;
  };
  return (mirror) => {
    const key = keyText(mirror);
    return {
      service: source.services.get(key),
      endpoints: source.endpoints.get(key) ?? foreignAt(key),
      ownSlices: own.get(key) ?? [],
      copiedSlices: copied.get(key) ?? [],
    };
  };
};

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

const planDecisions = (
  input: PlanInput,
  decisions: readonly Decision[],
): readonly (MirrorPlan & { mirror: ObjectKey })[] => {
  const standing = standingAt(input.source, input.link.name);
  return decisions.flatMap(({ key, mirror, desired }) => {
    if (desired === undefined) return [];
    const subject = { link: input.link, key, mirror, family: input.source.family };
    return [{ mirror, ...planMirror(subject, desired, standing(mirror)) }];
  });
};

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
    notes: copyNotes(input, keepsSlices),
  };
};
