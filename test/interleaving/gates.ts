// The source cluster and the stores of a deployment with a gate before every request: how the scheduler's runs get to see them.
// What nobody changes meanwhile needs none: the target cluster, kinds that are only read, and the journal, whose lines nobody reads.
import type { Kind, Manifest } from '../../lib/model/objects.ts';
import type { Cluster, LinkStore } from '../../lib/ports.ts';
import type { RunWorld } from '../../lib/runs/world.ts';
import type { Gate, Touch } from './scheduler.ts';

/** A write to a cluster, and whether it can only hit what its sender has seen. */
export interface Write {
  readonly kind: Kind;
  readonly place: string; // namespace/name
  readonly isConditional: boolean;
}

/** Of links that write Endpoints. */
const UNCHANGED: readonly Kind[] = ['Namespace', 'ServiceCIDR', 'EndpointSlice'];

const nameIn = ({ metadata }: Manifest): string => String(Object(metadata)['name']);

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** @param onWrite told of every write right before it is sent */
export const gatedCluster = (cluster: Cluster, gate: Gate, onWrite: (write: Write) => void): Cluster => {
  const read = (kind: Kind, place = ''): Touch => ({ what: `${kind}/${place}`, writes: false });
  const write = <T>(sent: Write, send: () => Promise<T>): Promise<T> => {
    if (UNCHANGED.includes(sent.kind)) throw new Error(`${sent.kind} has no gate, but is written`);
    return gate({ what: `${sent.kind}/${sent.place}`, writes: true }, () => {
      onWrite(sent);
      return send();
    });
  };
  return {
    list: (kind, query) => {
      const send = () => cluster.list(kind, query);
      const scope = query?.namespace === undefined ? '' : `${query.namespace}/`;
      return UNCHANGED.includes(kind) ? send() : gate(read(kind, scope), send);
    },
    get: (kind, namespace, name) =>
      gate(read(kind, `${namespace}/${name}`), () => cluster.get(kind, namespace, name)),
    create: (kind, namespace, body) =>
      write({ kind, place: `${namespace}/${nameIn(body)}`, isConditional: true }, () =>
        cluster.create(kind, namespace, body),
      ),
    patch: (kind, namespace, name, body) =>
      write(
        {
          kind,
          place: `${namespace}/${name}`,
          isConditional: isText(Object(body['metadata'])['resourceVersion']),
        },
        () => cluster.patch(kind, namespace, name, body),
      ),
    delete: (kind, namespace, name, preconditions) =>
      write(
        {
          kind,
          place: `${namespace}/${name}`,
          isConditional: isText(preconditions.uid) && isText(preconditions.resourceVersion),
        },
        () => cluster.delete(kind, namespace, name, preconditions),
      ),
    now: () => cluster.now(),
    requests: () => cluster.requests(),
  };
};

/** The target cluster where one of the runs changes it: what others read of it depends on when they do. */
export const gatedTarget = (cluster: Cluster, gate: Gate): Cluster => ({
  ...cluster,
  list: (kind, query) => gate({ what: `target/${kind}/`, writes: false }, () => cluster.list(kind, query)),
});

const gatedLinks = (links: LinkStore, gate: Gate): LinkStore => {
  const reads = (name = ''): Touch => ({ what: `table/links/${name}`, writes: false });
  const writes = (name: string): Touch => ({ what: `table/links/${name}`, writes: true });
  return {
    list: () => gate(reads(), () => links.list()),
    get: (name) => gate(reads(name), () => links.get(name)),
    put: (link, expected) => gate(writes(link.name), () => links.put(link, expected)),
    end: (name) => gate(writes(name), () => links.end(name)),
    // With the link its gateway is forgotten.
    remove: (name) => gate({ what: 'table/', writes: true }, () => links.remove(name)),
    saveRun: (name, summary) => gate(writes(name), () => links.saveRun(name, summary)),
    claim: async (name, holder, seconds) => {
      const claim = await gate(writes(name), () => links.claim(name, holder, seconds));
      return claim && { ...claim, release: () => gate(writes(name), () => claim.release()) };
    },
  };
};

type Stores = Pick<RunWorld, 'links' | 'gateways' | 'names'>;

export const gatedStores = ({ links, gateways, names }: Stores, gate: Gate): Stores => {
  const reads = (what: string): Touch => ({ what, writes: false });
  const writes = (what: string): Touch => ({ what, writes: true });
  const name = (hostname: string, family: string): string => `table/names/${family} ${hostname}`;
  return {
    links: gatedLinks(links, gate),
    gateways: {
      load: (link) => gate(reads(`table/gateways/${link}`), () => gateways.load(link)),
      save: (link, state, expected) =>
        gate(writes(`table/gateways/${link}`), () => gateways.save(link, state, expected)),
    },
    names: {
      list: () => gate(reads('table/names/'), () => names.list()),
      get: (hostname, family) => gate(reads(name(hostname, family)), () => names.get(hostname, family)),
      save: (state, expected) =>
        gate(writes(name(state.record.hostname, state.record.family)), () => names.save(state, expected)),
      claim: (hostname, family, times) =>
        gate(writes(name(hostname, family)), () => names.claim(hostname, family, times)),
      remove: (hostname, family, expected) =>
        gate(writes(name(hostname, family)), () => names.remove(hostname, family, expected)),
    },
  };
};
