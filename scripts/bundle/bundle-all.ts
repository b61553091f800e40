// Bundles functions and holds them to their budgets: what `npm run build` and the packaging do.
import { bundle } from './bundle.ts';
import { BUDGETS, FUNCTION_NAMES } from './functions.ts';
import { mistakesIn, weightTable } from './verdict.ts';

export interface BundleResult {
  readonly table: string;
  /** What is above a budget or does not belong there; empty: nothing. */
  readonly mistakes: readonly string[];
}

/** @param root the project's root, absolute */
export async function bundleAll(root: string): Promise<BundleResult> {
  const bundles = await bundle(root, FUNCTION_NAMES);
  const rows = bundles.map((made) => ({ bundle: made, budget: BUDGETS[made.name] }));
  return {
    table: weightTable(rows),
    mistakes: rows.flatMap(({ bundle: made, budget }) => mistakesIn(made, budget)),
  };
}
