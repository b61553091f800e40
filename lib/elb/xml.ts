// Reads the XML of AWS's query APIs: elements and their text. Attributes say nothing there and are left out.

export interface Xml {
  readonly name: string;
  readonly text: string;
  readonly children: readonly Xml[];
}

interface Open {
  readonly name: string;
  text: string;
  readonly children: Xml[];
}

const TOKEN = /<\?[^>]*>|<!--[\s\S]*?-->|<(\/?)([\w.:-]+)[^>]*?(\/?)>|([^<]+)/g;

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

const decoded = (text: string): string =>
  text.replace(/&(lt|gt|quot|apos|amp);/g, (entity, name: string) => ENTITIES[name] ?? entity);

/** The outermost element; undefined for text that has none, or not its end. */
export function parseXml(document: string): Xml | undefined {
  const root: Open = { name: '', text: '', children: [] };
  const open: Open[] = [root];
  for (const [, slash, name, isEmpty, text] of document.matchAll(TOKEN)) {
    const inner = open.at(-1) ?? root;
    if (text !== undefined) inner.text += decoded(text);
    if (name === undefined) continue;
    if (slash === '/') {
      if (open.length === 1 || inner.name !== name) return undefined;
      open.pop();
      continue;
    }
    const element: Open = { name, text: '', children: [] };
    inner.children.push(element);
    if (isEmpty !== '/') open.push(element);
  }
  return open.length === 1 ? root.children[0] : undefined;
}

/** All elements at a path below this one. */
export const allAt = (node: Xml | undefined, path: readonly string[]): readonly Xml[] =>
  path.reduce<readonly Xml[]>(
    (found, name) => found.flatMap(({ children }) => children.filter((child) => child.name === name)),
    node === undefined ? [] : [node],
  );

/** The text of the first element at a path; empty where there is none. */
export const textAt = (node: Xml | undefined, ...path: readonly string[]): string =>
  allAt(node, path)[0]?.text.trim() ?? '';
