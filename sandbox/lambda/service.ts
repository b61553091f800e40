// Lambda on this computer: keeps execution environments warm, makes more when all are busy, and ends one that takes too long.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../lib/ports.ts';
import { failure, startEnvironment, type ExecutionEnvironment, type FunctionSpec } from './environment.ts';
import { startRuntimeApi, type Result, type RuntimeApi } from './runtime-api.ts';

export interface Invoked extends Result {
  readonly requestId: string;
}

export interface LambdaService {
  readonly functions: ReadonlyMap<string, FunctionSpec>;
  /**
   * Runs a function to its end. What goes wrong in it is a result as Lambda gives it.
   * @param payload JSON
   * @throws RangeError when there is no function of this name
   */
  invoke(name: string, payload: string): Promise<Invoked>;
  /** Ends every process; what is asked from then on is an error. May be called again. */
  close(): Promise<void>;
}

export interface LambdaOptions {
  readonly functions: readonly FunctionSpec[];
  readonly clock: Clock;
  readonly port?: number; // of the Runtime API; default: a free one
  readonly onOutput?: (functionName: string, text: string) => void;
}

/** ms. Lambda allows 10 s; this computer may be slower. */
const LONGEST_START = 30_000;

export async function startLambda(options: LambdaOptions): Promise<LambdaService> {
  const api = await startRuntimeApi({ port: options.port ?? 0 });
  const functions = new Map(options.functions.map((spec) => [spec.name, spec]));
  const pools = new Map(options.functions.map((spec) => [spec.name, openPool(spec, api, options)]));
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await Promise.all([...pools.values()].map((pool) => pool.close()));
    await api.close();
  };
  return {
    functions,
    async invoke(name, payload) {
      const pool = pools.get(name);
      if (pool === undefined) throw new RangeError(`Function not found: ${name}`);
      return pool.invoke(payload);
    },
    close: () => (closing ??= close()),
  };
}

interface Pool {
  invoke(payload: string): Promise<Invoked>;
  close(): Promise<void>;
}

function openPool(spec: FunctionSpec, api: RuntimeApi, { clock, onOutput }: LambdaOptions): Pool {
  const closed = failure('Sandbox.Closed', 'the sandbox has ended');
  let isClosed = false;
  const all = new Set<ExecutionEnvironment>();
  const idle: ExecutionEnvironment[] = [];
  const start = (): ExecutionEnvironment => {
    const output = (text: string): void => onOutput?.(spec.name, text);
    const environment = startEnvironment({ spec, mailbox: api.open(), onOutput: output });
    all.add(environment);
    void environment.ended.then(() => all.delete(environment));
    return environment;
  };
  /** The last one that became idle, so that the others may be found dead without harm. */
  const take = (): ExecutionEnvironment => {
    for (let environment = idle.pop(); environment !== undefined; environment = idle.pop()) {
      if (environment.isAlive) return environment;
    }
    return start();
  };
  return {
    async invoke(payload) {
      const requestId = randomUUID();
      if (isClosed) return { ...closed, requestId };
      const environment = take();
      const result = await run({ environment, spec, clock }, requestId, payload);
      if (environment.isAlive) idle.push(environment);
      return { ...result, requestId };
    },
    async close() {
      isClosed = true;
      const ending = [...all];
      for (const environment of ending) environment.kill(closed);
      await Promise.all(ending.map(({ ended }) => ended));
    },
  };
}

interface Running {
  readonly environment: ExecutionEnvironment;
  readonly spec: FunctionSpec;
  readonly clock: Clock;
}

/** The function's time runs from the moment when its handler is loaded, as on Lambda. */
async function run(running: Running, requestId: string, payload: string): Promise<Result> {
  const { environment, spec, clock } = running;
  const slow = failure('Runtime.InitTimeout', `the handler was not loaded after ${LONGEST_START / 1000} s`);
  const refused = await within(running, LONGEST_START, { late: slow, work: () => environment.begun });
  if (refused !== undefined) {
    environment.kill(refused);
    return refused;
  }
  const limit = spec.timeout * 1000;
  const late = failure(
    'Sandbox.Timedout',
    `RequestId: ${requestId} Error: Task timed out after ${spec.timeout.toFixed(2)} seconds`,
  );
  const invocation = { requestId, payload, functionArn: spec.arn, deadline: clock.now() + limit };
  return within(running, limit, { late, work: () => environment.invoke(invocation) });
}

interface Timed<T> {
  readonly late: Result; // the answer when the time is over
  readonly work: () => Promise<T>;
}

/** An environment that is late is ended: nobody can tell what it would still do. */
async function within<T>(
  { environment, clock }: Pick<Running, 'environment' | 'clock'>,
  ms: number,
  { late, work }: Timed<T>,
): Promise<T> {
  const done = new AbortController();
  clock.sleep(ms, done.signal).then(
    () => environment.kill(late),
    () => undefined, // done in time
  );
  try {
    return await work();
  } finally {
    done.abort();
  }
}
