// Tells the story: does a step, waits until cluster east holds what it should, says what was expected and what is there.
import type { Clock } from '../../lib/ports.ts';
import { findingLines } from '../view/mirror-lines.ts';
import type { View } from '../view/view.ts';
import { compare, isOk, troubleText, type Finding, type PresentMirror } from './mirrors.ts';
import type { Stage, Step } from './steps.ts';

export interface Telling {
  readonly stage: Stage;
  readonly view: View;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** What is in cluster east. */
  readonly read: () => Promise<readonly PresentMirror[]>;
  readonly patience: number; // ms that a step may take
}

export type Told =
  | { readonly isGood: true }
  | { readonly isGood: false; readonly step: number; readonly trouble: string };

const LOOK_EVERY = 250; // ms

/** Ends at the first step that does not come out: the others build on it. Throws the signal's reason when it is aborted. */
export async function tell(steps: readonly Step[], telling: Telling): Promise<Told> {
  const { view } = telling;
  for (const [index, step] of steps.entries()) {
    const number = index + 1;
    view.say('', view.paint('title', `${number}. ${step.title}`), ...step.about.map((line) => `   ${line}`));
    const { findings, open } = await play(step, telling);
    view.say(...findingLines(findings, view), ...besidesLines(step, open, view));
    const trouble = [troubleText(findings), ...(open === undefined ? [] : [`expected that ${open}`])];
    if (!findings.every(isOk) || open !== undefined)
      return { isGood: false, step: number, trouble: trouble.filter((part) => part !== '').join('; ') };
  }
  return { isGood: true };
}

const besidesLines = ({ besides }: Step, open: string | undefined, { paint }: View): readonly string[] => {
  if (besides === undefined) return [];
  return [`   ${open === undefined ? paint('good', '✓') : paint('bad', '✗')} ${besides.what}`];
};

interface Played {
  readonly findings: readonly Finding[];
  readonly open: string | undefined; // what does not hold besides
}

async function play(step: Step, { stage, view, clock, signal, read, patience }: Telling): Promise<Played> {
  const before = await read();
  const start = clock.now();
  await step.act(stage);
  for (;;) {
    signal.throwIfAborted();
    const findings = compare(step.expected, await read(), before);
    const open = findings.every(isOk) ? await openIn(step, stage) : step.besides?.what;
    const waited = clock.now() - start;
    if ((findings.every(isOk) && open === undefined) || waited >= patience) {
      view.show([]);
      return { findings, open };
    }
    const seconds = view.paint('faint', `     ${Math.floor(waited / 1000)} s`);
    view.show([...findingLines(findings, view, false), seconds]);
    await clock.sleep(LOOK_EVERY, signal);
  }
}

const openIn = async ({ besides }: Step, stage: Stage): Promise<string | undefined> =>
  besides === undefined || (await besides.holds(stage)) ? undefined : besides.what;
