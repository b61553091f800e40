// Finds import cycles.

/** What each module imports; both by path. */
export type Graph = ReadonlyMap<string, readonly string[]>;

/** Empty when there is none. A cycle lists its modules in order, the first one again at the end. */
export function cyclesOf(graph: Graph): readonly (readonly string[])[] {
  const done = new Set<string>();
  const cycles: string[][] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path);
    if (at >= 0) cycles.push([...trail.slice(at), path]);
    if (at >= 0 || done.has(path)) return;
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return cycles;
}
