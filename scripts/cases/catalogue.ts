// Reads docs/cases.md: the table of what is due, and a heading for every case.
import { type CaseId, ID } from './titles.ts';

export interface Case {
  readonly id: CaseId;
  readonly title: string;
  readonly milestone: string;
  /** the milestone is done, so the case has to be tested */
  readonly due: boolean;
}

interface Milestone {
  readonly name: string;
  readonly state: string;
  readonly ids: readonly CaseId[];
}

const STATES = ['due', 'later'];

/**
 * The cases in the order of their headings.
 * @throws Error with every mistake: a case in no milestone or in two, a milestone's id without a heading, an unknown state
 */
export function parseCatalogue(markdown: string): readonly Case[] {
  const milestones = milestonesIn(markdown);
  const headings = headingsIn(markdown);
  const mistakes = [...milestoneMistakes(milestones, headings), ...headingMistakes(milestones, headings)];
  if (mistakes.length > 0) throw new Error(['docs/cases.md:', ...mistakes].join('\n  '));
  return headings.flatMap(({ id, title }) => {
    const milestone = milestones.find(({ ids }) => ids.includes(id));
    return milestone ? [{ id, title, milestone: milestone.name, due: milestone.state === 'due' }] : [];
  });
}

/** Rows of the form `| milestone | state | ids |` that end in at least one id. */
function milestonesIn(markdown: string): readonly Milestone[] {
  const row = new RegExp(`^\\| *([^|]+?) *\\| *([^|]+?) *\\| *(${ID}(?:, *${ID})*) *\\|$`, 'gm');
  return [...markdown.matchAll(row)].map(([, name = '', state = '', ids = '']) => ({
    name,
    state,
    ids: ids.split(/, */),
  }));
}

function headingsIn(markdown: string): readonly { readonly id: CaseId; readonly title: string }[] {
  const heading = new RegExp(`^### (${ID}) (.+)$`, 'gm');
  return [...markdown.matchAll(heading)].map(([, id = '', title = '']) => ({ id, title }));
}

type Headings = ReturnType<typeof headingsIn>;

function milestoneMistakes(milestones: readonly Milestone[], headings: Headings): readonly string[] {
  if (milestones.length === 0) return ['expected a table of milestones, found none'];
  return milestones.flatMap(({ name, state, ids }) => [
    ...(STATES.includes(state) ? [] : [`${name}: expected the state due or later, found ${state}`]),
    ...ids
      .filter((id) => !headings.some((heading) => heading.id === id))
      .map((id) => `${name}: ${id} has no heading`),
  ]);
}

function headingMistakes(milestones: readonly Milestone[], headings: Headings): readonly string[] {
  const twice = headings
    .filter(({ id }, at) => headings.findIndex((other) => other.id === id) < at)
    .map(({ id }) => `${id} has two headings`);
  const misplaced = headings.flatMap(({ id }) => {
    const places = milestones.flatMap(({ name, ids }) => ids.filter((one) => one === id).map(() => name));
    return places.length === 1 ? [] : [`${id}: expected one milestone, found ${places.join(', ') || 'none'}`];
  });
  return [...twice, ...misplaced];
}
