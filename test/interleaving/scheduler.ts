// Plays runs that work at the same time in every order of their single requests, one order after the other.
//
//   run A ── list ──── load ────────── patch ──▶        each request waits at a gate until the scheduler lets it through; then
//   run B ───────── list ──── patch ───────────▶        nobody moves until its answer has been taken and the next ones wait
//
// Depth first: an order is what the former one was up to its last turn with another choice left, and that choice. Two bounds:
//
// - Runs are interrupted at most so often in one order; after that each goes on to its end.
// - Orders that nobody can tell apart are played once. A run that is interrupted right before a request sleeps until the other one has
//   done something that this request would meet: before that, it could as well have been let go first, which is another order.
import { setImmediate as macrotask } from 'node:timers/promises';

/** What a request reads or writes: `source Service/shop/web-west`; `source Service/` for all of a kind. */
export interface Touch {
  readonly what: string;
  readonly writes: boolean;
}

/** Sends the request when its turn has come. Requests that a run sends side by side go in the order in which it asked. */
export type Gate = <T>(touch: Touch, send: () => Promise<T>) => Promise<T>;

/** One thing that is done beside others; every request of it goes through its gate. */
export type Run = (gate: Gate) => Promise<unknown>;

/** The same runs from the same beginning, anew for each order. */
export interface Attempt {
  readonly runs: readonly Run[];
  /** Called when all runs have ended; throws when they should not have ended so. */
  readonly judge: () => Promise<void>;
}

export interface Explored {
  readonly orders: number; // played to their end and judged
  readonly requests: number; // of all of them together
  readonly skipped: number; // given up half way, because another order is the same
}

interface Waiting {
  readonly touch: Touch;
  go(): Promise<void>;
}

interface Lane {
  readonly waiting: Waiting[];
  ended: boolean;
  readonly end: Promise<unknown>;
}

/** A choice between runs, and which of them was taken. */
interface Turn {
  readonly options: readonly number[];
  taken: number;
}

/** Turns of the event loop after which a run that neither waits nor ended waits for something without a gate. */
const PATIENCE = 100;

const startLane = (run: Run): Lane => {
  const waiting: Waiting[] = [];
  const gate: Gate = (touch, send) =>
    new Promise((resolve, reject) => {
      waiting.push({ touch, go: () => send().then(resolve, reject) });
    });
  const end = run(gate);
  const lane: Lane = { waiting, ended: false, end };
  const note = (): void => {
    lane.ended = true;
  };
  end.then(note, note);
  return lane;
};

/** Lets every run go on until it waits at its gate or has ended. */
const settle = async (lanes: readonly Lane[]): Promise<void> => {
  for (let turns = 0; turns < PATIENCE; turns += 1) {
    await macrotask();
    if (lanes.every(({ ended, waiting }) => ended || waiting.length > 0)) return;
  }
  throw new Error('a run waits for something that does not go through its gate');
};

const meet = (a: Touch, b: Touch): boolean =>
  (a.writes || b.writes) && (a.what.startsWith(b.what) || b.what.startsWith(a.what));

/** The run that had the last turn comes first: to go on with it is no interruption. */
const optionsOf = (awake: readonly number[], last: number | undefined, left: number): readonly number[] => {
  if (last === undefined || !awake.includes(last)) return awake;
  return left === 0 ? [last] : [last, ...awake.filter((index) => index !== last)];
};

/** Wakes every run whose next request would meet what was just done. */
const wake = (asleep: Set<number>, lanes: readonly Lane[], done: Touch): void => {
  for (const index of asleep) {
    const next = lanes[index]?.waiting[0];
    if (next !== undefined && meet(next.touch, done)) asleep.delete(index);
  }
};

const stepText = (index: number, { what, writes }: Touch): string =>
  `${'AB'[index] ?? index} ${writes ? 'writes' : 'reads'} ${what}`;

interface Played {
  readonly complete: boolean;
  readonly steps: readonly string[];
}

/** Plays one order: the turns of `path`, and from its end on the first choice each time. */
const play = async (lanes: readonly Lane[], path: Turn[], interruptions: number): Promise<Played> => {
  const steps: string[] = [];
  const asleep = new Set<number>();
  let left = interruptions;
  let last: number | undefined;
  for (let depth = 0; ; depth += 1) {
    await settle(lanes);
    const ready = [...lanes.keys()].filter((index) => lanes[index]?.ended === false);
    if (ready.length === 0) return { complete: true, steps };
    const awake = ready.filter((index) => !asleep.has(index));
    if (awake.length === 0) return { complete: false, steps };
    const turn = (path[depth] ??= { options: optionsOf(awake, last, left), taken: 0 });
    const chosen = turn.options[turn.taken] ?? 0;
    if (last !== undefined && last !== chosen && ready.includes(last)) {
      left -= 1;
      asleep.add(last);
    }
    const next = lanes[chosen]?.waiting.shift();
    if (next === undefined) throw new Error('the runs did not do the same again');
    steps.push(stepText(chosen, next.touch));
    await next.go();
    wake(asleep, lanes, next.touch);
    last = chosen;
  }
};

/** Turns to the next order; false when all were played. */
const advance = (path: Turn[]): boolean => {
  for (let turn = path.at(-1); turn !== undefined; turn = path.at(-1)) {
    turn.taken += 1;
    if (turn.taken < turn.options.length) return true;
    path.pop();
  }
  return false;
};

/**
 * Plays all orders with at most so many interruptions, and judges each.
 *
 * @throws Error with the order of requests, when a run or the judge throws
 */
export const explore = async (
  prepare: () => Promise<Attempt>,
  { interruptions }: { readonly interruptions: number },
): Promise<Explored> => {
  const path: Turn[] = [];
  let [orders, requests, skipped] = [0, 0, 0];
  do {
    const { runs, judge } = await prepare();
    const lanes = runs.map(startLane);
    const { complete, steps } = await play(lanes, path, interruptions);
    requests += steps.length;
    if (!complete) {
      skipped += 1;
      continue;
    }
    orders += 1;
    try {
      await Promise.all(lanes.map(({ end }) => end));
      await judge();
    } catch (error) {
      throw new Error(`after this order of requests:\n  ${steps.join('\n  ')}`, { cause: error });
    }
  } while (advance(path));
  return { orders, requests, skipped };
};
