// Functions with tiny handlers, written to a folder as an unpacked package has them.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../../lib/clock.ts';
import type { FunctionSpec } from '../../../sandbox/lambda/environment.ts';
import { startLambda, type LambdaService } from '../../../sandbox/lambda/service.ts';

type Sources = Readonly<Record<string, string>>;

interface Given extends Partial<Omit<FunctionSpec, 'folder' | 'handler'>> {
  readonly onOutput?: (text: string) => void;
}

/** A folder with these modules under `dist`, gone after the test. */
async function packageWith(sources: Sources): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-functions-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'dist'));
  for (const [name, source] of Object.entries(sources))
    await writeFile(join(folder, 'dist', `${name}.mjs`), source);
  return folder;
}

/** Lambda with one function `echo` that has this source; ended after the test. */
export async function aFunction(source: string, { onOutput, ...given }: Given = {}): Promise<LambdaService> {
  const folder = await packageWith({ echo: source });
  const arn = 'arn:aws:lambda:us-east-1:000000000000:function:echo';
  const spec = { name: 'echo', arn, timeout: 20, memory: 128, variables: {}, ...given };
  const lambda = await startLambda({
    functions: [{ ...spec, folder, handler: 'dist/echo.handler' }],
    clock: systemClock,
    ...(onOutput !== undefined && { onOutput: (_name, text) => onOutput(text) }),
  });
  onTestFinished(() => lambda.close());
  return lambda;
}

/** What a function gave back, parsed. */
export async function resultOf(
  lambda: LambdaService,
  event: unknown = {},
): Promise<{
  readonly isError: boolean;
  readonly body: unknown;
}> {
  const { isError, payload } = await lambda.invoke('echo', JSON.stringify(event));
  return { isError, body: JSON.parse(payload) };
}
