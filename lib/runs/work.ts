// One message of the work queue: one reconcile of one stored link, or the rest of its removal.
import { isPinned } from '../gateway/gateway-link.ts';
import { MOST_HOPS, type ReconcileMessage } from '../model/messages.ts';
import type { Report } from '../model/report.ts';
import type { Claim, LinkRecord } from '../ports.ts';
import { reconcile, type ReconcileOptions } from '../reconcile.ts';
import { journalOutcomes } from './journal.ts';
import { lockSeconds } from './lock.ts';
import { saysTheSame, summaryOf } from './summary.ts';
import { sharedNames } from './shared-names.ts';
import { probingOf } from './witnesses.ts';
import { unlink, type Unlinked } from './unlink.ts';
import type { RunWorld } from './world.ts';

export type WorkResult =
  | { readonly kind: 'reconciled'; readonly report: Report }
  | { readonly kind: 'unlinked'; readonly unlinked: Unlinked }
  | { readonly kind: 'gone' }; // the link is not stored any more: nothing to do

/** How long the function that has the lock is given, seconds: most runs write for less, and the tick comes within a minute. */
const LOCKED_OUT_PAUSE = 5;

export interface StoredRun {
  readonly report: Report;
  readonly runId: string;
  readonly isLockedOut: boolean; // another function of this deployment had the lock: what was to be written is not
}

/** Reconciles a stored link with what the deployment knows of it. */
export const reconcileStored = async (
  world: RunWorld,
  { link }: LinkRecord,
  options: ReconcileOptions,
): Promise<StoredRun> => {
  const runId = world.runId();
  const clusters = await world.open(link, { fresh: options.fresh ?? false });
  try {
    const { clock, random, links } = world;
    const { dryRun, fresh = false, deadline = clock.now() } = options;
    const terms = { dryRun, fresh, runId, isPinned: isPinned(link) };
    const { resolver, store } = sharedNames(world, link.name, terms);
    let isLockedOut = false;
    const lock = async (): Promise<Claim | undefined> => {
      const claim = await links.claim(link.name, runId, lockSeconds(world, deadline));
      isLockedOut = claim === undefined;
      return claim;
    };
    const { source, target } = clusters;
    const probing = probingOf(world, link.name);
    const report = await reconcile(
      link,
      { source, target, resolver, store, clock, random, runId, lock, ...probing },
      options,
    );
    return { report, runId, isLockedOut };
  } finally {
    await clusters.close();
  }
};

/**
 * Remembers what a run said, in the journal and on the link, when it said something new.
 *
 * @param scope a run that saw only a part of the link says nothing of the whole
 */
export const remember = async (
  world: RunWorld,
  record: LinkRecord,
  { report, runId }: Pick<StoredRun, 'report' | 'runId'>,
  scope: { readonly whole: boolean },
): Promise<void> => {
  const at = world.clock.now();
  const { name } = record.link;
  await journalOutcomes(world, { link: name, runId }, report.outcomes ?? []);
  if (!scope.whole) return;
  const summary = summaryOf(report, runId, at);
  const isNew = record.lastRun === undefined || !saysTheSame(record.lastRun, summary);
  if (isNew) await world.links.saveRun(name, summary);
};

/** Whether a run stopped at its deadline with work left that another run could do at once. */
const isCutShort = ({ outcomes = [] }: Report, deadline: number, now: number): boolean =>
  now >= deadline && outcomes.some(({ result }) => result === 'skipped');

/**
 * Works off one message. Everything is read anew, so a message that comes twice, late or beside itself changes only when things
 * happen. What a cluster does wrong is in the report and is tried again by the next tick; only what this deployment itself cannot do
 * (its table, its queue) throws, and SQS delivers the message again.
 *
 * @param deadline ms since the epoch; a run that reaches it, or that finds the lock taken, hands the rest to a follow-up message
 */
export const workOn = async (
  world: RunWorld,
  { link: name, hop }: ReconcileMessage,
  deadline: number,
): Promise<WorkResult> => {
  const record = await world.links.get(name);
  if (record === undefined) return { kind: 'gone' };
  if (record.ending) return { kind: 'unlinked', unlinked: await unlink(world, record.link, { deadline }) };
  const run = await reconcileStored(world, record, { dryRun: false, deadline });
  const now = world.clock.now();
  await remember(world, record, run, { whole: true });
  if ((run.isLockedOut || isCutShort(run.report, deadline, now)) && hop < MOST_HOPS) {
    const delaySeconds = run.isLockedOut ? LOCKED_OUT_PAUSE : 0;
    await world.work.send([{ body: { link: name, hop: hop + 1 }, delaySeconds }]);
  }
  return { kind: 'reconciled', report: run.report };
};
