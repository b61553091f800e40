// Walks a plan: groups side by side, the changes of a group one after the other, one outcome per change.
import { keyText } from '../model/keys.ts';
import type { Change, Outcome, Reason } from '../model/plan.ts';
import { write, type WriteContext, type Written } from './write.ts';

/** Writes under way at once: measured to be the best of 1 to 16 against one API server; more only queue there. */
const WRITERS = 8;

export interface ApplyContext extends WriteContext {
  readonly onOutcome?: ((outcome: Outcome) => void) | undefined;
}

/** An outcome with what the caller needs to go on: plan again, or say why the server refused. */
export interface Applied extends Outcome {
  readonly isConflict: boolean;
  readonly refused?: Reason;
}

const toApplied = (change: Change, written: Written): Applied => {
  switch (written.result) {
    case 'applied':
      return { change, result: 'applied', isConflict: false };
    case 'conflict':
      return { change, result: 'failed', message: written.message, isConflict: true };
    case 'refused':
      return {
        change,
        result: 'failed',
        message: written.message,
        isConflict: false,
        refused: written.reason,
      };
    case 'unanswered':
      return { change, result: 'failed', message: written.message, isConflict: false };
  }
};

const skipped = (change: Change, message: string): Applied => ({
  change,
  result: 'skipped',
  message,
  isConflict: false,
});

/** The walk's shared knowledge: one worker that finds the API server silent spares the others their waits. */
interface Walk {
  readonly context: ApplyContext;
  readonly applied: Applied[];
  halt: string | undefined;
  answers: number; // changes that the server answered
}

const applyOne = async (
  walk: Walk,
  change: Change,
  ownerUid: string | undefined,
): Promise<[Applied, string | undefined]> => {
  const hindrance = walk.halt ?? (await walk.context.hindrance());
  if (hindrance !== undefined) return [skipped(change, hindrance), undefined];
  const answersBefore = walk.answers;
  const written = await write(walk.context, change, ownerUid);
  if (written.result !== 'unanswered') walk.answers += 1;
  else if (walk.answers === answersBefore)
    walk.halt = `not started: the source cluster does not answer (${written.message})`;
  return [toApplied(change, written), written.result === 'applied' ? written.uid : undefined];
};

const applyGroup = async (walk: Walk, changes: readonly Change[]): Promise<void> => {
  let ownerUid: string | undefined;
  let isWhole = true; // every earlier change of the group was applied
  for (const change of changes) {
    const isBlocked: boolean = change.needsEarlier && !isWhole;
    const [applied, uid]: [Applied, string | undefined] = isBlocked
      ? [skipped(change, 'not started: an earlier change of the same mirror was not applied'), undefined]
      : await applyOne(walk, change, ownerUid);
    if (change.kind === 'Service' && uid !== undefined) ownerUid = uid;
    isWhole &&= applied.result === 'applied';
    walk.applied.push(applied);
    walk.context.onOutcome?.(applied);
  }
};

const inParallel = async (walk: Walk, groups: readonly (readonly Change[])[]): Promise<void> => {
  const queue = groups.values();
  const worker = async (): Promise<void> => {
    for (const group of queue) await applyGroup(walk, group);
  };
  await Promise.all(Array.from({ length: WRITERS }, worker));
};

/** Applies changes in their order. Never throws for what a cluster does; one failure does not stop its neighbours. */
export const applyChanges = async (
  context: ApplyContext,
  changes: readonly Change[],
): Promise<readonly Applied[]> => {
  const walk: Walk = { context, applied: [], halt: undefined, answers: 0 };
  const isNamespace = ({ kind }: Change): boolean => kind === 'Namespace';
  const groups = [
    ...Map.groupBy(
      changes.filter((change) => !isNamespace(change)),
      ({ mirror }) => keyText(mirror),
    ).values(),
  ];
  await inParallel(
    walk,
    changes.filter(isNamespace).map((change) => [change]),
  );
  await inParallel(walk, groups);
  return walk.applied;
};
