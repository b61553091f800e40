// Looks once more at Services that were deleted and made again.
//
// Kubernetes' endpoints controller deletes the Endpoints of a Service that is gone, by name and a moment later: those of the new Service
// of the same name can be hit. It starts no such delete once it has seen the new Service, so what stands a second later stays.
import { keyText, type ObjectKey } from '../model/keys.ts';
import type { Change } from '../model/plan.ts';
import type { SourceSnapshot } from '../model/snapshot.ts';
import { type Applied, type ApplyContext, applyChanges } from './apply.ts';
import { namesOf } from './names.ts';
import type { Replanner } from './replanner.ts';

/** Measured on Kubernetes 1.35: with sixty Services made again at once, none lost its Endpoints after this time, ms. */
const DELAY = 1000;

const isOf =
  (action: Change['action'], kind: Change['kind']) =>
  ({ change, result }: Applied): boolean =>
    result === 'applied' && change.action === action && change.kind === kind;

/** Whether Endpoints were written under the name of a Service that this run deleted. */
const isMadeAgain = (members: readonly Applied[]): boolean => {
  const deleted = new Set(members.filter(isOf('delete', 'Service')).map(({ change }) => keyText(change)));
  return members.filter(isOf('create', 'Endpoints')).some(({ change }) => deleted.has(keyText(change)));
};

interface Mirror {
  readonly mirror: ObjectKey;
  readonly members: readonly Applied[];
}

const madeAgain = (applied: readonly Applied[]): readonly Mirror[] =>
  [...Map.groupBy(applied, ({ change }) => keyText(change.mirror)).values()].flatMap((members) => {
    const mirror = members[0]?.change.mirror;
    return mirror !== undefined && isMadeAgain(members) ? [{ mirror, members }] : [];
  });

/** Puts back what was deleted under our hands; what could not be looked at is left to the next run. */
export const lookAgain = async (
  context: ApplyContext,
  applied: readonly Applied[],
  start: SourceSnapshot,
  replanner: Replanner,
): Promise<readonly Applied[]> => {
  const mirrors = madeAgain(applied);
  if (mirrors.length === 0 || (await context.hindrance()) !== undefined) return [];
  await context.clock.sleep(DELAY);
  const planAgain = await replanner.decideAgain();
  if (planAgain === undefined) return [];
  let snapshot = start;
  const changes: Change[] = [];
  for (const { mirror, members } of mirrors) {
    const seen = await replanner.readAgain(snapshot, namesOf(mirror, members));
    if (!seen.observed) continue;
    snapshot = seen.value;
    changes.push(...planAgain(snapshot, mirror).changes);
  }
  return applyChanges(context, changes);
};
