// Looks at a namespace of the source cluster before and after every write, and keeps what nobody must see.
import type { Lab } from '../support/lab.ts';
import { faultsIn, type Seen, seenIn } from './seen.ts';

export interface Watcher {
  readonly looks: readonly Seen[];
  /** Faults of single moments, and of what changed from one to the next. */
  faults(): readonly string[];
}

const isHeadless = (seen: Seen | undefined, name: string): boolean => seen?.get(name)?.clusterIP === 'None';

/** Services that are there at both ends in one shape must have kept ClusterIP and list all the time between. */
const faultsBetween = (looks: readonly Seen[]): readonly string[] => {
  const [first, last] = [looks[0], looks.at(-1)];
  const kept = [...(first?.keys() ?? [])].filter(
    (name) => last?.has(name) === true && isHeadless(first, name) === isHeadless(last, name),
  );
  return kept.flatMap((name) => {
    const [before, after] = [first?.get(name), last?.get(name)];
    const isPod = before?.root !== undefined && before.root === after?.root;
    const isFilled = (before?.list?.length ?? 0) > 0 && (after?.list?.length ?? 0) > 0;
    return looks.flatMap((seen) => {
      const now = seen.get(name);
      return [
        ...(now?.clusterIP === before?.clusterIP
          ? []
          : [`${name} had ${before?.clusterIP}, then ${now?.clusterIP}`]),
        ...(isPod && now?.list === undefined ? [`${name} lost its list`] : []),
        ...(isPod && isFilled && now?.list?.length === 0 ? [`${name} listed nobody for a while`] : []),
      ];
    });
  });
};

/** Begins with a look now; from then on writes to the source cluster wait for each other, so that every state is seen whole. */
export const watch = async (lab: Lab, namespace = 'shop'): Promise<Watcher> => {
  const looks: Seen[] = [];
  const look = async (): Promise<void> => {
    looks.push(await seenIn(lab.source, namespace));
  };
  await look();
  lab.sourceFaults.afterEveryWrite(look);
  return {
    looks,
    faults: () => [...new Set([...looks.flatMap(faultsIn), ...faultsBetween(looks)])],
  };
};
