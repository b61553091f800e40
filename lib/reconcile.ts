// One reconcile of one link: observe, decide, plan, apply, report.
import type { PlanAgain } from './apply/replanner.ts';
import { applyGuarded, standstill, type Written } from './apply/guarded.ts';
import { decideAll } from './desired/decisions.ts';
import { desiredGateway } from './desired/gateway-mirror.ts';
import { hasMoved } from './gateway/digest.ts';
import { omit } from './gateway/omit.ts';
import { sameJson } from './gateway/same-json.ts';
import type { Decision } from './model/desired.ts';
import { keyText, mirrorName, type ObjectKey } from './model/keys.ts';
import type { Link } from './model/link.ts';
import type { Plan } from './model/plan.ts';
import type { GatewayReport, Report } from './model/report.ts';
import { withNamesReadAgain } from './observe/again.ts';
import { recall } from './observe/gateway.ts';
import { type Blind, observe, observeTargetAgain, type Seen, type World } from './observe/observe.ts';
import { withForeignEndpoints } from './observe/source.ts';
import { planFor } from './plan/plan.ts';
import { explain, mirrorStatuses } from './report.ts';

export type { World } from './observe/observe.ts';

export interface Progress {
  readonly done: number;
  readonly total: number; // 0 while it is not known yet
  readonly what: string;
}

export interface ReconcileOptions {
  readonly dryRun: boolean;
  readonly namespaces?: readonly string[]; // only mirrors in these; empty or absent: all
  readonly services?: readonly ObjectKey[]; // only these exported Services; they are explained in the report
  readonly forceDeletes?: boolean; // past the delete brake
  readonly fresh?: boolean; // ask every name of the gateway now, whatever is left of its TTL
  readonly deadline?: number; // ms since the epoch; no write starts after it
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined; // no write starts after it was aborted
}

/** What was decided before anything is written. */
interface Decided {
  readonly seen: Seen;
  readonly decisions: readonly Decision[];
  readonly plan: Plan;
}

const isBlind = (seen: Seen | Blind): seen is Blind => !('source' in seen);

/** Whether a mirror belongs to the part of the link that the run was asked for. */
const coverage = (link: Link, options: ReconcileOptions): ((mirror: ObjectKey) => boolean) => {
  const { namespaces = [], services = [] } = options;
  const names = new Set(
    services.map(({ namespace, name }) => keyText({ namespace, name: mirrorName(name, link.name) })),
  );
  return (mirror) =>
    (namespaces.length === 0 || namespaces.includes(mirror.namespace)) &&
    (names.size === 0 || names.has(keyText(mirror)));
};

/** Decides and plans. A plan that creates is made again with the names that other Endpoints hold: they are looked up only then. */
const decide = async (
  link: Link,
  world: World,
  seen: Seen,
  options: ReconcileOptions,
): Promise<Decided | Blind> => {
  const decisions = decideAll(link, seen, seen.gateway.view);
  const { unobserved, gateway: look } = seen;
  const gateway = desiredGateway(link, look.view, look.declaration);
  const now = world.source.now();
  const base = { link, decisions, gateway, unobserved, refusals: look.refusals, now };
  const covers = coverage(link, options);
  const forceDeletes = options.forceDeletes ?? false;
  const plan = planFor({ ...base, source: seen.source, forceDeletes, covers });
  if (plan.changes.every(({ action }) => action !== 'create')) return { seen, decisions, plan };
  const source = await withForeignEndpoints(world.source, seen.source);
  if (!source.observed) return { unobserved: [source.why], refusals: [] };
  return {
    seen: { ...seen, source: source.value },
    decisions,
    plan: planFor({ ...base, source: source.value, forceDeletes, covers }),
  };
};

const protectedBy = (decisions: readonly Decision[]): ReadonlySet<string> =>
  new Set(decisions.filter(({ protects }) => protects).map(({ mirror }) => keyText(mirror)));

/**
 * Plans single mirrors from what is seen now. One that must go only since then is left to the next run, whose brake counts it with
 * the others; the deletes of this run have passed the brake.
 */
const planAgainFrom = (link: Link, first: readonly Decision[], seen: Seen, now: number): PlanAgain => {
  const decisions = decideAll(link, seen, seen.gateway.view);
  const gateway = desiredGateway(link, seen.gateway.view, seen.gateway.declaration);
  const [before, after] = [protectedBy(first), protectedBy(decisions)];
  return (source, mirror) => {
    const key = keyText(mirror);
    if (before.has(key) && !after.has(key)) return { changes: [], refusals: [] };
    const base = { link, decisions, source, gateway, unobserved: seen.unobserved, refusals: [], now };
    return planFor({ ...base, forceDeletes: true, covers: (other) => keyText(other) === key });
  };
};

