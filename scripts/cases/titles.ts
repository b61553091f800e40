// Which cases the title of a test names.

export type CaseId = string;

/** One id, as a regular expression. */
export const ID = '[A-K][0-9]{1,2}';

const LEADING_IDS = new RegExp(`^${ID}(?:(?:, ?|/|,? and )${ID})*(?![\\w-])`);

/** The ids at the start of any of the titles: of the test itself, or of a describe around it (`A1, A5: …`, `J1 (one link): …`). */
export function casesNamedBy(titles: readonly string[]): readonly CaseId[] {
  const named = titles.flatMap((title) => LEADING_IDS.exec(title)?.[0].match(new RegExp(ID, 'g')) ?? []);
  return [...new Set(named)];
}
