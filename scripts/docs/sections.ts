// Generated parts of a page, between two marks; everything around them is written by hand.

const startOf = (name: string): string => `<!-- generated: ${name} (npm run docs) -->`;
const endOf = (name: string): string => `<!-- end of generated: ${name} -->`;

/** The page with the named part replaced. Throws when the page has not both marks. */
export function withSection(page: string, name: string, text: string): string {
  const start = page.indexOf(startOf(name));
  const end = page.indexOf(endOf(name));
  if (start < 0 || end < start) throw new Error(`expected the marks ${startOf(name)} and ${endOf(name)}`);
  return `${page.slice(0, start)}${startOf(name)}\n\n${text.trim()}\n\n${page.slice(end)}`;
}
