// `unlink`: ends a link: its mirrors go first, then the link; or the link alone.
import { InputError } from '../../lib/errors.ts';
import type { LinkRecord } from '../../lib/ports.ts';
import type { Command } from '../command.ts';
import { EXIT } from '../exit.ts';
import { isGiven, type GivenFlags } from '../flags.ts';
import type { Io } from '../io.ts';
import { print } from '../print.ts';
import { endingLink, forgetLink, removeLink } from '../remove-link.ts';
import { accessText } from '../render/access.ts';
import { removalText } from '../render/removal.ts';
import { StackError, stackText, type Stack, type StackPlace } from '../stack.ts';
import { placeOf, STACK_FLAGS } from '../stack-input.ts';
import { formatOf, linkNameOf, withFlagMistakes, type Format } from '../values.ts';
import { invokeResync, withStack } from './deployed.ts';

export const unlink: Command = {
  name: 'unlink',
  summary: 'remove the mirrors of a link, and forget it',
  description:
    'Removes every mirror of a link from its source cluster, whatever the delete brake says, then forgets the link. What is left when something fails is removed by the next ticks.',
  argument: 'NAME',
  flags: ['keep-mirrors', 'yes', ...STACK_FLAGS, 'output', 'debug'],
  examples: [
    { about: 'End the link west', words: 'unlink west' },
    { about: 'In a script', words: 'unlink west --yes -o json' },
    { about: "Leave its mirrors to Linkerd's own controller", words: 'unlink west --keep-mirrors' },
  ],
  async run(flags, io, services) {
    const { name, place, format } = readWords(flags, io);
    const keepsMirrors = isGiven(flags, 'keep-mirrors');
    return withStack(services, place, async (stack) => {
      const record = await endingLink(stack, name, keepsMirrors);
      if (!isGiven(flags, 'yes')) await confirm(io, name, questionText(stack, record, keepsMirrors));
      const removal = keepsMirrors
        ? await forgetLink(stack, name)
        : await removeLink(stack, name, (request) => invokeResync(stack, io, request));
      print(io, format, {
        data: () => ({ ...removal, keptMirrors: keepsMirrors }),
        text: (paint) => removalText(removal, keepsMirrors, paint),
      });
      return removal.done ? EXIT.done : EXIT.failed;
    });
  },
};

interface Words {
  readonly name: string;
  readonly place: StackPlace;
  readonly format: Format;
}

/** @throws InputError with all mistakes */
function readWords(flags: GivenFlags, io: Io): Words {
  const name = linkNameOf(flags.argument, 'NAME');
  const [place, format] = [placeOf(flags, io.env), formatOf(flags)];
  const unasked =
    io.ask === undefined && !isGiven(flags, 'yes')
      ? ['--yes: expected it where there is no terminal to ask at, got nothing']
      : [];
  const found = [name, place, format].flatMap((part) => part.mistakes);
  const mistakes = withFlagMistakes(flags, [...found, ...unasked]);
  if (mistakes.length > 0) throw new InputError(mistakes);
  return { name: name.value, place: place.value, format: format.value };
}

function questionText(stack: Stack, record: LinkRecord | undefined, keepsMirrors: boolean): string {
  const where = stackText(stack);
  if (keepsMirrors) return `forgets the link in ${where} and leaves its mirrors as they are`;
  return `removes its mirrors from the source cluster ${accessText(record?.link.source)}, then forgets it in ${where}`;
}

/** Asks for the name, which nobody types by mistake. @throws StackError when the answer is another one */
async function confirm(io: Io, name: string, what: string): Promise<void> {
  const answer = await io.ask?.(`unlink ${name}: ${what}.\nType the name of the link to go on: `);
  if (answer?.trim() !== name) throw new StackError('not confirmed: nothing was touched');
}
