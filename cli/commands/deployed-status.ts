// `status` of a deployment: what its status function knows, without asking any cluster.
import { InputError } from '../../lib/errors.ts';
import { readAnswer, statusAnswer, type StatusAnswer } from '../answers.ts';
import { EXIT } from '../exit.ts';
import { lastOf } from '../flags.ts';
import { print } from '../print.ts';
import { deployedStatusText } from '../render/deployed-status.ts';
import { isTroubled } from '../render/last-run.ts';
import { functionName, StackError, stackName, stackText, type HttpAnswer, type Stack } from '../stack.ts';
import { placeOf, regionInUrl, statusUrlOf } from '../stack-input.ts';
import { formatOf, linkNameOf, withFlagMistakes } from '../values.ts';
import { withStack, type Terms } from './deployed.ts';

/** @throws InputError, StackError */
export async function statusDeployed({ flags, io, services, mistakes }: Terms): Promise<number> {
  const name = lastOf(flags, 'link');
  const link = name === undefined ? undefined : linkNameOf(name, '--link');
  const [place, url, format] = [placeOf(flags, io.env), statusUrlOf(flags, io.env), formatOf(flags)];
  const found = [link, place, url, format].flatMap((part) => part?.mistakes ?? []);
  const all = withFlagMistakes(flags, [...mistakes, ...found]);
  if (all.length > 0) throw new InputError(all);
  const region = regionInUrl(url.value);
  const where = { ...place.value, ...(region !== undefined && { region }) };
  return withStack(services, where, async (stack) => {
    const question = {
      signal: io.signal,
      ...(link !== undefined && { link: link.value }),
      ...(url.value !== undefined && { url: url.value }),
    };
    const status = read(await stack.status(question), stack, link?.value);
    print(io, format.value, {
      data: () => status,
      text: (paint) => {
        const stackOrUrl = url.value ?? stackText(stack);
        return deployedStatusText({ status, stack: stackOrUrl, isOfOne: link !== undefined, paint });
      },
    });
    return isSound(status) ? EXIT.done : EXIT.failed;
  });
}

const isSound = ({ links, broken }: StatusAnswer): boolean =>
  broken.length === 0 && links.every(({ lastRun }) => typeof lastRun === 'string' || !isTroubled(lastRun));

/** @throws StackError for anything but what the status function says of links */
function read({ status, body }: HttpAnswer, stack: Stack, link: string | undefined): StatusAnswer {
  const who = functionName(stack.stage, 'status');
  const answer = jsonOf(body);
  if (status === 404 && link !== undefined && isMissingLink(answer)) {
    throw new StackError(`link ${link} is not stored in ${stackName(stack.stage)}`);
  }
  if (status === 401 || status === 403) {
    throw new StackError(`${who}: these credentials may not ask it (HTTP ${status})`);
  }
  if (status !== 200) throw new StackError(`${who}: answered HTTP ${status}`);
  return readAnswer(statusAnswer, answer, who);
}

/** The function's own 404; a URL that leads elsewhere has another. */
const isMissingLink = (answer: unknown): boolean =>
  typeof answer === 'object' && answer !== null && String(Reflect.get(answer, 'message')).startsWith('link ');

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
