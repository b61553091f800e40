// Streams and signals of the real process.
import { constants } from 'node:os';
import { createInterface } from 'node:readline/promises';
import type { Clock } from '../lib/ports.ts';
import type { Io } from './io.ts';
import type { Output } from './io.ts';

/** A stream as an Output. A reader that has seen enough (`| head`) is no failure: the rest is dropped. */
export function outputOf(stream: NodeJS.WriteStream): Output {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') throw error;
  });
  return {
    isTTY: stream.isTTY,
    columns: stream.isTTY ? stream.columns : undefined,
    write: (text) => {
      stream.write(text);
    },
  };
}

/** Resolves when everything written so far has left the process, or never can. */
export const written = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => {
    stream.write('', () => resolve());
  });

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type Signal = (typeof SIGNALS)[number];
const SAME_PRESS = 1000; // ms: a terminal and a parent may both deliver one Ctrl-C

/** The part of a process that signals are about. */
export interface Signalled {
  on(signal: Signal, listener: () => void): unknown;
  exit(code: number): unknown;
}

/** Aborted by the first signal, so that no new work starts; a later one ends the process at once. */
export function interrupts(target: Signalled, clock: Clock): AbortSignal {
  const controller = new AbortController();
  let first: number | undefined;
  for (const signal of SIGNALS) {
    target.on(signal, () => {
      if (first !== undefined && clock.now() - first > SAME_PRESS)
        target.exit(128 + constants.signals[signal]);
      first ??= clock.now();
      controller.abort(new Error(`interrupted by ${signal}`));
    });
  }
  return controller.signal;
}

/** The part of a process that a question needs. */
export interface Terminal {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/** How to ask the person at the terminal; nothing where one of the two streams is none. Questions end with the signal. */
export function askOn({ stdin, stderr }: Terminal, signal: AbortSignal): Pick<Io, 'ask'> {
  if (stdin.isTTY !== true || stderr.isTTY !== true) return {};
  return {
    async ask(question) {
      // The terminal stays in its own line mode, so that Ctrl-C reaches the process as everywhere else.
      const lines = createInterface({ input: stdin, output: stderr, terminal: false });
      const ended = new Promise<undefined>((resolve) => {
        lines.once('close', () => resolve(undefined));
      });
      try {
        return await Promise.race([lines.question(question, { signal }), ended]);
      } catch (error) {
        throw signal.aborted ? signal.reason : error;
      } finally {
        lines.close();
      }
    },
  };
}
