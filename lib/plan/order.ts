// The order in which changes start.
//
//   1. Namespaces, which everything else needs
//   2. groups that create: a new export must not queue behind a long update of old mirrors
//   3. groups that only update
//   4. groups that only delete: a run that dies leaves too much rather than too little
//
// Inside a group: Service, endpoints objects, then deletes, as the planner lists them.
import { compareText, keyText } from '../model/keys.ts';
import type { Change } from '../model/plan.ts';

const RANKS = { create: 1, update: 2, delete: 3 } as const;

/** Sorts whole groups; the order inside each group is kept. */
export const inOrder = (changes: readonly Change[]): readonly Change[] => {
  const groups = Map.groupBy(changes, ({ mirror }) => keyText(mirror));
  const rank = (members: readonly Change[]): number =>
    Math.min(...members.map(({ action, kind }) => (kind === 'Namespace' ? 0 : RANKS[action])));
  return [...groups]
    .map(([group, members]) => ({ group, members, rank: rank(members) }))
    .sort((a, b) => a.rank - b.rank || compareText(a.group, b.group))
    .flatMap(({ members }) => members);
};
