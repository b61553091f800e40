// `resync`: has the deployment reconcile its links now, past its caches.
import type { ResyncAnswer, LinkReport } from '../answers.ts';
import type { Command } from '../command.ts';
import { EXIT, exitCodeOf } from '../exit.ts';
import { isGiven } from '../flags.ts';
import type { Io } from '../io.ts';
import { print } from '../print.ts';
import { printable, type Paint } from '../render/paint.ts';
import { planText, syncText } from '../render/report.ts';
import { functionName, stackName, StackError, type Stack } from '../stack.ts';
import { STACK_FLAGS } from '../stack-input.ts';
import type { Format } from '../values.ts';
import {
  readResyncInput,
  resync as invoke,
  shownReport,
  withStack,
  type ResyncInput,
  type ResyncWords,
} from './deployed.ts';

export const resync: Command = {
  name: 'resync',
  summary: 'have the deployment reconcile its links now',
  description:
    'Has the deployment reconcile one link or all of them now, past its caches: names are asked whatever is left of their TTL. Does not wait for it, unless told to.',
  flags: [
    'link',
    'namespace',
    'service',
    'force-deletes',
    'dry-run',
    'wait',
    ...STACK_FLAGS,
    'output',
    'debug',
  ],
  examples: [
    { about: 'Bring the link west up to date, and see what was done', words: 'resync --link west --wait' },
    { about: 'What would be done for any link of production?', words: 'resync --dry-run --stage prod' },
    {
      about: 'Let the mirrors of a namespace go though the delete brake stopped the last run',
      words: 'resync --link west --namespace shop --force-deletes --wait',
    },
  ],
  async run(flags, io, services) {
    const dryRun = isGiven(flags, 'dry-run');
    const input = readResyncInput({ flags, io, services, mistakes: [] }, { dryRun, needsLink: false });
    return withStack(services, input.place, (stack) =>
      dryRun || isGiven(flags, 'wait') ? waitFor(stack, io, input) : handOver(stack, io, input),
    );
  },
};

async function waitFor(stack: Stack, io: Io, { request, format }: ResyncInput): Promise<number> {
  const answer = await invoke(stack, io, request);
  print(io, format, {
    data: () => answer,
    text: (paint) => answerText(answer, request, paint),
  });
  for (const { link, message } of answer.errors) tellError(io, format, link, message);
  const codes = answer.links.map((report) => exitCodeOf(report, false));
  return answer.errors.length > 0 || codes.includes(EXIT.failed) ? EXIT.failed : EXIT.done;
}

/** In data the errors stand among the rest. */
function tellError(io: Io, format: Format, link: string, message: string): void {
  const text = message.includes(link) ? message : `link ${link}: ${message}`;
  if (format === 'text') io.stderr.write(`error: ${printable(text)}\n`);
}

/** Each link as `plan` or `sync` shows it, with a headline unless it is the one that was asked for. */
function answerText({ links, errors }: ResyncAnswer, { link, dryRun }: ResyncWords, paint: Paint): string {
  const textOf = (report: LinkReport): string => (dryRun ? planText : syncText)(shownReport(report), paint);
  if (link !== undefined) return links.map(textOf).join('');
  if (links.length === 0 && errors.length === 0) return 'no links are stored\n';
  return links
    .map((report) => `${paint('bold', `link ${printable(report.link)}`)}\n${textOf(report)}`)
    .join('\n');
}

/** Nobody will see the answer of a function that runs by itself, so a link that is not there is told before. */
async function handOver(stack: Stack, io: Io, { request, format }: ResyncInput): Promise<number> {
  const { link } = request;
  if (link !== undefined && (await stack.links.get(link)) === undefined) {
    throw new StackError(`link ${link} is not stored in ${stackName(stack.stage)}`);
  }
  await stack.start('resync', request);
  const name = functionName(stack.stage, 'resync');
  const which = link === undefined ? 'all links' : `link ${link}`;
  const look = link === undefined ? 'status' : `status --link ${link}`;
  print(io, format, {
    data: () => ({ started: name, request }),
    text: () => `${name} was started for ${which}; "${look}" tells what it did, "--wait" would have\n`,
  });
  return EXIT.done;
}
