// What `link` did, as text for people: one line per field, what its owner should know, and what happens next.
import type { FieldChange } from '../link-changes.ts';
import { DEFAULT_STAGE, stackText, type Stack } from '../stack.ts';
import type { Done } from '../store-link.ts';
import { printable, type Paint } from './paint.ts';
import { blocks } from './report.ts';

export interface LinkText {
  readonly done: Done;
  readonly isPaused: boolean;
  readonly stack: Pick<Stack, 'stage' | 'region'>;
  readonly paint: Paint;
}

export const linkText = ({ done, isPaused, stack, paint }: LinkText): string =>
  blocks([
    changeLines(done, stackText(stack), paint),
    done.notes.map((note) => `note: ${note}`),
    nextLines(done, isPaused, stack.stage),
  ]);

/** `+ link west in …` or `~ link west in …`, and below it the fields. */
function changeLines({ link, action, changes }: Done, stack: string, paint: Paint): readonly string[] {
  const head = `link ${link} in ${stack}`;
  if (action === 'none') return [`${head}: nothing to change`];
  if (action === 'update') return [paint('yellow', `~ ${head}`), ...changes.map(changeText)];
  return [paint('green', `+ ${head}`), ...changes.map(newText), '  everything else as by default'];
}

const newText = ({ field, after }: FieldChange): string => `  ${printable(field)}: ${valueText(after)}`;

const changeText = ({ field, before, after }: FieldChange): string =>
  `  ${printable(field)}: ${valueText(before)} → ${valueText(after)}`;

function valueText(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(itemText).join(', ');
  return itemText(value);
}

/** Text as it is, unless it would not be seen. */
const itemText = (value: unknown): string =>
  typeof value === 'string' && value !== '' ? printable(value) : JSON.stringify(value);

function nextLines({ link, action, stored }: Done, isPaused: boolean, stage: string): readonly string[] {
  if (action === 'none') return [];
  if (!stored) return ['dry run: nothing was stored'];
  if (isPaused) return ['stored; it is paused: its mirrors stay as they are until --no-paused'];
  const words = `resync --link ${link} --wait${stage === DEFAULT_STAGE ? '' : ` --stage ${stage}`}`;
  return [
    'stored; the next tick, within a minute, mirrors what the target exports',
    `now: eks-service-mirror ${words}`,
  ];
}
