// The report as data for scripts: the JSON and YAML of `plan`, `sync` and `status`. Field names and their order are a contract.
import type { Link } from '../model/link.ts';
import type { Change, Outcome } from '../model/plan.ts';
import type { MirrorStatus, Report } from '../model/report.ts';
import { gatewayRows } from './gateway-rows.ts';

export interface DataOptions {
  /** adds `body` to creates and `patch` to updates */
  readonly showObjects: boolean;
}

export type Data = Readonly<Record<string, unknown>>;

/** What `plan` says. */
export const planData = (report: Report, options: DataOptions): Data => ({
  link: report.link,
  changes: report.changes.map((change) => changeData(change, options)),
  ...findings(report),
  ...(report.explanations.length > 0 && { explanations: report.explanations.map(explanationData) }),
});

/** What `sync` says: the plan, and what became of it. */
export const syncData = (report: Report, options: DataOptions): Data => ({
  ...planData(report, options),
  outcomes: (report.outcomes ?? []).map((outcome) => outcomeData(outcome, options)),
  requests: requestData(report),
});

/** What `status` says. @param now seconds since the epoch, for what is left of TTLs */
export const statusData = (report: Report, link: Link, now: number): Data => ({
  link: report.link,
  source: link.source,
  target: link.target,
  gateway: gatewayRows(report, { link, now }),
  mirrors: report.mirrors.map(({ service, mirror, mode, state, endpoints }) => ({
    namespace: service.namespace,
    name: service.name,
    mirror: mirror.name,
    mode,
    state,
    ...addressesOf(endpoints),
  })),
  ...findings(report),
});

/** Nothing where endpoints are not ours to list. */
function addressesOf(endpoints: MirrorStatus['endpoints']): Data {
  if (endpoints === undefined || typeof endpoints === 'string') return {};
  if ('pods' in endpoints)
    return { pods: endpoints.pods.filter(({ isListed }) => isListed).map(({ hostname }) => hostname) };
  return { addresses: endpoints.addresses.map(({ ip }) => ip) };
}

const findings = ({ refusals, unobserved, notes }: Report): Data => ({
  refusals: refusals.map(({ namespace, name, reason, message }) => ({ namespace, name, reason, message })),
  unobserved: unobserved.map(({ what, message }) => ({ what, message })),
  notes: [...notes],
});

const changeData = (change: Change, { showObjects }: DataOptions): Data => ({
  action: change.action,
  kind: change.kind,
  namespace: change.namespace,
  name: change.name,
  reasons: [...change.reasons],
  ...(showObjects && change.action === 'create' && { body: change.body }),
  ...(showObjects && change.action === 'update' && { patch: change.patch }),
});

const outcomeData = ({ change, result, message }: Outcome, options: DataOptions): Data => ({
  ...changeData(change, options),
  result,
  ...(message !== undefined && { message }),
});

const explanationData = ({ service, lines }: Report['explanations'][number]): Data => ({
  namespace: service.namespace,
  name: service.name,
  lines: [...lines],
});

const requestData = ({ requests: { source, target } }: Report): Data => ({
  reads: source.reads + target.reads,
  writes: source.writes + target.writes,
  bytes: source.bytes + target.bytes,
  leases: source.leases + target.leases,
});
