// Two embedded API servers with a random world on them, under one clock that the test moves.
import { type EmbeddedApiServer, startApiServer } from '../../sandbox/apiserver/server.ts';
import { aNamespace } from '../support/builders.ts';
import { type Lab, openLab } from '../support/lab.ts';
import { type World, SOURCE_NAMESPACES, TARGET_NAMESPACES } from './worlds.ts';

export interface Ground {
  readonly lab: Lab;
  readonly source: EmbeddedApiServer['store'];
  close(): Promise<void>;
}

export interface Servers {
  /** A fresh source cluster with the world's leftovers beside the one target cluster, and a lab over both. */
  open(options?: { readonly mirroringController?: boolean }): Promise<Ground>;
  close(): Promise<void>;
}

const START = Date.UTC(2026, 0, 1);

/** A target cluster with what the world exports. Sources are opened on it one after the other, so that all see the same exports. */
export const serversOf = async (world: World): Promise<Servers> => {
  let now = (): number => START;
  const clock = { now: () => now() };
  const target = await startApiServer({ name: 'target', serviceRange: '10.97.0.0/16', clock });
  for (const name of [...TARGET_NAMESPACES, 'linkerd-multicluster'])
    target.store.put('namespaces', aNamespace(name));
  for (const { resource, object } of world.target) target.store.put(resource, object);
  return {
    open: async ({ mirroringController = false } = {}) => {
      const source = await startApiServer({ name: 'source', clock, mirroringController });
      for (const name of SOURCE_NAMESPACES) source.store.put('namespaces', aNamespace(name));
      for (const { resource, object, manager } of world.source) source.store.put(resource, object, manager);
      const lab = openLab({
        source: { url: source.url, token: 'any' },
        target: { url: target.url, token: 'any' },
      });
      now = () => lab.clock.now();
      lab.setLink(world.link);
      return {
        lab,
        source: source.store,
        close: async () => {
          await lab.close();
          await source.close();
        },
      };
    },
    close: () => target.close(),
  };
};

/** Syncs until a run has nothing to write. @throws Error when that takes more than `most` runs */
export const settle = async (lab: Lab, most = 3): Promise<number> => {
  for (let runs = 1; runs <= most; runs += 1) {
    await lab.sync();
    if ((await lab.plan()).report.changes.length === 0) return runs;
  }
  throw new Error(`not settled after ${most} runs`);
};
