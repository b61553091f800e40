// The text form of a Lease's times.

/** RFC 3339 with microseconds, as metav1.MicroTime wants it: `2025-01-31T10:00:00.250000Z`. @param ms since the epoch */
export const microTime = (ms: number): string => new Date(ms).toISOString().replace(/Z$/, '000Z');

/** ms since the epoch; 0 for an absent or unreadable time. Digits below the millisecond are cut off. */
export const timeOf = (text: string | null | undefined): number => {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? 0 : ms;
};
