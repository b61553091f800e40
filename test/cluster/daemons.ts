// Starts long-running programs that cannot outlive the process that started them, with one temporary folder for their files.
import { type ChildProcess, spawn } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const CLOSE_DEADLINE = 20_000; // ms
const POLL_INTERVAL = 50; // ms
const TAIL_LINES = 15;

export interface Daemon {
  readonly name: string;
  readonly pid: number;
  /** its stdout and stderr */
  readonly log: string;
  /** how it ended ("exit code 1", "signal SIGKILL"), or undefined while it runs */
  ended(): string | undefined;
}

export interface Program {
  readonly name: string;
  readonly path: string;
  /** without their dashes */
  readonly flags: Readonly<Record<string, string>>;
}

export interface Daemons {
  /** readable by this user only; removed by close() */
  readonly folder: string;
  /** the folder of one log file per program */
  readonly logs: string;
  /** Starts a program in the folder. Throws when it cannot be executed. */
  start(program: Program): Daemon;
  /** Writes a file into the folder, whole or not at all, for this user only; returns its path. */
  writeFile(name: string, text: string): string;
  /** Kills every program, with what they started, and removes the folder. Resolves when all are gone; may be called again. */
  close(): Promise<void>;
}

/** A program that ended, or was not ready in time; the message ends with the last lines of its log. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly logTail: string;

  constructor(daemon: Daemon, what: string, cause?: unknown) {
    const logTail = tail(daemon.log);
    super(`${daemon.name} ${what}. The end of its log:\n${logTail}`, { cause });
    this.logTail = logTail;
  }
}

/**
 * A set of programs that live and die together. Each runs in a process group of its own, and a guard process (guard.sh) kills
 * the groups as soon as this process closes the set or ends in any way, SIGKILL and a terminated worker thread included.
 */
export function openDaemons(prefix: string): Daemons {
  const folder = mkdtempSync(join(tmpdir(), `${prefix}-`));
  const logs = join(folder, 'logs');
  mkdirSync(logs);
  const guard = startGuard(folder);
  const children: ChildProcess[] = [];
  let closing: Promise<void> | undefined;
  return {
    folder,
    logs,
    start(program) {
      if (closing) throw new Error(`${program.name} cannot start: its set of programs is closed`);
      const { child, daemon } = startProgram(program, folder, logs);
      children.push(child);
      guard.stdin?.write(`${daemon.pid}\n`);
      return daemon;
    },
    writeFile: (name, text) => replaceFile(join(folder, name), text),
    close: () => (closing ??= closeGuard(guard, children)),
  };
}

/**
 * Waits until `isReady` says true; a throw means "not yet". Rejects with a StartError when the program ends first, or after
 * `deadline` ms. Real time: there is nothing to inject a clock into on the other side.
 */
export async function waitUntilReady(
  daemon: Daemon,
  isReady: () => Promise<boolean>,
  deadline: number,
): Promise<void> {
  const end = performance.now() + deadline;
  let lastError: unknown;
  for (;;) {
    let ready = false;
    try {
      ready = await isReady();
    } catch (error) {
      lastError = error;
    }
    // Asked after the probe: on a port that was taken, it is somebody else who answers.
    const ended = daemon.ended();
    if (ended !== undefined) throw new StartError(daemon, `ended before it was ready (${ended})`, lastError);
    if (ready) return;
    if (performance.now() > end)
      throw new StartError(daemon, `was not ready after ${deadline / 1000} s`, lastError);
    await sleep(POLL_INTERVAL);
  }
}

function startGuard(folder: string): ChildProcess {
  const guard = spawn('/bin/sh', [join(import.meta.dirname, 'guard.sh'), folder], {
    detached: true, // so that a Ctrl-C in the terminal leaves it to do its work
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  // A guard that somebody killed shows as an error of close(), which waits for what it should have done.
  guard.stdin?.on('error', () => {});
  return guard;
}

function startProgram(
  program: Program,
  folder: string,
  logs: string,
): { child: ChildProcess; daemon: Daemon } {
  const log = join(logs, `${program.name}.log`);
  const output = openSync(log, 'a');
  const args = Object.entries(program.flags).map(([flag, value]) => `--${flag}=${value}`);
  const child = spawn(program.path, args, { cwd: folder, detached: true, stdio: ['ignore', output, output] });
  closeSync(output);
  child.unref();
  child.on('error', () => {}); // spawn without a pid, told below
  if (child.pid === undefined)
    throw new Error(`${program.name} does not start: cannot execute ${program.path}`);
  const daemon = { name: program.name, pid: child.pid, log, ended: () => howItEnded(child) };
  return { child, daemon };
}

async function closeGuard(guard: ChildProcess, children: readonly ChildProcess[]): Promise<void> {
  guard.stdin?.end();
  const end = performance.now() + CLOSE_DEADLINE;
  while ([guard, ...children].some((child) => howItEnded(child) === undefined)) {
    if (performance.now() > end)
      throw new Error(`programs still run ${CLOSE_DEADLINE / 1000} s after they were killed`);
    await sleep(10);
  }
}

function howItEnded({ exitCode, signalCode }: ChildProcess): string | undefined {
  if (signalCode !== null) return `signal ${signalCode}`;
  return exitCode === null ? undefined : `exit code ${exitCode}`;
}

function replaceFile(path: string, text: string): string {
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return path;
}

function tail(file: string): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
}
