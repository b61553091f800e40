// Words for messages about values that people typed: how a value is shown, and which known word was probably meant.
import { getSystemErrorMessage } from 'node:util';

const LONGEST = 48;

/** Text in quotes, cut when long, with control characters escaped. */
export function quoted(text: string): string {
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return JSON.stringify(cut);
}

/** A value that was found where another was expected; lists and fields are named, not printed: they may be long or secret. */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return 'fields';
}

/** The known word that is at most two edits (a third of the word when short) away; undefined when none is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const limit = Math.min(2, Math.ceil(word.length / 3));
  return known
    .map((candidate) => ({ candidate, edits: editsBetween(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ edits }) => edits <= limit)
    .sort((a, b) => a.edits - b.edits)[0]?.candidate;
}

/** Fewest single-character insertions, deletions and replacements that turn `a` into `b` (Levenshtein). */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [index, letter] of a.split('').entries()) {
    const next = [index + 1];
    for (const [column, other] of b.split('').entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** What the operating system said, without code and path: `no such file or directory`. Any other error: its message. */
export function systemErrorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const number = 'errno' in error && typeof error.errno === 'number' ? error.errno : undefined;
  return number === undefined ? error.message : getSystemErrorMessage(number);
}
