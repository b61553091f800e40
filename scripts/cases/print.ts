// Shows the judgement to people.
import type { JudgedCase, Judgement, NamingTest } from './judge.ts';
import { RUN_KINDS, type TestState } from './results.ts';

const SYMBOLS: Readonly<Record<TestState, string>> = { passed: '✓', failed: '✗', skipped: '-' };

/** Every case under its milestone, with the tests that name it. */
export function casesText({ cases }: Judgement): string {
  const milestones = [...new Set(cases.map(({ milestone }) => milestone))];
  return milestones.flatMap((name) => milestoneLines(name, cases)).join('\n');
}

/** What has to be put right; empty when nothing has. */
export function problemLines({ cases, unknown }: Judgement): readonly string[] {
  return [
    ...cases.flatMap(({ id, title, problem }) =>
      problem === undefined ? [] : [`${id} ${title}: ${problem}`],
    ),
    ...unknown.map(({ id, test }) => `${id} is no case of docs/cases.md: ${testText(test)}`),
  ];
}

function milestoneLines(name: string, all: readonly JudgedCase[]): readonly string[] {
  const cases = all.filter(({ milestone }) => milestone === name);
  const state = cases.some(({ due }) => due) ? 'due' : 'later';
  return [`${name} (${state})`, ...cases.flatMap(caseLines)];
}

function caseLines(one: JudgedCase): readonly string[] {
  const counts = RUN_KINDS.flatMap((kind) => {
    const { passed, failed, skipped } = one.counts[kind];
    const others = `${failed > 0 ? `, ${failed} failed` : ''}${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    return passed + failed + skipped === 0 ? [] : [`${kind} ${passed} passed${others}`];
  });
  const tests = one.tests.map((test) => `         ${SYMBOLS[test.state]} ${test.kind} ${testText(test)}`);
  return [`  ${one.id.padEnd(4)} ${one.title} (${counts.join('; ') || 'no test'})`, ...tests];
}

function testText({ file, titles, readBack }: NamingTest): string {
  return `${file} › ${titles.join(' › ')}${readBack ? ' [read back]' : ''}`;
}
