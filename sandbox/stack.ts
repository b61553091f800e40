// The whole sandbox: servers, and the functions deployed to them.
import { openFunctions, type Functions, type FunctionsOptions } from './functions.ts';
import { startServers, type ServerOptions, type Servers } from './servers.ts';

export type StackOptions = ServerOptions & FunctionsOptions;

export interface Stack extends Servers, Functions {
  readonly close: () => Promise<void>;
}

/** Starts all of it, or nothing: what had been started is ended again. @throws PortTaken */
export async function startStack(options: StackOptions): Promise<Stack> {
  await using parts = new AsyncDisposableStack();
  const servers = await startServers(options, parts);
  const functions = await openFunctions(options, servers, parts);
  const ending = parts.move();
  return { ...servers, ...functions, close: () => ending.disposeAsync() };
}
