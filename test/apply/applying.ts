// Applies changes to a scripted cluster, and shows what became of them.
import { type Applied, applyChanges } from '../../lib/apply/apply.ts';
import type { Change, Outcome } from '../../lib/model/plan.ts';
import { testClock } from '../support/clock.ts';
import { type Script, scriptedCluster } from './scripted-cluster.ts';

interface Given {
  readonly script?: Script;
  readonly clusterIPs?: Readonly<Record<string, readonly string[]>>;
  readonly hindrance?: () => string | undefined;
}

export const apply = async (
  changes: readonly Change[],
  { script, clusterIPs, hindrance = () => undefined }: Given = {},
) => {
  const clock = testClock(0);
  const source = scriptedCluster(clock, script, clusterIPs);
  const told: Outcome[] = [];
  const applied = await applyChanges(
    {
      source,
      clock,
      hindrance: () => Promise.resolve(hindrance()),
      onOutcome: (outcome) => told.push(outcome),
    },
    changes,
  );
  return { applied, source, told };
};

export const shown = (applied: readonly Applied[]): readonly string[] =>
  applied.map(
    ({ change, result, message }) =>
      `${result} ${change.kind} ${change.name}${message === undefined ? '' : `: ${message}`}`,
  );

export const EARLIER = 'not started: an earlier change of the same mirror was not applied';
