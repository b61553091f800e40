// A value that is looked up when it is needed and kept while it is good: where a cluster is, a token, a secret.
import { isRetryable } from './errors.ts';
import type { Clock } from './ports.ts';

/** How long a look that failed for a passing reason is not tried again while the former value still serves, ms. */
const RETRY_MS = 15_000;

export interface Remembered<T> {
  /** The value; looked up when there is none or it is due. Callers that come together share one look. */
  get(): Promise<T>;
  /** Looks up now, whatever is remembered. When that fails, what was remembered stays. */
  renew(): Promise<T>;
}

/** ms since the epoch. */
export interface Lifetime {
  /** From then on it is looked up again. */
  readonly due: number;
  /** Until then it still serves when the look that is due fails for a reason that may pass. */
  readonly end: number;
}

export interface Recipe<T> {
  /** Throws ClusterError. */
  readonly look: () => Promise<T>;
  readonly lifetime: (value: T, now: number) => Lifetime;
  readonly clock: Clock;
}

interface Kept<T> extends Lifetime {
  readonly value: T;
}

export function remembered<T>({ look, lifetime, clock }: Recipe<T>): Remembered<T> {
  let kept: Kept<T> | undefined;
  let looking: Promise<T> | undefined;
  const lookNow = async (): Promise<T> => {
    const value = await look();
    kept = { value, ...lifetime(value, clock.now()) };
    return value;
  };
  const renew = (): Promise<T> =>
    (looking ??= lookNow().finally(() => {
      looking = undefined;
    }));
  return {
    renew,
    async get() {
      const former = kept;
      if (former === undefined) return renew();
      if (clock.now() < former.due) return former.value;
      try {
        return await renew();
      } catch (error) {
        if (!isRetryable(error) || clock.now() >= former.end) throw error;
        kept = { ...former, due: clock.now() + RETRY_MS };
        return former.value;
      }
    },
  };
}
