// One execution environment: a child process that runs the handler of one function, one invocation at a time.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Invocation, Mailbox, Result } from './runtime-api.ts';

export interface FunctionSpec {
  readonly name: string;
  readonly arn: string;
  readonly handler: string; // `dist/tick.handler`: the export `handler` of dist/tick.mjs
  readonly folder: string; // of the unpacked package
  readonly timeout: number; // seconds
  readonly memory: number; // MiB
  readonly variables: Readonly<Record<string, string>>;
}

export interface ExecutionEnvironment {
  /** Whether it runs and can take an invocation. */
  readonly isAlive: boolean;
  /** Resolves when the handler is loaded, or with why it is not. */
  readonly begun: Promise<Result | undefined>;
  invoke(invocation: Invocation): Promise<Result>;
  /** Ends the process at once; what it was asked is answered with this. */
  kill(result: Result): void;
  /** Resolves when the process is gone. */
  readonly ended: Promise<void>;
}

export interface EnvironmentOptions {
  readonly spec: FunctionSpec;
  readonly mailbox: Mailbox;
  /** Everything the process prints. */
  readonly onOutput: (text: string) => void;
}

export const failure = (errorType: string, errorMessage: string): Result => ({
  isError: true,
  payload: JSON.stringify({ errorType, errorMessage }),
});

/**
 * Its variables are the function's and those that Lambda itself sets, and no other: what happens to be set where the sandbox was
 * started (PATH included) is not seen by the handler.
 */
export function startEnvironment({ spec, mailbox, onOutput }: EnvironmentOptions): ExecutionEnvironment {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', programOf(spec)], {
    cwd: spec.folder,
    env: { ...spec.variables, ...ownVariables(spec, mailbox) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // Ctrl-C on the terminal is the sandbox's to handle
  });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', onOutput);
  const ended = endOf(child);
  void ended.then((how) => mailbox.close(failure('Runtime.ExitError', `Runtime exited with error: ${how}`)));
  return {
    get isAlive() {
      return child.pid !== undefined && !child.killed && child.exitCode === null && child.signalCode === null;
    },
    begun: mailbox.begun,
    invoke: (invocation) => mailbox.exchange(invocation),
    kill(result) {
      mailbox.close(result);
      child.kill('SIGKILL');
    },
    ended: ended.then(() => undefined),
  };
}

/** The bootstrap and the handler, found by their places: nothing of the sandbox is on the handler's import path. */
function programOf({ handler, folder }: FunctionSpec): string {
  const dot = handler.lastIndexOf('.');
  const file = pathToFileURL(join(folder, `${handler.slice(0, dot)}.mjs`)).href;
  const bootstrap = new URL('bootstrap.ts', import.meta.url).href;
  const [from, name] = [JSON.stringify(file), JSON.stringify(handler.slice(dot + 1))];
  return `import { serve } from ${JSON.stringify(bootstrap)};
await serve(process.env, async () => (await import(${from}))[${name}]);`;
}

/** Of those that Lambda reserves, the ones that Node code asks for. */
const ownVariables = (spec: FunctionSpec, { address }: Mailbox): Readonly<Record<string, string>> => ({
  AWS_LAMBDA_RUNTIME_API: address,
  AWS_LAMBDA_FUNCTION_NAME: spec.name,
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(spec.memory),
  LAMBDA_TASK_ROOT: spec.folder,
  _HANDLER: spec.handler,
});

async function endOf(child: ChildProcess): Promise<string> {
  try {
    const [code, signal] = await once(child, 'exit');
    return signal === null ? `exit status ${code}` : `signal: ${signal}`;
  } catch (error) {
    return String(error); // it did not start
  }
}
