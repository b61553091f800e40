// The commander program: commands and flags from their tables, help with examples, nothing printed but through `Io`.
import { readFileSync } from 'node:fs';
import { Command as Program, type Option } from 'commander';
import type { Command, Services } from './command.ts';
import { COMMANDS } from './commands/index.ts';
import { EXIT } from './exit.ts';
import { addFlags } from './flags.ts';
import type { Io } from './io.ts';

export const BINARY = 'eks-service-mirror';
const HELP_WIDTH = 100;

/** A program and the exit code that its command left. */
export interface Prepared {
  readonly program: Program;
  readonly exitCode: () => number;
}

/** A program that throws CommanderError instead of ending the process, and InputError for wrong input. */
export function prepare(io: Io, services: Services): Prepared {
  let code: number = EXIT.done;
  const program = new Program(BINARY)
    .description(
      'Mirrors the exported Services of a target cluster in a source cluster, for Linkerd multicluster.',
    )
    .version(versionText(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help', 'print the help of a command')
    .usage('<command> [flags]');
  withManners(program, io);
  for (const command of COMMANDS) {
    const child = program.command(command.name).summary(command.summary).description(command.description);
    const usage = command.argument === undefined ? '[flags]' : `${command.argument} [flags]`;
    withManners(child, io).usage(usage).helpOption('-h, --help', 'print this help');
    const given = addFlags(child, command.flags, command.argument !== undefined);
    child.addHelpText('after', () => examplesText(command));
    child.action(async () => {
      code = await command.run(given(), io, services);
    });
  }
  return { program, exitCode: () => code };
}

/** Prints through `io`, never ends the process, shows values as `NAME` whatever they are to commander. */
function withManners(program: Program, io: Io): Program {
  return program
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHelpWidth: () => io.stdout.columns ?? HELP_WIDTH,
      getErrHelpWidth: () => io.stderr.columns ?? HELP_WIDTH,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({ optionTerm, subcommandTerm: (command) => command.name() });
}

const optionTerm = ({ flags }: Option): string => flags.replaceAll(/[[\]]/g, '');

const examplesText = ({ examples }: Command): string =>
  ['', 'Examples:', ...examples.flatMap(({ about, words }) => [`  # ${about}`, `  ${BINARY} ${words}`])].join(
    '\n',
  );

function versionText(): string {
  const file: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const isNamed = typeof file === 'object' && file !== null && 'version' in file;
  return isNamed ? String(file.version) : 'unknown';
}
