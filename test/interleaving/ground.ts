// What the runs of one order stand on: a source cluster with mirrors and with objects of others, a target cluster that has moved on
// since the mirrors were made, and the memory of a deployment whose gateway's name is due and answers something else now.
import type { Link } from '../../lib/model/link.ts';
import type { ReconcileMessage } from '../../lib/model/messages.ts';
import type { Cluster } from '../../lib/ports.ts';
import { memoryQueue, type MemoryQueue } from '../../lib/queue/memory.ts';
import type { RunWorld } from '../../lib/runs/world.ts';
import type { MemoryLinks } from '../../lib/store/memory-links.ts';
import { memoryStores } from '../../lib/store/memory-stores.ts';
import type { Stores } from '../../lib/store/stores.ts';
import { stateOf } from '../property/state.ts';
import { testClock, type TestClock } from '../support/clock.ts';
import { directCluster } from './direct-cluster.ts';
import { gatedCluster, gatedStores, gatedTarget } from './gates.ts';
import { type KindName, KINDS } from './runs.ts';
import type { Gate } from './scheduler.ts';
import { SCENES, type SceneName } from './scenes.ts';
import { copyOf, newSource, newTarget, type Site } from './sites.ts';
import { readyIn, type Rules, watch } from './watch.ts';

const START = Date.UTC(2026, 0, 1);
/** After it the name of the gateway is due, ms. */
const LATER = 62_000;

/** What every answer of the gateway's name holds, what only the first one holds, and what only the later one. */
export const [KEPT, FORMER, LEARNT] = ['203.0.113.10', '203.0.113.11', '203.0.113.77'];

export interface Ground {
  /** Runs something whose requests go through the gate. @param name of the run: what it calls itself in locks */
  run(kind: KindName, gate: Gate, name: string): Promise<unknown>;
  /** The target cluster moves on, when that is let through. */
  moveOn(gate: Gate): Promise<void>;
  /** Every object of the source cluster, without what differs between clusters that are equal. */
  state(): Readonly<Record<string, unknown>>;
  /** Ready addresses of a mirror; undefined: it is not there. */
  ready(mirror: string): readonly string[] | undefined;
  /** What was done so far that nobody may do, and locks that nobody gave back. */
  offences(): readonly string[];
  /** Messages that are to start another reconcile. */
  readonly work: MemoryQueue<ReconcileMessage>;
}

interface Memory {
  readonly stores: Stores;
  readonly rows: MemoryLinks;
}

interface Parts {
  readonly clock: TestClock;
  readonly stores: Stores;
  readonly work: MemoryQueue<ReconcileMessage>;
  readonly target: Cluster;
  readonly addresses: readonly string[]; // of the gateway's name
}

const worldOf = (parts: Parts, source: Cluster, run: string): RunWorld => {
  const { clock, stores, work, target, addresses } = parts;
  return {
    ...stores,
    work,
    timers: memoryQueue({ clock }),
    resolver: { resolve: async () => ({ kind: 'addresses', addresses, ttl: 60, partial: false }) },
    clock,
    random: () => 0,
    runId: () => run,
    open: async () => ({
      source,
      target,
      close: () => Promise.resolve(),
    }),
  };
};

const newMemory = (clock: TestClock, rows: MemoryLinks = new Map()): Memory => ({
  stores: memoryStores({ clock, rows }),
  rows,
});

const copyOfMemory = async ({ stores: from, rows }: Memory, clock: TestClock): Promise<Memory> => {
  const copy = newMemory(clock, new Map(rows));
  for (const link of rows.keys()) {
    const gateway = await from.gateways.load(link);
    if (gateway !== undefined) await copy.stores.gateways.save(link, gateway.value, 0);
  }
  for (const name of await from.names.list()) await copy.stores.names.save(name, 0);
  return copy;
};

/** What the runs are about, and what they must not do meanwhile. */
export interface Terms {
  readonly link: Link;
  readonly scene: SceneName;
  /** Whether a run makes the target move on; otherwise it has already. */
  readonly isMoving: boolean;
  readonly rules: Rules;
}

interface Beginning {
  readonly source: Site;
  readonly target: Site;
  readonly memory: Memory;
}

const layGround = async (
  begun: Beginning,
  { link, scene: name, isMoving, rules }: Terms,
): Promise<Ground> => {
  const clock = testClock(START + LATER);
  const scene = SCENES[name];
  const source = copyOf(begun.source, clock);
  const target = copyOf(begun.target, clock);
  if (!isMoving) scene.moveOn(target.store);
  const { stores, rows } = await copyOfMemory(begun.memory, clock);
  const work = memoryQueue<ReconcileMessage>({ clock });
  const lockHolder = (): string | undefined => rows.get(link.name)?.lease?.holder;
  const watching = watch({ site: source, scene, link, lockHolder }, rules);
  const worldFor = (gate: Gate, run: string): RunWorld => {
    const gated = gatedCluster(directCluster(source.core, 'source'), gate, (write) =>
      watching.onWrite(run, write),
    );
    const still = directCluster(target.core, 'target');
    const parts = {
      clock,
      work,
      stores: { ...stores, ...gatedStores(stores, gate) },
      target: isMoving ? gatedTarget(still, gate) : still,
      addresses: [KEPT, LEARNT],
    };
    return worldOf(parts, gated, run);
  };
  const moveOn = (gate: Gate): Promise<void> =>
    gate({ what: 'target/', writes: true }, () => Promise.resolve(scene.moveOn(target.store)));
  return {
    work,
    run: (kind, gate, run) => KINDS[kind](worldFor(gate, run), link),
    moveOn,
    state: () => stateOf(source.store),
    ready: (mirror) => {
      const endpoints = source.store.get('endpoints', 'shop', mirror);
      return endpoints === undefined ? undefined : readyIn(endpoints);
    },
    offences: () => watching.offences(),
  };
};

/** Makes the mirrors of a link once; what it returns lays the same ground as often as it is called. */
export const groundFor = async (terms: Terms): Promise<() => Promise<Ground>> => {
  const { link, scene } = terms;
  const clock = testClock(START);
  const target = newTarget(clock, SCENES[scene]);
  const begun = { source: newSource(clock), target, memory: newMemory(clock) };
  const { stores } = begun.memory;
  await stores.links.put(link, 0);
  const work = memoryQueue<ReconcileMessage>({ clock });
  const parts = {
    clock,
    stores,
    work,
    target: directCluster(target.core, 'target'),
    addresses: [KEPT, FORMER],
  };
  await KINDS.reconcile(worldOf(parts, directCluster(begun.source.core, 'source'), 'first'), link);
  return () => layGround(begun, terms);
};
