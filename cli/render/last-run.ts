// What the last run of a link said, in few words.

/** Of a stored summary or of one in an answer. */
export interface ShownRun {
  readonly mirrors: Readonly<Record<string, number>>; // how many are in which state
  readonly failed: number;
  readonly refusals: readonly unknown[];
  readonly moreRefusals: number;
  readonly unobserved: readonly unknown[];
}

/** `2 in sync, 1 refused`; what could not be done or seen stands behind it. */
export function mirrorsText({ mirrors, failed, unobserved }: ShownRun): string {
  const states = Object.entries(mirrors).flatMap(([state, number]) =>
    number > 0 ? [`${number} ${state}`] : [],
  );
  const parts = [
    ...states,
    ...(failed > 0 ? [`${failed} not applied`] : []),
    ...(unobserved.length > 0 ? [`${unobserved.length} not observed`] : []),
  ];
  return parts.length > 0 ? parts.join(', ') : 'none';
}

export const refusalsOf = ({ refusals, moreRefusals }: ShownRun): number => refusals.length + moreRefusals;

/** Whether anything failed, was refused or could not be seen. */
export const isTroubled = (run: ShownRun): boolean =>
  run.failed > 0 || run.unobserved.length > 0 || refusalsOf(run) > 0;
