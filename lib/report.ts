// Builds the report of one run from what it saw, decided, planned and did. Pure.
import type { Decision, DesiredMirror, DesiredRoot } from './model/desired.ts';
import { compareKeys, keyText, type ObjectKey } from './model/keys.ts';
import type { Change, Plan, Refusal } from './model/plan.ts';
import type { MirrorStatus } from './model/report.ts';

const refusalsOf = ({ key }: Decision, plan: Plan): readonly Refusal[] =>
  plan.refusals.filter((refusal) => keyText(refusal) === keyText(key));

const changesOf = ({ mirror }: Decision, plan: Plan): readonly Change[] =>
  plan.changes.filter((change) => keyText(change.mirror) === keyText(mirror));

/** Whether something stands in the way of the mirror. What the decision itself declines, or of one pod only, does not. */
const isObstructed = (decision: Decision, plan: Plan, changes: readonly Change[]): boolean =>
  changes.length === 0 &&
  refusalsOf(decision, plan).some(
    (refusal) => refusal.hostname === undefined && !decision.refusals.includes(refusal),
  );

/** What the mirror lists by this plan: nothing where it is another's, and no pod that is refused. */
const listedBy = (
  decision: Decision,
  plan: Plan,
  changes: readonly Change[],
): DesiredMirror['endpoints'] | undefined => {
  if (decision.desired === undefined || isObstructed(decision, plan, changes)) return undefined;
  const { endpoints } = decision.desired;
  if (typeof endpoints === 'string' || !('pods' in endpoints)) return endpoints;
  const refused = new Set(refusalsOf(decision, plan).map(({ hostname }) => hostname));
  return { ...endpoints, pods: endpoints.pods.filter(({ hostname }) => !refused.has(hostname)) };
};

const stateOf = (decision: Decision, plan: Plan, changes: readonly Change[]): MirrorStatus['state'] => {
  if (decision.desired === undefined) return decision.because === undefined ? 'refused' : 'waiting';
  if (changes.length === 0) return isObstructed(decision, plan, changes) ? 'refused' : 'in sync';
  return changes.some(({ action, kind }) => action === 'create' && kind === 'Service')
    ? 'to create'
    : 'to update';
};

/** The state of every exported Service's mirror before anything is written. */
export const mirrorStatuses = (decisions: readonly Decision[], plan: Plan): readonly MirrorStatus[] => {
  const changes = Map.groupBy(plan.changes, ({ mirror }) => keyText(mirror));
  return decisions
    .filter(({ mode }) => mode !== undefined)
    .map((decision): MirrorStatus => {
      const own = changes.get(keyText(decision.mirror)) ?? [];
      return {
        service: decision.key,
        mirror: decision.mirror,
        mode: decision.mode ?? 'gateway',
        state: stateOf(decision, plan, own),
        endpoints: listedBy(decision, plan, own),
      };
    })
    .toSorted((a, b) => compareKeys(a.service, b.service));
};

const podsLine = ({ pods }: DesiredRoot): string => {
  const listed = pods.filter(({ isListed }) => isListed);
  const shown = listed.map(({ hostname, mirror }) => `${hostname} by ${mirror.name}`).join(', ');
  const unlisted = pods.filter(({ isListed }) => !isListed).map(({ hostname }) => hostname);
  const head =
    listed.length === 0
      ? 'its mirror is headless and lists no pod'
      : `its mirror is headless and lists ${shown}`;
  return unlisted.length === 0 ? head : `${head}; not ready and not listed: ${unlisted.join(', ')}`;
};

const endpointLine = (endpoints: DesiredMirror['endpoints']): string => {
  if (endpoints === 'none')
    return 'its mirror has no endpoints: proxies discover those of the target cluster';
  if (endpoints === 'unobserved')
    return 'its endpoints stay as they are: not enough could be read to decide them';
  if ('pods' in endpoints) return podsLine(endpoints);
  if (endpoints.addresses.length === 0)
    return 'its mirror lists no address: no ready endpoint in the target cluster, or no gateway address';
  const shown = endpoints.addresses
    .map(({ ip, state }) => (state === 'ready' ? ip : `${ip} (${state})`))
    .join(', ');
  const ports = endpoints.ports.map(({ name, port }) => `${name ?? 'unnamed'} → ${port}`).join(', ');
  return `its mirror lists the gateway: ${shown}; ports ${ports}`;
};

const symbol = { create: '+', update: '~', delete: '-' } as const;

/** Why one Service is mirrored as it is, or is not: the decision, the obstacles, and what is to be changed. */
export const explain = (
  service: ObjectKey,
  decisions: readonly Decision[],
  plan: Plan,
): readonly string[] => {
  const decision = decisions.find(({ key }) => keyText(key) === keyText(service));
  if (decision === undefined) return [`Service ${keyText(service)} does not exist in the target cluster`];
  const { because, desired, mode, mirror } = decision;
  const refused = plan.refusals
    .filter((refusal) => keyText(refusal) === keyText(service))
    .map(({ reason, message }) => `${reason}: ${message}`);
  const own = changesOf(decision, plan);
  const changes = own.map(
    ({ action, kind, reasons, ...key }) => `${symbol[action]} ${kind} ${keyText(key)}: ${reasons.join('; ')}`,
  );
  const head =
    mode === undefined
      ? `not exported: ${because ?? ''}`
      : `exported in ${mode} mode, its mirror is ${keyText(mirror)}${desired === undefined ? ' and is not written' : ''}`;
  const listed = listedBy(decision, plan, own);
  const waits = mode !== undefined && because !== undefined ? [because] : [];
  const tail =
    desired !== undefined && changes.length === 0 && refused.length === 0
      ? ['in sync: nothing to change']
      : [];
  return [
    head,
    ...waits,
    ...refused,
    ...(listed === undefined ? [] : [endpointLine(listed)]),
    ...changes,
    ...tail,
  ];
};
