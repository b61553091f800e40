// Invokes a Lambda function, waiting for its answer or not; what went wrong in it is told apart from wrong input.
import { InvokeCommand, type InvokeCommandOutput, type LambdaClient } from '@aws-sdk/client-lambda';
import { InputError } from '../../lib/errors.ts';
import { StackError } from '../stack.ts';
import { stackFailure } from './failures.ts';

export interface Invoker {
  readonly client: LambdaClient;
  readonly stage: string;
  readonly region: string;
}

/** @param name the function's name @returns what it answered @throws StackError, InputError, or the reason of the signal */
export async function invoke(
  invoker: Invoker,
  name: string,
  payload: unknown,
  signal?: AbortSignal,
): Promise<unknown> {
  try {
    const command = commandOf(name, payload, 'RequestResponse');
    const output = await invoker.client.send(command, signal === undefined ? {} : { abortSignal: signal });
    const answer = jsonOf(output, name);
    if (output.FunctionError !== undefined) throw functionFailure(name, answer);
    return answer;
  } catch (error) {
    if (error instanceof InputError || error instanceof StackError) throw error;
    if (signal?.aborted === true) throw new StackError(`${String(signal.reason?.message)}; ${name} goes on`);
    throw failure(invoker, name, error);
  }
}

/** Hands the payload over; the function runs by itself. @throws StackError */
export async function start(invoker: Invoker, name: string, payload: unknown): Promise<void> {
  try {
    await invoker.client.send(commandOf(name, payload, 'Event'));
  } catch (error) {
    throw failure(invoker, name, error);
  }
}

const commandOf = (name: string, payload: unknown, type: 'RequestResponse' | 'Event'): InvokeCommand =>
  new InvokeCommand({
    FunctionName: name,
    InvocationType: type,
    Payload: Buffer.from(JSON.stringify(payload)),
  });

const failure = ({ stage, region }: Invoker, name: string, error: unknown): StackError =>
  stackFailure(error, { stage, region, resource: `function ${name}`, request: `function ${name}` });

function jsonOf({ Payload: payload }: InvokeCommandOutput, name: string): unknown {
  try {
    return JSON.parse(payload?.transformToString() ?? '');
  } catch {
    throw new StackError(`function ${name}: expected JSON as its answer`);
  }
}

const LONGEST = 500;

/** Lambda's form of an error: its class and its message. */
function functionFailure(name: string, answer: unknown): InputError | StackError {
  const { errorType, errorMessage } = errorOf(answer);
  const lines = errorMessage.split('\n');
  if (errorType === 'InputError' && !isAboutItself(lines)) return new InputError(lines);
  if (/timed out/i.test(errorMessage)) {
    return new StackError(`function ${name} ran out of time before it was done`);
  }
  const text = lines.join('; ').slice(0, LONGEST);
  return new StackError(`function ${name} failed: ${errorType}: ${text}`);
}

/** A function that was deployed with a wrong environment says so in the same way. */
const isAboutItself = (lines: readonly string[]): boolean =>
  lines.some((line) => line.startsWith('environment '));

function errorOf(answer: unknown): { readonly errorType: string; readonly errorMessage: string } {
  const field = (name: string): string => {
    const value: unknown =
      typeof answer === 'object' && answer !== null ? Reflect.get(answer, name) : undefined;
    return typeof value === 'string' ? value : '';
  };
  return {
    errorType: field('errorType') || 'Error',
    errorMessage: field('errorMessage') || 'it did not say why',
  };
}
