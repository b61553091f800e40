// Allocation of node ports, 30000 to 32767.
import type { NodePorts } from '../types.ts';
import { AllocationError } from './cluster-ips.ts';

const FIRST = 30_000;
const LAST = 32_767;
/** Ports below are kept for those asked for by number: min(max(16, size / 32), 128). */
const FIRST_DYNAMIC = FIRST + 86;

export function createNodePorts(): NodePorts {
  const taken = new Set<number>();
  const free = (from: number, to: number): number | undefined => {
    for (let port = from; port <= to; port += 1) if (!taken.has(port)) return port;
    return undefined;
  };
  return {
    next() {
      const port = free(FIRST_DYNAMIC, LAST) ?? free(FIRST, FIRST_DYNAMIC - 1);
      if (port === undefined) throw new AllocationError('range is full', true);
      taken.add(port);
      return port;
    },
    take(port) {
      if (port < FIRST || port > LAST) {
        throw new AllocationError(
          `provided port is not in the valid range. The range of valid ports is ${FIRST}-${LAST}`,
        );
      }
      if (taken.has(port)) throw new AllocationError('provided port is already allocated');
      taken.add(port);
    },
    release: (port) => {
      taken.delete(port);
    },
  };
}
