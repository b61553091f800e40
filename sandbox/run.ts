// One run of the sandbox: brings the stack up, tells the story, stays until it is told to end, and leaves nothing running.
import { join, relative, resolve } from 'node:path';
import type { Clock } from '../lib/ports.ts';
import { startEmbedded } from './clusters.ts';
import type { Breakable, Flags } from './flags.ts';
import { packageFunctions } from './package.ts';
import { portsFrom } from './ports.ts';
import { startReal } from './real.ts';
import { openSession, type Session } from './session.ts';
import type { Stack } from './stack.ts';
import { readMirrors } from './story/read-mirrors.ts';
import { stageOf } from './story/stage.ts';
import { FIRST, STEPS, THIRD, type Stage } from './story/steps.ts';
import { tell } from './story/tell.ts';
import { insideLines, introLines } from './view/intro.ts';
import { watchMirrors } from './view/live.ts';
import type { View } from './view/view.ts';

export interface RunOptions {
  readonly flags: Flags;
  readonly project: string; // folder
  readonly view: View;
  readonly clock: Clock;
  /** Aborted when the run is to end. */
  readonly signal: AbortSignal;
  readonly patience?: number; // ms that a step of the story may take
}

export const EXIT = { done: 0, failed: 1, wrongInput: 2, interrupted: 130 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const PATIENCE = 30_000; // ms, and the time between two ticks; a look-up takes up to 12 s to be due

/** @throws PortTaken, and Error for what cannot be packaged or started */
export async function run(options: RunOptions): Promise<ExitCode> {
  const { flags, project, view, clock, signal } = options;
  view.say(...introLines(flags, view));
  const packaged = await packageFunctions({ project, cache: join(project, '.cache/package'), signal });
  const folder = resolve(project, flags.folder);
  const session = await openSession({
    packaged,
    folder,
    ports: portsFrom(flags.portBase),
    startCluster: flags.real ? startReal : startEmbedded,
    clock,
  });
  try {
    return await perform(session, options);
  } finally {
    await session.close();
    view.show([]);
    if (signal.aborted) view.say('', 'Ended; nothing is left running.');
  }
}

/** What `--break` does: the part is not there any more. */
const BREAKS: Readonly<
  Record<Breakable, { readonly what: string; readonly end: (stack: Stack) => Promise<void> }>
> = {
  dns: { what: 'the DNS server', end: ({ dns }) => dns.close() },
  target: { what: "cluster west's API server", end: ({ west }) => west.close() },
  queue: { what: 'SQS', end: ({ sqs }) => sqs.close() },
};

async function breakPart({ stack }: Session, part: Breakable, view: View): Promise<void> {
  const { what, end } = BREAKS[part];
  await end(stack);
  view.say('', view.paint('bad', `--break ${part}: ${what} is stopped now.`));
}

async function perform(session: Session, options: RunOptions): Promise<ExitCode> {
  const { flags, view, clock, signal } = options;
  const stage = stageOf(session.stack, session.west, { clock, signal });
  let code: ExitCode = flags.once ? EXIT.interrupted : EXIT.done;
  try {
    stage.answer(FIRST);
    if (flags.broken !== undefined) await breakPart(session, flags.broken, view);
    session.begin(flags.every);
    if (!flags.serve) code = await tellStory(session, stage, options);
    if (flags.once) return code;
    if (!flags.serve) stage.answer(THIRD);
    view.say(...insideLines(session, view));
    return await watchMirrors({ view, clock, signal, read: () => readMirrors(session.east) });
  } catch (error) {
    if (signal.aborted) return code;
    throw error;
  }
}

async function tellStory({ east, logs }: Session, stage: Stage, options: RunOptions): Promise<ExitCode> {
  const { flags, view, clock, signal, patience = PATIENCE + flags.every * 1000 } = options;
  const start = clock.now();
  const told = await tell(STEPS, { stage, view, clock, signal, patience, read: () => readMirrors(east) });
  const seconds = Math.round((clock.now() - start) / 1000);
  if (told.isGood) {
    view.say(
      '',
      `${view.paint('good', '✓')} ${STEPS.length} steps in ${seconds} s: every expected mirror was there.`,
    );
    return EXIT.done;
  }
  const complaints = await stage.complaints();
  view.say(
    '',
    `${view.paint('bad', '✗')} ${told.trouble}`,
    `   Step ${told.step} of ${STEPS.length} did not come out, and the others build on it. What \`status\` says:`,
    ...complaints.map((line) => `     ${line}`),
    `   Logs of the functions: ${relative('.', logs)}`,
  );
  return EXIT.failed;
}
