// What a command is: its words for the help, its flags, and what it does.
import type { reconcile } from '../lib/reconcile.ts';
import type { FlagName } from './flag-rows.ts';
import type { GivenFlags } from './flags.ts';
import type { Io } from './io.ts';
import type { OpenStack } from './stack.ts';
import type { makeWorld } from './world.ts';

/** What commands use besides their input; tests hand in their own. */
export interface Services {
  readonly makeWorld: typeof makeWorld;
  readonly reconcile: typeof reconcile;
  readonly openStack: OpenStack;
}

interface Example {
  readonly about: string;
  readonly words: string; // after the binary's name
}

export interface Command {
  readonly name: string;
  readonly summary: string; // one line of the list of commands
  readonly description: string;
  readonly argument?: string; // what a word that is no flag stands for; absent: there must be none
  readonly flags: readonly FlagName[];
  readonly examples: readonly Example[];
  /**
   * Runs it and returns the exit code.
   * @throws InputError when the input is wrong; nothing was touched then
   */
  readonly run: (flags: GivenFlags, io: Io, services: Services) => Promise<number>;
}
