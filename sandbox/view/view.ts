// Where the sandbox tells what happens: lines that stay, and below them, on a terminal, a few that are always the present ones.

export interface Output {
  readonly isTTY: boolean;
  readonly columns?: number | undefined;
  write(text: string): void;
}

export type Mark = 'good' | 'bad' | 'title' | 'faint';

export interface View {
  /** Whether lines can be replaced. */
  readonly isLive: boolean;
  /** Adds lines that stay. */
  readonly say: (...lines: readonly string[]) => void;
  /** Replaces the lines below the last that stays; nothing where lines cannot be replaced. */
  readonly show: (lines: readonly string[]) => void;
  readonly paint: (mark: Mark, text: string) => string;
}

const CODES: Readonly<Record<Mark, number>> = { good: 32, bad: 31, title: 1, faint: 2 };
const ESCAPE = '\u001B[';
const USUAL_WIDTH = 80; // of terminals that do not say (0, or nothing)

/** For a pipe or a file. */
export const plainView = (output: Output): View => ({
  isLive: false,
  say: (...lines) => output.write(lines.map((line) => `${line}\n`).join('')),
  show: () => undefined,
  paint: (_mark, text) => text,
});

/** For a terminal. @param colour false: as NO_COLOR asks for */
export function terminalView(output: Output, colour: boolean): View {
  let shown: readonly string[] = [];
  const replace = (lines: readonly string[], next: readonly string[]): void => {
    const up = shown.length === 0 ? '' : `${ESCAPE}${shown.length}F`;
    shown = next;
    output.write(`${up}${ESCAPE}J${[...lines, ...next].map((line) => `${line}\n`).join('')}`);
  };
  return {
    isLive: true,
    say: (...lines) => replace(lines, shown),
    show: (lines) => {
      const width = output.columns || USUAL_WIDTH;
      const next = lines.map((line) => shortened(line, width));
      if (next.join('\n') !== shown.join('\n')) replace([], next);
    },
    paint: (mark, text) => (colour ? `${ESCAPE}${CODES[mark]}m${text}${ESCAPE}0m` : text),
  };
}

// oxlint-disable-next-line no-control-regex -- the codes that paint() writes
const PAINT = /\u001B\[\d+m/g;

/** A line that wraps would be two to go back over. A painted one is cut without its colour. */
function shortened(line: string, width: number): string {
  const bare = line.replaceAll(PAINT, '');
  return bare.length <= width ? line : `${bare.slice(0, width - 1)}…`;
}
