// What the command line sees of the process that it runs in; tests hand in their own.
import type { Clock } from '../lib/ports.ts';

export interface Output {
  readonly isTTY: boolean;
  readonly columns?: number | undefined; // absent where nobody looks
  write(text: string): void;
}

export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** The line that a person at a terminal answers; undefined at the end of the input. Absent where there is nobody to ask. */
  readonly ask?: (question: string) => Promise<string | undefined>;
  /** Aborted when the operator interrupts: no new work starts. */
  readonly signal?: AbortSignal;
}

/** Colour only where a person looks, and not when told otherwise (https://no-color.org: any value but the empty one). */
export const wantsColour = ({ stdout, env }: Io): boolean =>
  stdout.isTTY && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
