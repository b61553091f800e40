// The link that a command works on: the link file, with the flags laid over it.
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { checkLink } from '../lib/config.ts';
import { pathText, type Mistake, type Path } from '../lib/mistakes.ts';
import type { Access, Link } from '../lib/model/link.ts';
import { shown, systemErrorText } from '../lib/wording.ts';
import { allOf, FLAGS, flagText, isGiven, lastOf, type Flag, type GivenFlags } from './flags.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface LinkInput {
  readonly link?: Link; // absent when there are mistakes
  readonly source?: KubeconfigAccess;
  readonly target?: KubeconfigAccess;
  readonly mistakes: readonly string[];
}

export type KubeconfigAccess = Extract<Access, { kubeconfig: string }>;
type Side = 'source' | 'target';

interface LinkFile {
  readonly fields: Fields;
  readonly mistakes: readonly string[];
}

/** Reads the link file, lays the flags over it and checks the whole; every mistake is named where it was made. */
export async function readLink(flags: GivenFlags): Promise<LinkInput> {
  const path = lastOf(flags, 'link-file');
  const file: LinkFile = path === undefined ? { fields: {}, mistakes: [] } : await readLinkFile(path);
  const document = withDefaults(withFlags(file.fields, flags));
  const { link, mistakes } = checkLink(document, { unknown: 'refuse' });
  const sides = (['source', 'target'] as const).map((side) => checkAccess(side, document[side]));
  const [source, target] = sides.map(({ access }) => access);
  return {
    ...(link !== undefined && { link }),
    ...(source !== undefined && { source }),
    ...(target !== undefined && { target }),
    mistakes: [
      ...file.mistakes,
      ...[...mistakes, ...sides.flatMap(({ mistakes }) => mistakes)].map((mistake) =>
        inputLine(mistake, flags, path, file.fields),
      ),
    ],
  };
}

/** From an operator's computer a load balancer is as a rule old enough to be looked up at once. */
const withDefaults = (document: Fields): Fields => ({ firstLookDelay: 0, ...document });

async function readLinkFile(path: string): Promise<LinkFile> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    return { problem: systemErrorText(error) };
  });
  if (typeof text !== 'string') {
    return { fields: {}, mistakes: [`--link-file: cannot read ${path}: ${text.problem}`] };
  }
  const document = parseDocument(text);
  if (document.errors.length > 0) {
    const problems = document.errors.map(({ message }) => message.split('\n')[0]?.replace(/:$/, '') ?? '');
    return { fields: {}, mistakes: problems.map((problem) => `${path}: ${problem}`) };
  }
  const content: unknown = document.toJS();
  if (!isFields(content)) {
    return { fields: {}, mistakes: [`${path}: expected fields, got ${shown(content)}`] };
  }
  return { fields: withPathsOf(content, dirname(path)), mistakes: [] };
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

const LINK_FLAGS = FLAGS.filter(({ field }) => field !== undefined);

/** The document with every given flag in its field. A kubeconfig flag replaces the whole access: another file, another context. */
function withFlags(fields: Fields, flags: GivenFlags): Fields {
  let document = fields;
  for (const flag of LINK_FLAGS.filter(({ name }) => isGiven(flags, name))) {
    const [field = '', inner] = flag.field ?? [];
    const value = valueOf(flag, flags);
    const outer = document[field];
    const kept = isFields(outer) && inner !== 'kubeconfig' ? outer : {};
    document = { ...document, [field]: inner === undefined ? value : { ...kept, [inner]: value } };
  }
  return document;
}

function valueOf({ name, repeatable }: Flag, flags: GivenFlags): unknown {
  if (repeatable === true) return allOf(flags, name);
  const text = lastOf(flags, name) ?? '';
  return name === 'gateway-port' && /^\d+$/.test(text) ? Number(text) : text;
}

function checkAccess(side: Side, access: unknown): { access?: KubeconfigAccess; mistakes: Mistake[] } {
  if (access === undefined) {
    return { mistakes: [{ path: [side], text: 'expected a kubeconfig file, got nothing' }] };
  }
  if (!isFields(access)) return { mistakes: [] }; // told by the schema
  const { kubeconfig, context } = access;
  if (typeof kubeconfig !== 'string' || kubeconfig === '') {
    const isOther = 'eks' in access || 'secret' in access;
    const text = `expected { kubeconfig: FILE } for this command, got the fields ${Object.keys(access).join(', ')}`;
    return { mistakes: isOther ? [{ path: [side], text }] : [] };
  }
  const isContext = typeof context === 'string' && context !== '';
  return { access: { kubeconfig, ...(isContext && { context }) }, mistakes: [] };
}

/** Names a mistake by the flag or the file that it came from; what is nowhere is asked for by flag. */
function inputLine(
  { path, text }: Mistake,
  flags: GivenFlags,
  filePath: string | undefined,
  file: Fields,
): string {
  const given = LINK_FLAGS.find(({ name, field = [] }) => isGiven(flags, name) && startsWith(path, field));
  if (given !== undefined) return `${flagText(given.name)}: ${text}`;
  if (filePath !== undefined && Object.hasOwn(file, String(path[0])))
    return `${filePath}: ${pathText(path)}: ${text}`;
  const asked = LINK_FLAGS.find(({ field = [] }) => startsWith(field, path));
  if (asked === undefined) return `${pathText(path)}: ${text}`;
  return `${flagText(asked.name)}${filePath === undefined ? '' : ` (or ${pathText(path)} in ${filePath})`}: ${text}`;
}

const startsWith = (path: Path, start: Path): boolean =>
  start.length > 0 && start.every((step, index) => path[index] === step);

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