/** Remembers the gateway before any object is written, so that objects can always be derived from what is stored. */
const remember = async (link: Link, world: World, { gateway, remembered }: Seen): Promise<boolean> => {
  if (gateway.state === undefined || !remembered.readable) return true;
  if (sameJson(gateway.state, remembered.stored?.value)) return true;
  return world.store.save(link.name, gateway.state, remembered.stored?.version ?? 0);
};

/** Whether another run remembered a newer state of the gateway since this one looked, and wrote by it or is about to. */
const hasMovedOn = async (link: Link, world: World, { gateway, remembered }: Seen): Promise<boolean> => {
  if (gateway.state === undefined || !remembered.readable) return false;
  const now = await recall(world.store, link.name);
  return now.readable && now.stored !== undefined && hasMoved(gateway.state, now.stored.value);
};

const progressOf = (total: number, options: ReconcileOptions): (() => void) => {
  let done = 0;
  return () => {
    done += 1;
    options.onProgress?.({ done, total, what: 'writing' });
  };
};

const writeAll = async (
  link: Link,
  world: World,
  { seen, decisions, plan }: Decided,
  options: ReconcileOptions,
): Promise<Written> => {
  const isRemembered = await remember(link, world, seen);
  const { source, clock, runId, lock } = world;
  const { deadline, signal } = options;
  const onWritten = progressOf(plan.changes.length, options);
  // Without a deployment nobody else remembers anything.
  const isOvertaken = async (): Promise<boolean> =>
    !isRemembered || (lock !== undefined && (await hasMovedOn(link, world, seen)));
  const limits = { deadline, signal, onWritten };
  const terms = { link, source, clock, runId, lock, isOvertaken, targetUid: seen.target.uid, ...limits };
  return applyGuarded(terms, plan, seen, {
    readAgain: (snapshot, names) => withNamesReadAgain(source, link, snapshot, names),
    decideAgain: async () => {
      const again = await observeTargetAgain(link, world, seen);
      const isUsable = again.observed && (await remember(link, world, again.value));
      return isUsable ? planAgainFrom(link, decisions, again.value, source.now()) : undefined;
    },
  });
};

/** A run that remembers nothing cannot tell since when anything is as it is. */
const toldState = ({ gateway: { state }, remembered }: Seen): GatewayReport['state'] => {
  const isFirst = remembered.readable && remembered.stored === undefined;
  return state !== undefined && isFirst ? omit(state, 'published') : state;
};

const gatewayReport = (seen: Seen): GatewayReport => {
  const { view, declaration } = seen.gateway;
  const state = toldState(seen);
  return {
    view,
    ...(declaration === undefined ? {} : { declaration }),
    ...(state === undefined ? {} : { state }),
  };
};

const requestsOf = (world: World): Report['requests'] => ({
  source: world.source.requests(),
  target: world.target.requests(),
});

const blindReport = (link: Link, world: World, { unobserved, refusals }: Blind): Report => ({
  link: link.name,
  changes: [],
  refusals,
  unobserved,
  notes: [],
  mirrors: [],
  explanations: [],
  outcomes: [],
  requests: requestsOf(world),
});

/**
 * Brings the mirrors of one link to what the target cluster exports, or says what it would do (`dryRun`: nothing is written to any
 * cluster and nothing is remembered). Level-triggered and safe to run twice, late, or beside itself. Never throws for what a
 * cluster, the resolver or the store does: that is in the report.
 */
export const reconcile = async (link: Link, world: World, options: ReconcileOptions): Promise<Report> => {
  options.onProgress?.({ done: 0, total: 0, what: 'reading both clusters' });
  const seen = await observe(link, world, { fresh: options.fresh ?? false });
  if (isBlind(seen)) return blindReport(link, world, seen);
  const decided = await decide(link, world, seen, options);
  if (!('plan' in decided)) return blindReport(link, world, decided);
  const { plan, decisions } = decided;
  const covers = coverage(link, options);
  const report = {
    ...plan,
    notes: [...(seen.gateway.notes ?? []), ...plan.notes],
    link: link.name,
    gateway: gatewayReport(seen),
    mirrors: mirrorStatuses(
      decisions.filter(({ mirror }) => covers(mirror)),
      plan,
    ),
    explanations: (options.services ?? []).map((service) => ({
      service,
      lines: explain(service, decisions, plan),
    })),
  };
  if (options.dryRun) {
    const stop = standstill({ link, source: world.source }, seen.lease);
    return {
      ...report,
      refusals: [...(stop === undefined ? [] : [stop]), ...plan.refusals],
      requests: requestsOf(world),
    };
  }
  const done = await writeAll(link, world, decided, options);
  return {
    ...report,
    refusals: [...plan.refusals, ...done.refusals],
    notes: [...report.notes, ...done.notes],
    outcomes: done.outcomes,
    requests: requestsOf(world),
  };
};
