// `link`: stores a link, or changes one that is stored; shows every field that changes.
import { InputError } from '../../lib/errors.ts';
import type { Command } from '../command.ts';
import { EXIT } from '../exit.ts';
import type { FlagName } from '../flag-rows.ts';
import { isGiven, lastOf, type GivenFlags } from '../flags.ts';
import type { Io } from '../io.ts';
import { readStoredLink, type LinkInput, type StoredLink } from '../link-input.ts';
import { print } from '../print.ts';
import { linkText } from '../render/link-changes.ts';
import { stackName, type StackPlace } from '../stack.ts';
import { placeOf, STACK_FLAGS } from '../stack-input.ts';
import { lookAt, storeLink, type Look } from '../store-link.ts';
import { formatOf, linkNameOf, withFlagMistakes, type Format } from '../values.ts';
import { withStack } from './deployed.ts';

/** Flags that set fields of a stored link. */
const FIELD_FLAGS = [
  'link',
  'source-eks',
  'source-role-arn',
  'source-external-id',
  'source-secret',
  'target-eks',
  'target-role-arn',
  'target-external-id',
  'target-secret',
  'link-file',
  'endpoints',
  'paused',
  'no-paused',
  'gateway-address',
  'gateway-port',
  'allowed-cidr',
  'allowed-hostname',
] as const satisfies readonly FlagName[];

export const link: Command = {
  name: 'link',
  summary: 'store a link in the deployment, or change it',
  description:
    'Stores a link, or changes one that is stored, and shows every field that changes. A link file is the whole document; without one, flags change what is stored and leave the rest as it is. Clusters are EKS clusters, or kubeconfigs in Secrets Manager.',
  flags: [...FIELD_FLAGS, 'dry-run', ...STACK_FLAGS, 'output', 'debug'],
  examples: [
    {
      about: 'Mirror in the cluster east what the cluster west of another account exports',
      words:
        'link --link west --source-eks arn:aws:eks:eu-west-1:111122223333:cluster/east --target-eks arn:aws:eks:eu-west-1:444455556666:cluster/west --target-role-arn arn:aws:iam::444455556666:role/mirror --allowed-cidr 10.20.0.0/16',
    },
    {
      about: 'What would a new version of the document change?',
      words: 'link --link-file west-link.yaml --dry-run',
    },
    { about: 'Write nothing for west until --no-paused', words: 'link --link west --paused' },
  ],
  async run(flags, io, services) {
    const { first, name, place, format } = await readWords(flags, io.env);
    return withStack(services, place, async (stack) => {
      const look = await lookAt(stack, name);
      const input = first ?? (await readStoredLink(flags, storedLinkOf(look)));
      refuse(flags, input.mistakes);
      if ('error' in look) throw look.error;
      if (input.link === undefined) throw new InputError(input.mistakes);
      const done = await storeLink(stack, { ...look, link: input.link, dryRun: isGiven(flags, 'dry-run') });
      print(io, format, {
        data: () => ({ stack: stackName(stack.stage), region: stack.region, ...done }),
        text: (paint) => linkText({ done, isPaused: input.link?.paused === true, stack, paint }),
      });
      return EXIT.done;
    });
  },
};

interface Words {
  readonly first?: LinkInput; // of a link file: it and the flags are the whole document
  readonly name: string;
  readonly place: StackPlace;
  readonly format: Format;
}

/** What can be read before anything is asked. @throws InputError with all mistakes, when there is one that no stored link can mend */
async function readWords(flags: GivenFlags, env: Io['env']): Promise<Words> {
  const isOfFile = isGiven(flags, 'link-file');
  const first = await readStoredLink(flags, { isKnown: false });
  const [place, format] = [placeOf(flags, env), formatOf(flags)];
  const given = linkNameOf(lastOf(flags, 'link'), '--link');
  const early = [...bothPauses(flags), ...format.mistakes, ...place.mistakes];
  const isHopeless = early.length > 0 || flags.mistakes.length > 0;
  if (isOfFile || isHopeless || given.mistakes.length > 0) refuse(flags, [...first.mistakes, ...early]);
  return {
    ...(isOfFile && { first }),
    name: first.link?.name ?? given.value,
    place: place.value,
    format: format.value,
  };
}

const bothPauses = (flags: GivenFlags): string[] =>
  isGiven(flags, 'paused') && isGiven(flags, 'no-paused')
    ? ['--no-paused: expected it or --paused, got both']
    : [];

const storedLinkOf = (look: Look): StoredLink =>
  'error' in look ? { isKnown: false } : { isKnown: true, link: look.record?.link };

function refuse(flags: GivenFlags, mistakes: readonly string[]): void {
  const all = withFlagMistakes(flags, mistakes);
  if (all.length > 0) throw new InputError(all);
}
