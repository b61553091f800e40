// Time as the API server sees and prints it.

/** now() is in milliseconds since the epoch. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** metav1.Time: RFC 3339 in whole seconds, UTC. */
export const toTime = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
