// Walks a plan: mirrors side by side, the stages of a mirror one after the other, the parts of a stage side by side, one outcome per
// change.
import pLimit, { type LimitFunction } from 'p-limit';
import { familyOf } from '../model/families.ts';
import { keyText } from '../model/keys.ts';
import type { Change, Outcome, Reason } from '../model/plan.ts';
import type { FindAddress } from './fill.ts';
import { type Made, write, type WriteContext, type Written } from './write.ts';

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
  readonly inSlot: LimitFunction; // runs a piece of work when a slot is free
}

/** What became of the parts of one mirror, by the name of the part. */
interface Parts {
  readonly made: Map<string, Made>;
  readonly broken: Set<string>; // a change of it was not applied
  readonly tried: Set<string>;
}

const partOf = ({ part, mirror }: Change): string => keyText(part ?? mirror);

const addressesFrom =
  ({ made, broken }: Parts): FindAddress =>
  ({ clusterIPOf, family, ip }) => {
    const part = keyText(clusterIPOf);
    if (broken.has(part)) return undefined;
    return ip ?? made.get(part)?.clusterIPs.find((one) => familyOf(one) === family);
  };

const applyOne = async (walk: Walk, change: Change, parts: Parts): Promise<Applied> => {
  const hindrance = walk.halt ?? (await walk.context.hindrance());
  if (hindrance !== undefined) return skipped(change, hindrance);
  const answersBefore = walk.answers;
  const part = partOf(change);
  const earlier = { ownerUid: parts.made.get(part)?.uid, made: addressesFrom(parts) };
  const written = await write(walk.context, change, earlier);
  if (written.result !== 'unanswered') walk.answers += 1;
  else if (walk.answers === answersBefore)
    walk.halt = `not started: the source cluster does not answer (${written.message})`;
  if (written.result === 'applied' && written.made !== undefined) parts.made.set(part, written.made);
  return toApplied(change, written);
};

/** Of the parts besides the mirror itself, where any was written. */
const isNoneWhole = ({ mirror }: Change, { broken, tried }: Parts): boolean => {
  const others = [...tried].filter((part) => part !== keyText(mirror));
  return others.length > 0 && others.every((part) => broken.has(part));
};

const isBlocked = (change: Change, parts: Parts): boolean => {
  const isBroken = parts.broken.has(partOf(change)) || parts.broken.has(keyText(change.mirror));
  return (change.needsEarlier && isBroken) || (change.needsOnePart === true && isNoneWhole(change, parts));
};

/** The changes of one part in one stage, one after the other. */
const applyPart = async (walk: Walk, changes: readonly Change[], parts: Parts): Promise<void> => {
  for (const change of changes) {
    const applied = isBlocked(change, parts)
      ? skipped(change, 'not started: an earlier change of the same mirror was not applied')
      : await applyOne(walk, change, parts);
    parts.tried.add(partOf(change));
    if (applied.result !== 'applied') parts.broken.add(partOf(change));
    walk.applied.push(applied);
    walk.context.onOutcome?.(applied);
  }
};

const stagesOf = (changes: readonly Change[]): readonly (readonly Change[])[] =>
  [...Map.groupBy(changes, ({ stage = 0 }) => stage)]
    .toSorted(([a], [b]) => a - b)
    .map(([, members]) => members);

const applyMirror = async (walk: Walk, changes: readonly Change[]): Promise<void> => {
  const parts: Parts = { made: new Map(), broken: new Set(), tried: new Set() };
  for (const stage of stagesOf(changes)) {
    const lanes = [...Map.groupBy(stage, partOf).values()];
    await Promise.all(lanes.map((lane) => walk.inSlot(() => applyPart(walk, lane, parts))));
  }
};

/** As many mirrors at once as there are slots: the parts of one may take them all, and no more mirrors are begun than are being written. */
const inParallel = async (walk: Walk, groups: readonly (readonly Change[])[]): Promise<void> => {
  const queue = groups.values();
  const worker = async (): Promise<void> => {
    for (const group of queue) await applyMirror(walk, group);
  };
  await Promise.all(Array.from({ length: WRITERS }, worker));
};

/** Applies changes in their order. Never throws for what a cluster does; one failure does not stop its neighbours. */
export const applyChanges = async (
  context: ApplyContext,
  changes: readonly Change[],
): Promise<readonly Applied[]> => {
  const walk: Walk = { context, applied: [], halt: undefined, answers: 0, inSlot: pLimit(WRITERS) };
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
