// What a command is: its words for the help, its flags, and what it does.
import type { reconcile } from '../lib/reconcile.ts';
import type { FlagName, GivenFlags } from './flags.ts';
import type { Io } from './io.ts';
import type { makeWorld } from './world.ts';

/** What commands use besides their input; tests hand in their own. */
export interface Services {
  readonly makeWorld: typeof makeWorld;
  readonly reconcile: typeof reconcile;
}

interface Example {
  readonly about: string;
  readonly words: string; // after the binary's name
}

export interface Command {
  readonly name: string;
  readonly summary: string; // one line of the list of commands
  readonly description: string;
  readonly flags: readonly FlagName[];
  readonly examples: readonly Example[];
  /**
   * Runs it and returns the exit code.
   * @throws InputError when the input is wrong; nothing was touched then
   */
  readonly run: (flags: GivenFlags, io: Io, services: Services) => Promise<number>;
}
