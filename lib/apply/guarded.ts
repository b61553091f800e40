// Writes a plan only while nobody else may: this deployment's lock first, then the Lease that every writer of the link respects.
import { ClusterError, errorText } from '../errors.ts';
import type { Link } from '../model/link.ts';
import { keyText } from '../model/keys.ts';
import type { Lease } from '../model/objects.ts';
import type { Outcome, Plan, Reason, Refusal } from '../model/plan.ts';
import type { SourceSnapshot } from '../model/snapshot.ts';
import type { Claim, Clock, Cluster } from '../ports.ts';
import { converge, type Converged } from './converge.ts';
import type { Replanner } from './replanner.ts';
import { acquireLease, foreignHolder, heldMessage } from './lease.ts';

export interface WriteTerms {
  readonly link: Link;
  readonly source: Cluster;
  readonly clock: Clock;
  readonly runId: string; // the holder of the Lease
  readonly targetUid: string | undefined; // to be remembered on the Lease
  /** The lock among the functions of one deployment; absent: there is none. Resolves to undefined when another one has it. */
  readonly lock?: (() => Promise<Claim | undefined>) | undefined;
  /** Asked once the lock is held: whether what the plan was decided on is out of date, so that it has to be decided again. */
  readonly isOvertaken?: (() => Promise<boolean>) | undefined;
  readonly deadline?: number | undefined; // ms since the epoch; no write starts after it
  readonly signal?: AbortSignal | undefined; // no write starts after it was aborted
  readonly onWritten?: (() => void) | undefined; // after each change, whatever became of it
}

export interface Written extends Converged {
  readonly notes: readonly string[];
}

/** Why a run may write nothing at all, as far as it is known before anything is asked for. */
export const standstill = (
  { link, source }: Pick<WriteTerms, 'link' | 'source'>,
  lease: Lease | undefined,
): Refusal | undefined => {
  if (link.paused) return linkRefusal(link, 'Paused', `link ${link.name}: paused is true`);
  const holder = foreignHolder(lease, source.now());
  return holder === undefined
    ? undefined
    : linkRefusal(link, 'HeldBy', heldMessage(link.namespace, link.name, holder));
};

const linkRefusal = (link: Link, reason: Reason, message: string): Refusal => ({
  namespace: link.namespace,
  name: link.name,
  reason,
  message,
});

/** Every change of a plan left undone, for one reason. */
const allSkipped = ({ changes }: Plan, message: string): readonly Outcome[] =>
  changes.map((change) => ({ change, result: 'skipped', message }));

const nothingWritten = (plan: Plan, refusal: Refusal): Written => ({
  outcomes: allSkipped(plan, refusal.message),
  refusals: [refusal],
  notes: [],
});

const ownHindrance = ({ clock, deadline, signal }: WriteTerms): string | undefined => {
  if (signal?.aborted === true) return 'not started: the run was stopped';
  return deadline === undefined || clock.now() < deadline
    ? undefined
    : 'not started: the deadline of this run has passed';
};

interface Standing {
  readonly source: SourceSnapshot;
  readonly lease: Lease | undefined;
}

const applyUnderLease = async (
  terms: WriteTerms,
  plan: Plan,
  seen: Standing,
  replanner: Replanner,
): Promise<Written> => {
  const { link, source, clock, runId: holder, targetUid } = terms;
  const lease = await acquireLease(
    { source, clock, link: link.name, namespace: link.namespace, holder, targetUid },
    seen.lease,
  );
  if (lease.kind === 'foreign') return nothingWritten(plan, linkRefusal(link, 'HeldBy', lease.message));
  const guard = lease.kind === 'held' ? lease.guard : undefined;
  const context = {
    source,
    clock,
    hindrance: async () => ownHindrance(terms) ?? (await guard?.hindrance()),
    onOutcome: terms.onWritten,
  };
  try {
    const done = await converge(context, plan, seen.source, replanner);
    const note =
      lease.kind === 'without' ? [`${lease.message}; only preconditions keep other writers apart`] : [];
    return { ...done, notes: note };
  } finally {
    await guard?.release();
  }
};

/** The plan of the same mirrors by what is seen now; undefined: too little can be seen for that. */
const planAnew = async (
  plan: Plan,
  snapshot: SourceSnapshot,
  { decideAgain }: Replanner,
): Promise<Plan | undefined> => {
  const planAgain = await decideAgain();
  if (planAgain === undefined) return undefined;
  const mirrors = new Map(plan.changes.map(({ mirror }) => [keyText(mirror), mirror]));
  return { ...plan, changes: [...mirrors.values()].flatMap((mirror) => planAgain(snapshot, mirror).changes) };
};

const outOfDate = (plan: Plan): Written => {
  const message =
    'another run found out more meanwhile, and it could not be decided again; nothing was written';
  return { outcomes: allSkipped(plan, message), refusals: [], notes: [message] };
};

const applyUnderLock = async (
  terms: WriteTerms,
  plan: Plan,
  seen: Standing,
  replanner: Replanner,
): Promise<Written> => {
  const claim = await terms.lock?.();
  if (terms.lock !== undefined && claim === undefined) {
    const message = `link ${terms.link.name}: another function of this deployment writes its mirrors now, or it is not stored any more; nothing was written`;
    return nothingWritten(plan, linkRefusal(terms.link, 'HeldBy', message));
  }
  try {
    const isOvertaken = (await terms.isOvertaken?.()) ?? false;
    const current = isOvertaken ? await planAnew(plan, seen.source, replanner) : plan;
    if (current === undefined) return outOfDate(plan);
    return await applyUnderLease(terms, current, seen, replanner);
  } finally {
    await claim?.release();
  }
};

/** Applies a plan under both locks. A plan without changes asks for neither. */
export const applyGuarded = async (
  terms: WriteTerms,
  plan: Plan,
  seen: Standing,
  replanner: Replanner,
): Promise<Written> => {
  const stop = standstill(terms, seen.lease);
  if (stop !== undefined) return nothingWritten(plan, stop);
  if (plan.changes.length === 0) return { outcomes: [], refusals: [], notes: [] };
  try {
    return await applyUnderLock(terms, plan, seen, replanner);
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    const message = `no Lease: ${error.request}: ${errorText(error)}; nothing was written`;
    return nothingWritten(plan, linkRefusal(terms.link, 'Error', message));
  }
};
