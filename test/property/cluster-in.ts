// What stands on an embedded API server, for those who look for entries that lead nowhere.
import { readObject } from '../../lib/kube/read/object.ts';
import { keyText } from '../../lib/model/keys.ts';
import type { Kind, Meta, ObjectOf } from '../../lib/model/objects.ts';
import type { EmbeddedApiServer } from '../../sandbox/apiserver/server.ts';
import { type Cluster, clusterOf } from './replay.ts';

type Store = Pick<EmbeddedApiServer['store'], 'list'>;

const read = <K extends Kind>(store: Store, resource: string, kind: K): ReadonlyMap<string, ObjectOf[K]> =>
  new Map(
    store.list(resource).flatMap((object): [string, ObjectOf[K]][] => {
      const found = readObject(kind, object);
      const meta: Meta | undefined = found?.meta;
      return found === undefined || meta === undefined ? [] : [[keyText(meta), found]];
    }),
  );

export const clusterIn = (store: Store): Cluster =>
  clusterOf({
    services: read(store, 'services', 'Service'),
    endpoints: read(store, 'endpoints', 'Endpoints'),
    slices: read(store, 'endpointslices', 'EndpointSlice'),
  });
