// Reads parts of the source cluster again, after a write met something else than was seen.
import { keyText, type ObjectKey } from '../model/keys.ts';
import { CLUSTER_NAME, SERVICE_NAME } from '../model/labels.ts';
import type { Link } from '../model/link.ts';
import type { Endpoints, EndpointSlice, Meta, Service } from '../model/objects.ts';
import type { Observed, SourceSnapshot } from '../model/snapshot.ts';
import type { Cluster } from '../ports.ts';
import { attempt } from './attempt.ts';

/** More names than this in one namespace are read by lists of it: a headless mirror has as many as pods, three requests each. */
const MOST_BY_NAME = 5;

/** What was found; of names that were not asked for too. */
interface Found {
  readonly services: readonly Service[];
  readonly endpoints: readonly Endpoints[];
  readonly slices: readonly EndpointSlice[];
}

const present = <T>(object: T | undefined): readonly T[] => (object === undefined ? [] : [object]);

const readByName = async (cluster: Cluster, { namespace, name }: ObjectKey): Promise<Found> => {
  const [service, endpoints, slices] = await Promise.all([
    cluster.get('Service', namespace, name),
    cluster.get('Endpoints', namespace, name),
    cluster.list('EndpointSlice', { namespace, labelSelector: `${SERVICE_NAME}=${name}` }),
  ]);
  return { services: present(service), endpoints: present(endpoints), slices };
};

/** Services and Endpoints of everybody, as one of somebody else may have taken a name; of slices only the link's are looked at. */
const readNamespace = async (cluster: Cluster, link: Link, namespace: string): Promise<Found> => {
  const [services, endpoints, slices] = await Promise.all([
    cluster.list('Service', { namespace }),
    cluster.list('Endpoints', { namespace }),
    cluster.list('EndpointSlice', { namespace, labelSelector: `${CLUSTER_NAME}=${link.name}` }),
  ]);
  return { services, endpoints, slices };
};

const read = async (cluster: Cluster, link: Link, names: readonly ObjectKey[]): Promise<readonly Found[]> => {
  const found: Found[] = [];
  for (const [namespace, members] of Map.groupBy(names, (key) => key.namespace)) {
    if (members.length > MOST_BY_NAME) found.push(await readNamespace(cluster, link, namespace));
    else for (const name of members) found.push(await readByName(cluster, name));
  }
  return found;
};

/** The map with what was found in the place of everything that `isAsked`. */
const replaced = <T extends { readonly meta: Meta }>(
  before: ReadonlyMap<string, T>,
  found: readonly T[],
  isAsked: (object: T) => boolean,
): ReadonlyMap<string, T> =>
  new Map([
    ...[...before].filter(([, object]) => !isAsked(object)),
    ...found.filter(isAsked).map((object) => [keyText(object.meta), object] as const),
  ]);

/** The snapshot with objects of these names read anew. */
export const withNamesReadAgain = (
  cluster: Cluster,
  link: Link,
  snapshot: SourceSnapshot,
  names: readonly ObjectKey[],
): Promise<Observed<SourceSnapshot>> =>
  attempt('source cluster', async () => {
    const found = await read(cluster, link, names);
    const asked = new Set(names.map(keyText));
    const isAsked = ({ meta }: { readonly meta: Meta }): boolean => asked.has(keyText(meta));
    return {
      ...snapshot,
      services: replaced(
        snapshot.services,
        found.flatMap(({ services }) => services),
        isAsked,
      ),
      endpoints: replaced(
        snapshot.endpoints,
        found.flatMap(({ endpoints }) => endpoints),
        isAsked,
      ),
      slices: replaced(
        snapshot.slices,
        found.flatMap(({ slices }) => slices),
        ({ meta, serviceName }) => asked.has(keyText({ namespace: meta.namespace, name: serviceName })),
      ),
    };
  });
