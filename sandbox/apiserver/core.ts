// The embedded API server without its HTTP side: objects, allocators, clock.
import { randomUUID } from 'node:crypto';
import type { Clock } from './clock.ts';
import { trusted } from './json.ts';
import { decodeObject } from './schema/decode.ts';
import { createClusterIps } from './resources/cluster-ips.ts';
import { createNodePorts } from './resources/node-ports.ts';
import { RESOURCES } from './resources/registry.ts';
import { Store } from './storage/store.ts';
import type { Cluster, KubeObject, ResourceType } from './types.ts';

export interface Core extends Cluster {
  readonly store: Store;
  /** A new UID for an object. */
  uid(): string;
}

export interface CoreOptions {
  readonly clock: Clock;
  /** One range, or one of each family, the primary first. */
  readonly serviceRanges: readonly string[];
  /** Events kept for each kind. */
  readonly watchHistory: number;
}

export function createCore({ clock, serviceRanges, watchHistory }: CoreOptions): Core {
  return {
    clock,
    store: new Store(RESOURCES, watchHistory),
    clusterIps: createClusterIps(serviceRanges),
    nodePorts: createNodePorts(),
    uid: () => randomUUID(),
  };
}

/** The object of a kind with nothing set: what a created one is compared with. */
export const emptyObject = ({ schema }: ResourceType): KubeObject =>
  trusted<KubeObject>(decodeObject(schema, {}).value);
