// Gateway state in this process only: for runs without a memory, and for tests.
import type { GatewayState } from '../model/gateway.ts';
import type { GatewayStore, Stored } from '../ports.ts';

/** By link; what a store holds, for whoever shares it. */
export type GatewayStates = Map<string, Stored<GatewayState>>;

/** A store that starts empty and forgets everything with the process. */
export function memoryStore(links: GatewayStates = new Map()): GatewayStore {
  return {
    async load(link) {
      return structuredClone(links.get(link));
    },
    async save(link, state, expected) {
      const version = links.get(link)?.version ?? 0;
      if (version !== expected) return false;
      links.set(link, { value: structuredClone(state), version: version + 1 });
      return true;
    },
  };
}
