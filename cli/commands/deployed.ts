// What commands on a deployment have in common: which one, filters, the resync function, and one link's report out of its answer.
import { InputError } from '../../lib/errors.ts';
import { keyText } from '../../lib/model/keys.ts';
import { readAnswer, resyncAnswer, type LinkReport, type ResyncAnswer } from '../answers.ts';
import type { Services } from '../command.ts';
import { isGiven, lastOf, type GivenFlags } from '../flags.ts';
import type { Io } from '../io.ts';
import { progressLine } from '../progress.ts';
import { UNTOLD, type ShownReport } from '../render/report.ts';
import { functionName, StackError, type Stack, type StackPlace } from '../stack.ts';
import { placeOf } from '../stack-input.ts';
import {
  formatOf,
  linkNameOf,
  namespacesOf,
  servicesOf,
  withFlagMistakes,
  type Format,
  type Read,
} from '../values.ts';

export interface Terms {
  readonly flags: GivenFlags;
  readonly io: Io;
  readonly services: Services;
  readonly mistakes: readonly string[]; // found before
}

/** The request that the resync function takes. */
export interface ResyncWords {
  readonly link?: string; // absent: all
  readonly dryRun: boolean;
  readonly namespaces: readonly string[];
  readonly services: readonly string[]; // NAMESPACE/NAME
  readonly forceDeletes: boolean;
}

export interface ResyncInput {
  readonly place: StackPlace;
  readonly format: Format;
  readonly request: ResyncWords;
}

/** @throws InputError with all mistakes */
export function readResyncInput(
  { flags, io, mistakes }: Terms,
  options: { readonly dryRun: boolean; readonly needsLink: boolean },
): ResyncInput {
  const parts = {
    place: placeOf(flags, io.env),
    format: formatOf(flags),
    namespaces: namespacesOf(flags),
    services: servicesOf(flags),
  };
  const link = linkOf(flags, options.needsLink);
  const found = [link, ...Object.values(parts)].flatMap((part) => part?.mistakes ?? []);
  const all = withFlagMistakes(flags, [...mistakes, ...found]);
  if (all.length > 0) throw new InputError(all);
  return {
    place: parts.place.value,
    format: parts.format.value,
    request: {
      ...(link !== undefined && { link: link.value }),
      dryRun: options.dryRun,
      namespaces: parts.namespaces.value,
      services: parts.services.value.map(keyText),
      forceDeletes: isGiven(flags, 'force-deletes'),
    },
  };
}

function linkOf(flags: GivenFlags, isNeeded: boolean): Read<string> | undefined {
  const name = lastOf(flags, 'link');
  if (name !== undefined) return linkNameOf(name, '--link');
  const text =
    '--link: expected the name of a deployed link, or of one beside --source-kubeconfig and --target-kubeconfig, got nothing';
  return isNeeded ? { value: '', mistakes: [text] } : undefined;
}

/** Opens the deployment for `use` and closes it whatever comes of it. */
export async function withStack<T>(
  { openStack }: Pick<Services, 'openStack'>,
  place: StackPlace,
  use: (stack: Stack) => Promise<T>,
): Promise<T> {
  const stack = await openStack(place);
  try {
    return await use(stack);
  } finally {
    stack.close();
  }
}

/** Runs the resync function to its end, telling so while it takes. */
export async function invokeResync(stack: Stack, io: Io, request: object): Promise<unknown> {
  const progress = progressLine(io);
  progress.show({ done: 0, total: 0, what: `waiting for ${functionName(stack.stage, 'resync')}` });
  try {
    return await stack.invoke('resync', request, io.signal);
  } finally {
    progress.clear();
  }
}

/** @throws StackError */
export async function resync(stack: Stack, io: Io, request: ResyncWords): Promise<ResyncAnswer> {
  const answer = await invokeResync(stack, io, request);
  return readAnswer(resyncAnswer, answer, `function ${functionName(stack.stage, 'resync')}`);
}

/** The one link that `plan` or `sync` asked for. @throws StackError when it could not be looked at */
export async function resyncOne(terms: Terms, { place, request }: ResyncInput): Promise<LinkReport> {
  const { links, errors } = await withStack(terms.services, place, (stack) =>
    resync(stack, terms.io, request),
  );
  const [error] = errors;
  if (error !== undefined) throw new StackError(error.message);
  const [report] = links;
  if (report === undefined) throw new StackError(`the resync function said nothing of link ${request.link}`);
  return report;
}

/** An answer as the text of `plan` and `sync` shows it. */
export function shownReport({ outcomes, explanations = [], ...report }: LinkReport): ShownReport {
  return {
    ...report,
    gateway: UNTOLD,
    explanations: explanations.map(({ lines, ...service }) => ({ service, lines })),
    ...(outcomes !== undefined && {
      outcomes: outcomes.map(({ result, message, ...change }) => ({ change, result, message })),
    }),
  };
}
