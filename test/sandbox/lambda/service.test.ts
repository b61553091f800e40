// Handlers in child processes behind the Runtime API: what they are given, what comes back, and what is left over.
import { describe, expect, it } from 'vitest';
import { aFunction, resultOf } from './handlers.ts';

/** Whether a process of this id is there. */
function isRunning(pid: unknown): boolean {
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
}

describe('a handler', () => {
  it('gets the event and a context, and gives a result', async () => {
    const lambda = await aFunction(`export const handler = async (event, context) => ({
      event, id: context.awsRequestId.length, name: context.functionName, memory: context.memoryLimitInMB,
      arn: context.invokedFunctionArn, left: context.getRemainingTimeInMillis() });`);
    const { isError, body } = await resultOf(lambda, { a: ['ü'] });
    expect(isError).toBe(false);
    expect(body).toStrictEqual({
      event: { a: ['ü'] },
      id: 36,
      name: 'echo',
      memory: '128',
      arn: 'arn:aws:lambda:us-east-1:000000000000:function:echo',
      left: expect.any(Number),
    });
    const left = Reflect.get(Object(body), 'left');
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(20_000);
  });

  it('sees the variables of its function, those of Lambda, and no other', async () => {
    const lambda = await aFunction('export const handler = async () => Object.keys(process.env).sort();', {
      variables: { STATE_TABLE: 't' },
    });
    expect((await resultOf(lambda)).body).toStrictEqual([
      'AWS_LAMBDA_FUNCTION_MEMORY_SIZE',
      'AWS_LAMBDA_FUNCTION_NAME',
      'AWS_LAMBDA_FUNCTION_VERSION',
      'AWS_LAMBDA_RUNTIME_API',
      'LAMBDA_TASK_ROOT',
      'STATE_TABLE',
      '_HANDLER',
    ]);
  });

  it('gives null when it gives nothing', async () => {
    const lambda = await aFunction('export const handler = async () => undefined;');
    expect(await resultOf(lambda)).toStrictEqual({ isError: false, body: null });
  });

  it('is heard when it prints', async () => {
    const texts: string[] = [];
    const lambda = await aFunction('export const handler = async () => { console.log("said"); };', {
      onOutput: (text) => texts.push(text),
    });
    await lambda.invoke('echo', '{}');
    await lambda.close();
    expect(texts.join('')).toBe('said\n');
  });

  it('of another name is an error that says so', async () => {
    const lambda = await aFunction('export const handler = async () => 1;');
    await expect(lambda.invoke('other', '{}')).rejects.toThrow(new RangeError('Function not found: other'));
  });
});

describe('an environment', () => {
  const COUNTING =
    'let calls = 0; export const handler = async () => ({ calls: (calls += 1), pid: process.pid });';

  it('is kept warm', async () => {
    const lambda = await aFunction(COUNTING);
    const first = (await resultOf(lambda)).body;
    expect(first).toMatchObject({ calls: 1 });
    expect((await resultOf(lambda)).body).toStrictEqual({ ...Object(first), calls: 2 });
  });

  it('has one invocation at a time: two together have two', async () => {
    const lambda = await aFunction(COUNTING);
    const both = await Promise.all([resultOf(lambda), resultOf(lambda)]);
    expect(both.map(({ body }) => Reflect.get(Object(body), 'calls'))).toStrictEqual([1, 1]);
    expect(new Set(both.map(({ body }) => Reflect.get(Object(body), 'pid'))).size).toBe(2);
  });

  it('goes on after an error of its handler', async () => {
    const lambda = await aFunction(`let calls = 0;
      export const handler = async () => { calls += 1; if (calls === 1) throw new TypeError('no'); return calls; };`);
    expect(await resultOf(lambda)).toStrictEqual({
      isError: true,
      body: { errorType: 'TypeError', errorMessage: 'no', trace: expect.any(Array) },
    });
    expect(await resultOf(lambda)).toStrictEqual({ isError: false, body: 2 });
  });

  it('that cannot load its handler says why, and another is tried the next time', async () => {
    const lambda = await aFunction("throw new RangeError('environment: 2 mistakes');");
    for (let time = 1; time <= 2; time += 1) {
      expect(await resultOf(lambda)).toMatchObject({
        isError: true,
        body: { errorType: 'RangeError', errorMessage: 'environment: 2 mistakes' },
      });
    }
  });

  it('that ends by itself is an error, and the next invocation has a new one', async () => {
    const lambda = await aFunction(
      'export const handler = async ({ end }) => end ? process.exit(3) : "alive";',
    );
    expect(await resultOf(lambda, { end: true })).toStrictEqual({
      isError: true,
      body: { errorType: 'Runtime.ExitError', errorMessage: 'Runtime exited with error: exit status 3' },
    });
    expect(await resultOf(lambda)).toStrictEqual({ isError: false, body: 'alive' });
  });

  it('that is late is ended, even when it is busy, and the next invocation has a new one', async () => {
    const pids: number[] = [];
    const lambda = await aFunction(
      `export const handler = async ({ busy }) => { console.log(process.pid); while (busy); return 'in time'; };`,
      { timeout: 0.3, onOutput: (text) => pids.push(Number(text)) },
    );
    expect(await resultOf(lambda, { busy: true })).toStrictEqual({
      isError: true,
      body: {
        errorType: 'Sandbox.Timedout',
        errorMessage: expect.stringMatching(
          /^RequestId: [-0-9a-f]{36} Error: Task timed out after 0\.30 seconds$/,
        ),
      },
    });
    expect(await resultOf(lambda)).toStrictEqual({ isError: false, body: 'in time' });
    await lambda.close();
    expect(pids.map(isRunning)).toStrictEqual([false, false]);
  });
});

describe('closing', () => {
  it('ends busy processes and answers what they were asked', async () => {
    const started = Promise.withResolvers<number>();
    const lambda = await aFunction(
      'export const handler = () => { console.log(process.pid); return new Promise(() => setInterval(() => {}, 1000)); };',
      { onOutput: (text) => started.resolve(Number(text)) },
    );
    const asked = resultOf(lambda);
    const pid = await started.promise;
    expect(isRunning(pid)).toBe(true);
    await lambda.close();
    expect(await asked).toMatchObject({ isError: true, body: { errorType: 'Sandbox.Closed' } });
    expect(isRunning(pid)).toBe(false);
  });
});

it('J7: 1,000 invocations leave no socket, no timer and no process more than 10 did', async () => {
  const lambda = await aFunction(`export const handler = async () => {
    const kinds = process.getActiveResourcesInfo();
    return { sockets: kinds.filter((kind) => kind.startsWith('TCP')).length, timers: kinds.filter((kind) => kind === 'Timeout').length, pid: process.pid };
  };`);
  const here = (): number =>
    process.getActiveResourcesInfo().filter((kind) => /^(TCP|Pipe|Process)/.test(kind)).length;
  const many = async (count: number): Promise<unknown> => {
    for (let index = 1; index < count; index += 1) await lambda.invoke('echo', '{}');
    return (await resultOf(lambda)).body;
  };
  const early = await many(10);
  const before = here();
  const late = await many(1000);
  expect(late).toStrictEqual(early);
  expect(here()).toBe(before);
});
