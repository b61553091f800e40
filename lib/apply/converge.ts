// Applies a plan and follows up what met something else than was seen: read that mirror again, plan it again, a few times.
import { keyText } from '../model/keys.ts';
import type { Outcome, Plan, Refusal, Unobserved } from '../model/plan.ts';
import type { SourceSnapshot } from '../model/snapshot.ts';
import { type Applied, type ApplyContext, applyChanges } from './apply.ts';
import { namesOf } from './names.ts';
import type { Replanner } from './replanner.ts';
import { lookAgain } from './second-look.ts';

/** Rounds of reading again: somebody who writes as fast as we do is left for the next run. */
const ROUNDS = 3;

export interface Converged {
  readonly outcomes: readonly Outcome[];
  readonly refusals: readonly Refusal[];
}

const serverRefusals = (applied: readonly Applied[]): readonly Refusal[] =>
  applied.flatMap(({ change, refused, message }) => {
    if (refused === undefined) return [];
    const { namespace, name, kind } = change;
    return [{ namespace, name, reason: refused, message: `${kind} ${keyText(change)}: ${message ?? ''}` }];
  });

/**
 * What to say of a change whose mirror was planned again. One that was applied stays so. A conflict that left nothing to do was
 * somebody doing the same, or our own write whose answer was lost; a delete that is not wanted any more and one that ends in a
 * refusal did not happen; else the change of the new plan speaks for it.
 */
const settled = (applied: Applied, again: Pick<Plan, 'changes' | 'refusals'>): readonly Outcome[] => {
  const { change, result } = applied;
  if (result === 'applied') return [{ change, result }];
  if (again.changes.length > 0) return [];
  const refusal = again.refusals[0];
  if (refusal !== undefined) return [{ change, result: 'skipped', message: refusal.message }];
  return change.action === 'delete'
    ? [{ change, result: 'skipped', message: 'it is wanted again' }]
    : [{ change, result: 'applied', message: 'nothing was left to do' }];
};

/** What the new plan refuses that the first one did not: the others are no obstacle, they were there beside its changes. */
const withNewRefusals = (
  again: Pick<Plan, 'changes' | 'refusals'>,
  first: Plan,
): Pick<Plan, 'changes' | 'refusals'> => {
  const text = ({ reason, message, ...key }: Refusal): string => `${keyText(key)} ${reason} ${message}`;
  const known = new Set(first.refusals.map(text));
  return { changes: again.changes, refusals: again.refusals.filter((refusal) => !known.has(text(refusal))) };
};

const withoutDetails = ({ change, result, message }: Applied): Outcome =>
  message === undefined ? { change, result } : { change, result, message };

/** What is said of a change whose mirror could not be read again: that too, because it is what has to be set right. */
const notReadAgain = (applied: Applied, { message: why }: Unobserved): Outcome => {
  const { message, ...outcome } = withoutDetails(applied);
  return applied.isConflict
    ? { ...outcome, message: `${message ?? ''}; not read again: ${why}` }
    : withoutDetails(applied);
};

/** Applies changes until nothing conflicts or the rounds are used up. Every change of the last plan has one outcome. */
export const converge = async (
  context: ApplyContext,
  plan: Plan,
  start: SourceSnapshot,
  replanner: Replanner,
): Promise<Converged> => {
  const outcomes: Outcome[] = [];
  let snapshot = start;
  let applied = await applyChanges(context, plan.changes);
  const everything: Applied[] = [...applied];
  const refusals: Refusal[] = [...serverRefusals(applied)];
  for (let round = 0; round < ROUNDS && applied.some(({ isConflict }) => isConflict); round += 1) {
    const planAgain = await replanner.decideAgain();
    if (planAgain === undefined) break;
    const next: Plan['changes'][number][] = [];
    for (const members of Map.groupBy(applied, ({ change }) => keyText(change.mirror)).values()) {
      const mirror = members[0]?.change.mirror;
      if (mirror === undefined || !members.some(({ isConflict }) => isConflict)) {
        outcomes.push(...members.map(withoutDetails));
        continue;
      }
      const seen = await replanner.readAgain(snapshot, namesOf(mirror, members));
      if (!seen.observed) {
        outcomes.push(...members.map((member) => notReadAgain(member, seen.why)));
        continue;
      }
      snapshot = seen.value;
      const again = withNewRefusals(planAgain(snapshot, mirror), plan);
      outcomes.push(...members.flatMap((member) => settled(member, again)));
      refusals.push(...again.refusals);
      next.push(...again.changes);
    }
    applied = await applyChanges(context, next);
    everything.push(...applied);
    refusals.push(...serverRefusals(applied));
  }
  const late = await lookAgain(context, everything, snapshot, replanner);
  return {
    outcomes: [...outcomes, ...applied.map(withoutDetails), ...late.map(withoutDetails)],
    refusals: [...refusals, ...serverRefusals(late)],
  };
};
