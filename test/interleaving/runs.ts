// What can be at work at the same time, each as it is started: by a message, a timer, or a person. Another kind is another row.
import type { Link } from '../../lib/model/link.ts';
import { reconcile } from '../../lib/reconcile.ts';
import { refresh } from '../../lib/runs/refresh.ts';
import { resync, resyncRequest } from '../../lib/runs/resync.ts';
import { workOn } from '../../lib/runs/work.ts';
import type { RunWorld } from '../../lib/runs/world.ts';
import { memoryStore } from '../../lib/store/memory.ts';
import { GATEWAY_HOST } from '../support/builders.ts';

export type Kind = (world: RunWorld, link: Link) => Promise<unknown>;

const TIME = 600_000; // ms; no run comes to its deadline
const deadline = ({ clock }: RunWorld): number => clock.now() + TIME;

/** From a computer of its own: it shares no memory and no lock with the deployment, only the Lease where there can be one. */
const sync: Kind = async (world, link) => {
  const { resolver, clock, random } = world;
  const { source, target } = await world.open(link, { fresh: false });
  const own = { store: memoryStore(), runId: world.runId() };
  return reconcile(link, { source, target, resolver, clock, random, ...own }, { dryRun: false });
};

export const KINDS = {
  sync,
  reconcile: (world, link) => workOn(world, { link: link.name, hop: 0 }, deadline(world)),
  refresh: (world) =>
    refresh(world, { hostname: GATEWAY_HOST, family: 'IPv4', due: 0, hop: 0 }, deadline(world)),
  resync: (world, link) => resync(world, resyncRequest.parse({ link: link.name }), deadline(world)),
  unlink: (world, link) =>
    resync(world, resyncRequest.parse({ link: link.name, unlink: true }), deadline(world)),
} as const satisfies Readonly<Record<string, Kind>>;

export type KindName = keyof typeof KINDS;
