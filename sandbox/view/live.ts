// After the story: the mirrors as they are, until somebody ends it. A table on a terminal, a line for each change in a pipe.
import type { Clock } from '../../lib/ports.ts';
import type { PresentMirror } from '../story/mirrors.ts';
import { mirrorLine, mirrorTable } from './mirror-lines.ts';
import type { View } from './view.ts';

export interface LiveOptions {
  readonly view: View;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly read: () => Promise<readonly PresentMirror[]>;
}

const EVERY = 1_000; // ms

/** Throws the signal's reason when it is aborted, and nothing else ends it. */
export async function watchMirrors({ view, clock, signal, read }: LiveOptions): Promise<never> {
  let former: readonly string[] = [];
  for (;;) {
    const mirrors = await read();
    const lines = mirrors.map(mirrorLine);
    if (view.isLive) view.show(mirrorTable(mirrors, view));
    else view.say(...lines.filter((line) => !former.includes(line)), ...goneLines(former, lines));
    former = lines;
    await clock.sleep(EVERY, signal);
  }
}

const nameIn = (line: string): string => line.trim().split(' ')[0] ?? '';

const goneLines = (former: readonly string[], lines: readonly string[]): readonly string[] => {
  const names = new Set(lines.map(nameIn));
  return former
    .map(nameIn)
    .filter((name) => !names.has(name))
    .map((name) => `   ${name} is gone`);
};
