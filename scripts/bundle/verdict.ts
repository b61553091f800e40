// Holds bundles to their budgets, and says what they weigh.
import type { Bundle } from './bundle.ts';
import type { Budget } from './functions.ts';

const KB = 1000;
const kb = (bytes: number): string => (bytes / KB).toFixed(0);

/** What is wrong with a bundle, one line each. */
export function mistakesIn({ name, zipBytes, packages }: Bundle, budget: Budget): string[] {
  const tooLarge =
    zipBytes > budget.zipKB * KB
      ? [`${name}: expected at most ${budget.zipKB} KB zipped, got ${kb(zipBytes)} KB`]
      : [];
  const astray = budget.without
    .filter((packageName) => packages.has(packageName))
    .map(
      (packageName) =>
        `${name}: expected no ${packageName}, got ${kb(packages.get(packageName) ?? 0)} KB of it`,
    );
  return [...tooLarge, ...astray];
}

/** The three packages that weigh most, ours among them. */
const heaviest = ({ packages }: Bundle): string =>
  [...packages]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([name, bytes]) => `${name === '' ? 'own code' : name} ${kb(bytes)}`)
    .join(', ');

/** A table with one line per function: KB of its file, KB of its zip and what that may be, and what weighs most. */
export function weightTable(rows: readonly { readonly bundle: Bundle; readonly budget: Budget }[]): string {
  const cells = [
    ['function', 'KB', 'zip KB', 'of', 'heaviest, KB'],
    ...rows.map(({ bundle, budget }) => [
      bundle.name,
      kb(bundle.bytes),
      kb(bundle.zipBytes),
      String(budget.zipKB),
      heaviest(bundle),
    ]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = ([name = '', bytes = '', zip = '', most = '', heavy = '']: readonly string[]): string =>
    [
      name.padEnd(widths[0] ?? 0),
      bytes.padStart(widths[1] ?? 0),
      zip.padStart(widths[2] ?? 0),
      most.padStart(widths[3] ?? 0),
      heavy,
    ].join('  ');
  return cells.map(line).join('\n');
}
