// `links`: the links that a deployment has stored.
import { InputError } from '../../lib/errors.ts';
import type { Command } from '../command.ts';
import { EXIT } from '../exit.ts';
import { print } from '../print.ts';
import { linksData, linksText } from '../render/links.ts';
import { stackText } from '../stack.ts';
import { placeOf, STACK_FLAGS } from '../stack-input.ts';
import { formatOf, withFlagMistakes } from '../values.ts';
import { withStack } from './deployed.ts';

export const links: Command = {
  name: 'links',
  summary: 'list the links of the deployment',
  description:
    'Lists the stored links with their clusters, whether they are active, paused or ending, and what their last run said: SINCE is when it first said so. A stored link that cannot be used is told with the reason.',
  flags: [...STACK_FLAGS, 'output', 'debug'],
  examples: [
    { about: 'Which links are there?', words: 'links' },
    { about: 'Those of production, for a script', words: 'links --stage prod --region eu-west-1 -o json' },
  ],
  async run(flags, io, services) {
    const [place, format] = [placeOf(flags, io.env), formatOf(flags)];
    const mistakes = withFlagMistakes(flags, [...place.mistakes, ...format.mistakes]);
    if (mistakes.length > 0) throw new InputError(mistakes);
    return withStack(services, place.value, async (stack) => {
      const stored = await stack.links.list();
      print(io, format.value, {
        data: () => linksData(stored),
        text: (paint) => linksText(stored, stackText(stack), paint),
      });
      return stored.broken.length > 0 ? EXIT.failed : EXIT.done;
    });
  },
};
