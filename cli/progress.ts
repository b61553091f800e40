// One line on standard error that tells how far a run is, where a person watches; nothing at all elsewhere.
import type { Progress } from '../lib/reconcile.ts';
import type { Io } from './io.ts';

const CLEAR_LINE = '\r\u001B[2K'; // ANSI: back to the start, erase the line

export interface ProgressLine {
  readonly show: (progress: Progress) => void;
  readonly clear: () => void;
}

export function progressLine({ stderr }: Io): ProgressLine {
  if (!stderr.isTTY) return { show: () => {}, clear: () => {} };
  let isShown = false;
  return {
    show({ done, total, what }) {
      stderr.write(`${CLEAR_LINE}${what}${total > 0 ? ` ${done}/${total}` : ''}…`);
      isShown = true;
    },
    clear() {
      if (isShown) stderr.write(CLEAR_LINE);
      isShown = false;
    },
  };
}
