// Reads a link file: YAML or JSON, with everything that keeps it from being a document.
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { shown, systemErrorText } from '../lib/wording.ts';

export type Fields = Readonly<Record<string, unknown>>;

export interface LinkFile {
  readonly path: string;
  readonly fields: Fields;
  readonly mistakes: readonly string[];
}

export async function readLinkFile(path: string): Promise<LinkFile> {
  const wrong = (mistakes: readonly string[]): LinkFile => ({ path, fields: {}, mistakes });
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    return { problem: systemErrorText(error) };
  });
  if (typeof text !== 'string') return wrong([`--link-file: cannot read ${path}: ${text.problem}`]);
  const document = parseDocument(text);
  if (document.errors.length > 0) {
    const problems = document.errors.map(({ message }) => message.split('\n')[0]?.replace(/:$/, '') ?? '');
    return wrong(problems.map((problem) => `${path}: ${problem}`));
  }
  const content: unknown = document.toJS();
  if (!isFields(content)) return wrong([`${path}: expected fields, got ${shown(content)}`]);
  return { path, fields: withPathsOf(content, dirname(path)), mistakes: [] };
}

/** Paths in a file are meant from where the file is, as in kubeconfigs. */
function withPathsOf(fields: Fields, folder: string): Fields {
  const sides = (['source', 'target'] as const).flatMap((side) => {
    const access = fields[side];
    if (!isFields(access) || typeof access['kubeconfig'] !== 'string' || access['kubeconfig'] === '')
      return [];
    return [[side, { ...access, kubeconfig: resolve(folder, access['kubeconfig']) }]];
  });
  return { ...fields, ...Object.fromEntries(sides) };
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
