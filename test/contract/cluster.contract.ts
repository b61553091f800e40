// What every Cluster must do, whatever API server stands behind it.
import { everyKind } from './cluster/every-kind.ts';
import { particularKinds } from './cluster/particular-kinds.ts';
import { requests } from './cluster/requests.ts';
import { type ClusterWorld, type Connect, setStage } from './cluster/stage.ts';

export { type ClusterWorld, type Connect, SERVICE_RANGE } from './cluster/stage.ts';

/** Registers the tests; `start` is called once, before the first. */
export function clusterContract(start: () => Promise<ClusterWorld>, connect: Connect): void {
  const stage = setStage(start, connect);
  everyKind(stage);
  particularKinds(stage);
  requests(stage);
}
