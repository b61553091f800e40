// The edge of the command line: the real process on one side, `run` on the other.
import { CommanderError } from 'commander';
import { systemClock } from '../lib/clock.ts';
import { errorText, InputError } from '../lib/errors.ts';
import { reconcile } from '../lib/reconcile.ts';
import type { Services } from './command.ts';
import { COMMANDS } from './commands/index.ts';
import { EXIT } from './exit.ts';
import type { Io } from './io.ts';
import { askOn, interrupts, outputOf, written } from './process.ts';
import { BINARY, prepare } from './program.ts';
import { printable } from './render/paint.ts';
import { makeWorld } from './world.ts';

/** AWS's clients are loaded by the commands that need them, and by no other. */
const SERVICES: Services = {
  makeWorld,
  reconcile,
  openStack: async (place) => (await import('./aws/open.ts')).openStack(place, systemClock),
};

/**
 * Runs one command and returns its exit code; never throws.
 * @param argv the words after the binary's name
 */
export async function run(argv: readonly string[], io: Io, services: Services = SERVICES): Promise<number> {
  try {
    const { program, exitCode } = prepare(io, services);
    await program.parseAsync(argv, { from: 'user' });
    return exitCode();
  } catch (error) {
    return explained(error, argv, io);
  }
}

/** Says on standard error what stopped the run. */
function explained(error: unknown, argv: readonly string[], io: Io): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.wrongInput; // it has printed
  if (error instanceof InputError) {
    const command = argv.find((word) => COMMANDS.some(({ name }) => name === word));
    const help = [BINARY, command, '--help'].filter((word) => word !== undefined).join(' ');
    for (const mistake of error.mistakes) io.stderr.write(`error: ${printable(mistake)}\n`);
    io.stderr.write(`nothing was touched; see ${help}\n`);
    return EXIT.wrongInput;
  }
  const stack = argv.includes('--debug') && error instanceof Error ? error.stack : undefined;
  io.stderr.write(`${stack ?? `error: ${printable(errorText(error))}`}\n`);
  return EXIT.failed;
}

/** Runs the command that this process was started with, and ends the process. */
export async function main(): Promise<never> {
  const signal = interrupts(process, systemClock);
  const io: Io = {
    stdout: outputOf(process.stdout),
    stderr: outputOf(process.stderr),
    env: process.env,
    clock: systemClock,
    ...askOn(process, signal),
    signal,
  };
  const code = await run(process.argv.slice(2), io);
  await Promise.all([written(process.stdout), written(process.stderr)]);
  return process.exit(code);
}
