// Ends a stored link: with its mirrors, which its deployment removes, or without them.
import { errorText, StateError } from '../lib/errors.ts';
import type { LinkRecord } from '../lib/ports.ts';
import { readAnswer, unlinkAnswer, type Removal } from './answers.ts';
import { functionName, stackName, StackError, type Stack } from './stack.ts';

/**
 * The link that is to end; undefined when it is stored but cannot be used, which is no obstacle where its mirrors are kept.
 * @throws StackError when there is no such link, or when its mirrors cannot be removed
 */
export async function endingLink(
  stack: Stack,
  name: string,
  keepsMirrors: boolean,
): Promise<LinkRecord | undefined> {
  try {
    const record = await stack.links.get(name);
    if (record === undefined) throw notStored(stack, name);
    return record;
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    if (keepsMirrors) return undefined;
    const way = `"unlink ${name} --keep-mirrors" forgets it and leaves its mirrors`;
    throw new StackError(`${error.message}; ${way}`);
  }
}

const notStored = ({ stage }: Stack, name: string): StackError =>
  new StackError(`link ${name} is not stored in ${stackName(stage)}`);

/** Has the deployment remove the mirrors, then the link. @param invoke runs the resync function @throws StackError */
export async function removeLink(
  stack: Stack,
  name: string,
  invoke: (request: object) => Promise<unknown>,
): Promise<Removal> {
  const answer = await invoke({ link: name, unlink: true }).catch(async (error: unknown) => {
    if (!(error instanceof StackError)) throw error;
    throw new StackError(`${error.message}${await aftermath(stack, name)}`);
  });
  const who = `function ${functionName(stack.stage, 'resync')}`;
  const { links, errors } = readAnswer(unlinkAnswer, answer, who);
  const [error] = errors;
  if (error !== undefined) throw new StackError(error.message);
  const [removal] = links;
  if (removal === undefined) throw new StackError(`${who} said nothing of link ${name}`);
  return removal;
}

/** What became of a link whose removal was not answered. */
async function aftermath(stack: Stack, name: string): Promise<string> {
  try {
    const record = await stack.links.get(name);
    if (record === undefined) return `; link ${name} is forgotten all the same`;
    return record.ending ? `; link ${name} is ending: the next ticks go on` : `; link ${name} is as it was`;
  } catch {
    return ''; // what went wrong first is told
  }
}

/** Forgets the link at once, so that nothing comes between that removes its mirrors. @throws StackError */
export async function forgetLink(stack: Stack, name: string): Promise<Removal> {
  if (!(await stack.links.end(name))) throw notStored(stack, name);
  try {
    await stack.links.remove(name);
  } catch (error) {
    throw new StackError(
      `${errorText(error)}; link ${name} is ending now: the next tick removes its mirrors, unless this is repeated before`,
    );
  }
  return { link: name, done: true, deleted: 0, failed: 0, refusals: [], unobserved: [], notes: [] };
}
