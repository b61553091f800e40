// Two embedded API servers with a random world on them, under one clock that the test moves.
import {
  type ApiServerOptions,
  type EmbeddedApiServer,
  startApiServer,
} from '../../sandbox/apiserver/server.ts';
import { aNamespace } from '../support/builders.ts';
import { type Lab, openLab } from '../support/lab.ts';
import { clusterIn } from './cluster-in.ts';
import type { Placed } from './pools.ts';
import { deadEntries } from './replay.ts';
import { TARGET_NAMESPACES } from './targets.ts';
import { type World, SOURCE_NAMESPACES } from './worlds.ts';

export interface Ground {
  readonly lab: Lab;
  readonly source: EmbeddedApiServer['store'];
  /** Entries of headless roots that some write so far left without an endpoint mirror and its list. */
  broken(): readonly string[];
  close(): Promise<void>;
}

export interface Servers {
  /**
   * A fresh source cluster with the world's leftovers beside the one target cluster, and a lab over both; one with a past has seen what
   * the target exported before.
   */
  open(options?: { readonly mirroringController?: boolean }): Promise<Ground>;
  /** The target moves on from what it exported before, once every source that is to see that was opened. */
  moveOn(): void;
  close(): Promise<void>;
}

const START = Date.UTC(2026, 0, 1);
const RANGES = { single: '10.96.0.0/16', both: '10.96.0.0/16,fd00:10:96::/112' } as const;

type Store = EmbeddedApiServer['store'];

const nameOf = ({ resource, object: { metadata } }: Placed): string =>
  `${resource} ${metadata.namespace}/${metadata.name}`;

/** Replaces objects by others: those that are the same in both are left alone, the others are made anew. */
const replace = (store: Store, from: readonly Placed[], to: readonly Placed[]): void => {
  const textOf = ({ object }: Placed): string => JSON.stringify(object);
  const [old, next] = [from, to].map((rows) => new Map(rows.map((row) => [nameOf(row), textOf(row)])));
  for (const row of from) {
    const { namespace = '', name } = row.object.metadata;
    if (next?.get(nameOf(row)) !== textOf(row)) store.delete(row.resource, namespace, name);
  }
  for (const row of to) if (old?.get(nameOf(row)) !== textOf(row)) store.put(row.resource, row.object);
};

const newSource = async (world: World, options: ApiServerOptions): Promise<EmbeddedApiServer> => {
  const serviceRange = RANGES[world.hasBothFamilies ? 'both' : 'single'];
  const source = await startApiServer({ name: 'source', serviceRange, ...options });
  for (const name of SOURCE_NAMESPACES) source.store.put('namespaces', aNamespace(name));
  for (const { resource, object, manager } of world.source) source.store.put(resource, object, manager);
  return source;
};

const watchEntries = (store: Store): (() => readonly string[]) => {
  let before = deadEntries(clusterIn(store));
  const broken: string[] = [];
  store.subscribe(() => {
    const after = deadEntries(clusterIn(store));
    broken.push(...[...after].filter((entry) => !before.has(entry)));
    before = after;
  });
  return () => broken;
};

/** A target cluster with what the world exports. Several sources can be opened on it, so that all see the same exports. */
export const serversOf = async (world: World): Promise<Servers> => {
  let now = (): number => START;
  const clock = { now: () => now() };
  const target = await startApiServer({ name: 'target', serviceRange: '10.97.0.0/16', clock });
  for (const name of [...TARGET_NAMESPACES, 'linkerd-multicluster'])
    target.store.put('namespaces', aNamespace(name));
  replace(target.store, [], world.before ?? world.target);
  return {
    open: async ({ mirroringController = false } = {}) => {
      const source = await newSource(world, { clock, mirroringController });
      const lab = openLab({
        source: { url: source.url, token: 'any' },
        target: { url: target.url, token: 'any' },
      });
      lab.clock.advance((START - lab.clock.now()) / 1000);
      now = () => lab.clock.now();
      lab.setLink(world.link);
      const broken = watchEntries(source.store);
      if (world.before !== undefined) await settle(lab);
      return {
        lab,
        source: source.store,
        broken,
        close: async () => {
          await lab.close();
          await source.close();
        },
      };
    },
    moveOn: () => {
      if (world.before !== undefined) replace(target.store, world.before, world.target);
    },
    close: () => target.close(),
  };
};

/** Calls back with a ground on which the target has moved on, and closes all. */
export const onGround = async (
  world: World,
  work: (ground: Ground) => Promise<void>,
  options: { readonly mirroringController?: boolean } = {},
): Promise<void> => {
  const servers = await serversOf(world);
  try {
    const ground = await servers.open(options);
    try {
      servers.moveOn();
      await work(ground);
    } finally {
      await ground.close();
    }
  } finally {
    await servers.close();
  }
};

/** Syncs until a run has nothing to write. @throws Error when that takes more than `most` runs */
export const settle = async (lab: Lab, most = 3): Promise<number> => {
  for (let runs = 1; runs <= most; runs += 1) {
    await lab.sync();
    if ((await lab.plan()).report.changes.length === 0) return runs;
  }
  throw new Error(`not settled after ${most} runs`);
};
