// What the status function of a deployment knows, without asking any cluster; and `status`, which prints all of it.
import { InputError } from '../../lib/errors.ts';
import { readAnswer, statusAnswer, type StatusAnswer } from '../answers.ts';
import { EXIT } from '../exit.ts';
import { lastOf } from '../flags.ts';
import { print } from '../print.ts';
import { deployedStatusText } from '../render/deployed-status.ts';
import { isTroubled } from '../render/last-run.ts';
import { functionName, StackError, stackName, stackText, type HttpAnswer, type Stack } from '../stack.ts';
import { placeOf, regionInUrl, statusUrlOf } from '../stack-input.ts';
import { formatOf, linkNameOf, withFlagMistakes, type Format } from '../values.ts';
import { withStack, type Terms } from './deployed.ts';

/** What was asked and answered. */
export interface Asked {
  readonly status: StatusAnswer;
  readonly stack: string; // where: `eks-service-mirror-dev in eu-west-1`, or the URL
  readonly format: Format;
  readonly isOfOne: boolean; // one link was asked for
}

/** Reads the flags of a command that asks the status function, and asks it. @throws InputError, StackError */
export async function askStatus({ flags, io, services, mistakes }: Terms): Promise<Asked> {
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
    return {
      status: read(await stack.status(question), stack, link?.value),
      stack: url.value ?? stackText(stack),
      format: format.value,
      isOfOne: link !== undefined,
    };
  });
}

/** @throws InputError, StackError */
export async function statusDeployed(terms: Terms): Promise<number> {
  const { format, ...asked } = await askStatus(terms);
  print(terms.io, format, {
    data: () => asked.status,
    text: (paint) => deployedStatusText({ ...asked, paint }),
  });
  return isSound(asked.status) ? EXIT.done : EXIT.failed;
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
