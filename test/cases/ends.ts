// Where a source cluster ends: its objects without what differs from one creation to the next.
import type { KubeObject, TestApi } from '../support/api.ts';
import { objectsIn, seenOf, told } from './seen.ts';

export interface End {
  /** Whole objects by kind and name; addresses and UIDs of Services are their names. */
  readonly objects: Readonly<Record<string, unknown>>;
  /** What readers see (`told` in seen.ts). */
  readonly told: readonly string[];
}

const PASSING = ['resourceVersion', 'creationTimestamp', 'managedFields', 'generation', 'generateName'];
const REMOTE_VERSION = 'mirror.linkerd.io/remote-resource-version';

const lasting = ({ metadata, ...object }: KubeObject, names: ReadonlyMap<string, string>): unknown => {
  const { uid: _, annotations = {}, ...rest } = metadata;
  const { [REMOTE_VERSION]: _version, ...others } = annotations;
  const kept = Object.entries(rest).filter(([field]) => !PASSING.includes(field));
  return JSON.parse(
    JSON.stringify({ ...object, metadata: { ...Object.fromEntries(kept), annotations: others } }),
    (_key, value: unknown) => (typeof value === 'string' ? (names.get(value) ?? value) : value),
  );
};

export const endOf = async (api: TestApi, namespace = 'shop'): Promise<End> => {
  const seen = await objectsIn(api, namespace);
  const names = new Map(
    seen.services.flatMap(({ metadata, spec }) => [
      [metadata.uid ?? '', `UID of ${metadata.name}`] as const,
      ...(spec.clusterIP === 'None' ? [] : [[spec.clusterIP, `ClusterIP of ${metadata.name}`] as const]),
    ]),
  );
  const named = (kind: string, list: readonly KubeObject[]) =>
    list.map((object) => [`${kind} ${object.metadata.name}`, lasting(object, names)] as const);
  return {
    objects: Object.fromEntries([
      ...named('Service', seen.services),
      ...named('Endpoints', seen.endpoints),
      ...named('EndpointSlice', seen.slices),
    ]),
    told: told(seenOf(seen)),
  };
};
