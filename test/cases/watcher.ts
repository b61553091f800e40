// Looks at a namespace of the source cluster before and after every write, and keeps what nobody must see.
import type { KubeObject } from '../support/api.ts';
import type { Lab } from '../support/lab.ts';
import { faultsIn, objectsIn, type Seen, seenOf } from './seen.ts';

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

const byName = (objects: readonly KubeObject[]): Map<string, KubeObject> =>
  new Map(objects.map((object) => [object.metadata.name, object]));

/** Reads again what a write was about: lists of a real API server take a tenth of a second so soon after a write. */
const tracker = async (lab: Lab, namespace: string) => {
  const kept = await objectsIn(lab.source, namespace);
  const known = {
    Service: byName(kept.services),
    Endpoints: byName(kept.endpoints),
    EndpointSlice: byName(kept.slices),
  };
  const readAgain = async (kind: keyof typeof known, name: string): Promise<void> => {
    const object = await lab.source.read(kind, namespace, name);
    if (object === undefined) known[kind].delete(name);
    else known[kind].set(name, object);
  };
  return {
    seen: (): Seen =>
      seenOf({
        services: [...known.Service.values()],
        endpoints: [...known.Endpoints.values()],
        slices: [...known.EndpointSlice.values()],
      }),
    follow: async (request: string): Promise<void> => {
      const [, kind = '', place, name = ''] = /^\w+ (\w+) ([^/]*)\/(.*)$/.exec(request) ?? [];
      if (place !== namespace) return;
      if (kind === 'EndpointSlice') await readAgain(kind, name);
      // A Service that is deleted takes its Endpoints along.
      else await Promise.all([readAgain('Service', name), readAgain('Endpoints', name)]);
    },
  };
};

/**
 * Begins with a look now; from then on writes to the source cluster wait for each other, so that every state is seen whole. Nobody but
 * the run may write there meanwhile.
 */
export const watch = async (lab: Lab, namespace = 'shop'): Promise<Watcher> => {
  const { seen, follow } = await tracker(lab, namespace);
  const looks = [seen()];
  lab.sourceFaults.afterEveryWrite(async (request) => {
    await follow(request);
    looks.push(seen());
  });
  return {
    looks,
    faults: () => [...new Set([...looks.flatMap(faultsIn), ...faultsBetween(looks)])],
  };
};
