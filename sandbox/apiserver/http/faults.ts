// Faults that tests inject: requests that are refused, cut, half answered or never answered.

/** What a fault can be chosen by. */
export interface FaultRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The text of the body; '' when there is none. */
  readonly body: string;
}

/**
 * - a status: this answer instead of the real one
 * - dropBefore: the connection is cut, nothing was done
 * - dropAfter: it is done, then the connection is cut
 * - truncateList: the answer ends half-way
 * - hang: no answer at all
 * - pass: the real answer; for faults that only need their hook
 */
export type FaultAction =
  | {
      readonly status: number;
      readonly reason: string;
      readonly message: string;
      /** Seconds, as the Retry-After header. */
      readonly retryAfter?: number;
    }
  | 'dropBefore'
  | 'dropAfter'
  | 'truncateList'
  | 'hang'
  | 'pass';

export interface Fault {
  match(request: FaultRequest): boolean;
  /** How often it strikes; by default for ever. */
  readonly times?: number;
  readonly action: FaultAction;
  /** Runs before the request is processed, for example to create a foreign object in between. */
  onMatch?(request: FaultRequest): void | Promise<void>;
}

export interface Faults {
  /** Returns what removes the fault. */
  add(fault: Fault): () => void;
  clear(): void;
}

export interface ActiveFaults extends Faults {
  /** The action for a request: that of the first fault that matches, its hook done. */
  strike(request: FaultRequest): Promise<FaultAction>;
}

export function createFaults(): ActiveFaults {
  const active: { readonly fault: Fault; left: number }[] = [];
  return {
    add(fault) {
      const item = { fault, left: fault.times ?? Number.POSITIVE_INFINITY };
      active.push(item);
      return () => {
        item.left = 0;
      };
    },
    clear: () => {
      active.length = 0;
    },
    async strike(request) {
      const item = active.find(({ fault, left }) => left > 0 && fault.match(request));
      if (item === undefined) return 'pass';
      item.left -= 1;
      await item.fault.onMatch?.(request);
      return item.fault.action;
    },
  };
}
