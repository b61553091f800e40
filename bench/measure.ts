// Figures of a bench run: what was measured, what it should be, and whether it is.

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Of ours to the bare client's, or of one size to another. */
  readonly ratio?: number;
  /** What must hold, in words. */
  readonly target?: string;
  readonly ok: boolean;
  /** Counts hold on every machine and fail a run; times depend on it and are only reported. */
  readonly kind: 'count' | 'time';
}

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
};

/** Wall time of one run, seconds. */
export const timed = async (run: () => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await run();
  return (performance.now() - start) / 1000;
};

const round = (value: number, digits: number): string => value.toFixed(digits).replace(/\.?0+$/, '') || '0';

/** Figures as a text table. */
export const table = (figures: readonly Figure[]): string => {
  const rows = figures.map(({ name, value, unit, ratio, target, ok }) => [
    name,
    `${round(value, value < 10 ? 3 : 1)} ${unit}`,
    ratio === undefined ? '' : round(ratio, 2),
    target ?? '',
    target === undefined ? '' : ok ? 'ok' : 'MISSED',
  ]);
  const all = [['figure', 'value', 'ratio', 'target', ''], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};
