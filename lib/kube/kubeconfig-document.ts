// The text of a kubeconfig as named entries, and the three of them that one context is made of.
import { LineCounter, parseDocument } from 'yaml';
import { shown } from '../wording.ts';

export type Fields = Readonly<Record<string, unknown>>;

export interface Entry {
  readonly name: string;
  readonly fields: Fields;
}

export interface Kubeconfig {
  readonly clusters: readonly Entry[];
  readonly users: readonly Entry[];
  readonly contexts: readonly Entry[];
  readonly currentContext: string; // '' when none is set
}

/** A context with what it stands for. */
export interface Chosen {
  readonly context: string;
  readonly cluster: Entry;
  readonly user: Entry;
}

/** What was asked for, or why it is not there: one line per mistake, `field: expected …, got …`. */
export type Found<T> = { readonly found: T } | { readonly mistakes: readonly string[] };

/** Reads the YAML (or JSON) text. Mistakes name lines and fields, never what stands there: it may be a credential. */
export function readKubeconfig(text: string): Found<Kubeconfig> {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  if (document.errors.length > 0) {
    const mistakes = document.errors.map(
      ({ code, pos }) => `line ${lineCounter.linePos(pos[0]).line}: expected YAML, got ${code}`,
    );
    return { mistakes };
  }
  const root: unknown = document.toJS();
  if (!isFields(root))
    return { mistakes: [`expected a kubeconfig, got ${isText(root) ? 'text' : shown(root)}`] };
  const mistakes: string[] = [];
  const entries = (list: string, of: string): readonly Entry[] =>
    entriesIn(root[list], { list, of, mistakes });
  const found = {
    clusters: entries('clusters', 'cluster'),
    users: entries('users', 'user'),
    contexts: entries('contexts', 'context'),
    currentContext: textIn(root, 'current-context'),
  };
  return mistakes.length > 0 ? { mistakes } : { found };
}

interface ListRules {
  readonly list: string;
  readonly of: string; // the key that holds an entry's fields
  readonly mistakes: string[];
}

function entriesIn(value: unknown, { list, of, mistakes }: ListRules): readonly Entry[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    mistakes.push(`${list}: expected a list, got ${isFields(value) ? 'fields' : 'a single value'}`);
    return [];
  }
  return value.flatMap((item: unknown, index) => {
    const name = isFields(item) ? textIn(item, 'name') : '';
    if (!isFields(item) || name === '') {
      mistakes.push(`${list}[${index}]: expected name and ${of}, got no name`);
      return [];
    }
    const fields = item[of] ?? {};
    if (isFields(fields)) return [{ name, fields }];
    mistakes.push(`${list}[${name}].${of}: expected fields, got another value`);
    return [];
  });
}

/** The entries of the wanted context, or of current-context; messages list what exists instead. */
export function choose(kubeconfig: Kubeconfig, wanted: string | undefined): Found<Chosen> {
  const name = wanted ?? kubeconfig.currentContext;
  const context = named(kubeconfig.contexts, name);
  if (context === undefined) return { mistakes: [noContext(kubeconfig, wanted)] };
  const cluster = named(kubeconfig.clusters, textIn(context.fields, 'cluster'));
  const user = named(kubeconfig.users, textIn(context.fields, 'user'));
  if (cluster !== undefined && user !== undefined) return { found: { context: name, cluster, user } };
  return {
    mistakes: [
      ...(cluster === undefined ? [notAmong(context, 'cluster', kubeconfig.clusters)] : []),
      ...(user === undefined ? [notAmong(context, 'user', kubeconfig.users)] : []),
    ],
  };
}

const named = (entries: readonly Entry[], name: string): Entry | undefined =>
  entries.find((entry) => entry.name === name);

function noContext({ contexts, currentContext }: Kubeconfig, wanted: string | undefined): string {
  const field = wanted === undefined ? 'current-context' : 'context';
  return `${field}: expected ${oneOf(contexts, 'contexts')}, got ${shown((wanted ?? currentContext) || undefined)}`;
}

const notAmong = (context: Entry, key: 'cluster' | 'user', entries: readonly Entry[]): string =>
  `contexts[${context.name}].${key}: expected ${oneOf(entries, `${key}s`)}, got ${shown(textIn(context.fields, key) || undefined)}`;

function oneOf(entries: readonly Entry[], what: string): string {
  if (entries.length === 0) return `one of its ${what} (it has none)`;
  return `one of ${entries.map(({ name }) => name).join(', ')}`;
}

/** A field's text; '' when it is absent or no text. */
export const textIn = (fields: Fields, key: string): string => {
  const value = fields[key];
  return isText(value) ? value : '';
};

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isText = (value: unknown): value is string => typeof value === 'string';
