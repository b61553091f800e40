// The link that a command works on: the link file, or what is stored, with the flags laid over it.
import { checkLink } from '../lib/config.ts';
import { pathText, type Mistake, type Path } from '../lib/mistakes.ts';
import type { Access, Link } from '../lib/model/link.ts';
import { FLAGS, type Flag, type FlagName } from './flag-rows.ts';
import { allOf, flagText, isGiven, lastOf, type GivenFlags } from './flags.ts';
import { isFields, readLinkFile, type Fields, type LinkFile } from './link-file.ts';

export type KubeconfigAccess = Extract<Access, { kubeconfig: string }>;
type Side = 'source' | 'target';
const SIDES = ['source', 'target'] as const satisfies readonly Side[];

export interface LinkInput {
  readonly link?: Link; // absent when there are mistakes
  readonly mistakes: readonly string[];
}

/** A link between two clusters that are reached from here. */
export interface LocalLinkInput extends LinkInput {
  readonly source?: KubeconfigAccess;
  readonly target?: KubeconfigAccess;
}

/** Reads the link file, lays the flags over it and checks the whole; every mistake is named where it was made. */
export async function readLocalLink(flags: GivenFlags): Promise<LocalLinkInput> {
  const file = await fileOf(flags);
  const document = withFlags({ firstLookDelay: SOON, ...file?.fields }, flags);
  const [source, target] = SIDES.map((side) => fileAccess(document[side]));
  return {
    ...checked(document, flags, file, fileMistakes),
    ...(source !== undefined && { source }),
    ...(target !== undefined && { target }),
  };
}

/** From an operator's computer a load balancer is as a rule old enough to be looked up at once. Seconds. */
const SOON = 0;

/** What is known of the link that is stored under a name. */
export type StoredLink =
  | { readonly isKnown: true; readonly link: Link | undefined } // undefined: none is
  | { readonly isKnown: false };

/** The document of a stored link: the link file with the flags laid over it, or without a file what is stored already. */
export async function readStoredLink(flags: GivenFlags, stored: StoredLink): Promise<LinkInput> {
  const file = await fileOf(flags);
  const base = stored.isKnown ? { ...stored.link } : {};
  // What is missing may be stored, as far as that is not known.
  const isWhole = file !== undefined || stored.isKnown;
  return checked(withFlags(file?.fields ?? base, flags), flags, file, (side, access) =>
    deployedMistakes(side, access, isWhole),
  );
}

async function fileOf(flags: GivenFlags): Promise<LinkFile | undefined> {
  const path = lastOf(flags, 'link-file');
  return path === undefined ? undefined : readLinkFile(path);
}

type CheckAccess = (side: Side, access: unknown) => readonly Mistake[];

function checked(
  document: Fields,
  flags: GivenFlags,
  file: LinkFile | undefined,
  checkAccess: CheckAccess,
): LinkInput {
  const { link, mistakes } = checkLink(document, { unknown: 'refuse' });
  const all = [...mistakes, ...SIDES.flatMap((side) => checkAccess(side, document[side]))];
  const lines = all.map((mistake) => inputLine(mistake, flags, file));
  return {
    ...(link !== undefined && { link }),
    mistakes: [...(file?.mistakes ?? []), ...lines],
  };
}

const LINK_FLAGS = FLAGS.filter(({ field }) => field !== undefined);

/** Fields of which one says which kind of access it is. A flag for one replaces the whole access: another cluster, another role. */
const KINDS: readonly (string | undefined)[] = ['kubeconfig', 'eks', 'secret'];

/** The document with every given flag in its field. */
function withFlags(fields: Fields, flags: GivenFlags): Fields {
  const given = LINK_FLAGS.filter(({ name }) => isGiven(flags, name));
  const replaced = given.flatMap(({ field: [field = '', inner] = [] }) =>
    KINDS.includes(inner) ? [field] : [],
  );
  let document: Fields = Object.fromEntries(
    Object.entries(fields).filter(([field]) => !replaced.includes(field)),
  );
  for (const flag of given) {
    const [field = '', inner] = flag.field ?? [];
    const value = valueOf(flag, flags);
    const outer = document[field];
    const kept = isFields(outer) ? outer : {};
    document = { ...document, [field]: inner === undefined ? value : { ...kept, [inner]: value } };
  }
  return document;
}

function valueOf({ name, value, repeatable, sets }: Flag, flags: GivenFlags): unknown {
  if (value === undefined) return sets;
  if (repeatable === true) return allOf(flags, name);
  const text = lastOf(flags, name) ?? '';
  return name === 'gateway-port' && /^\d+$/.test(text) ? Number(text) : text;
}

/** The access when it is a sound one by file. */
function fileAccess(access: unknown): KubeconfigAccess | undefined {
  if (!isFields(access)) return undefined;
  const { kubeconfig, context } = access;
  if (typeof kubeconfig !== 'string' || kubeconfig === '') return undefined;
  const isContext = typeof context === 'string' && context !== '';
  return { kubeconfig, ...(isContext && { context }) };
}

const fileMistakes: CheckAccess = (side, access) => {
  if (access === undefined) return [{ path: [side], text: 'expected a kubeconfig file, got nothing' }];
  const isOther = isFields(access) && ('eks' in access || 'secret' in access);
  if (!isOther || fileAccess(access) !== undefined) return []; // the rest is told by the schema
  const text = `expected { kubeconfig: FILE } for this command, got ${fieldsText(access)}`;
  return [{ path: [side], text }];
};

function deployedMistakes(side: Side, access: unknown, isWhole: boolean): readonly Mistake[] {
  if (access === undefined)
    return isWhole ? [{ path: [side], text: 'expected an EKS cluster or a secret, got nothing' }] : [];
  if (!isFields(access) || 'eks' in access || 'secret' in access || !('kubeconfig' in access)) return [];
  const text = `expected { eks: ARN } or { secret: ARN } for a stored link, got ${fieldsText(access)}`;
  return [{ path: [side], text }];
}

const fieldsText = (fields: Fields): string => `the fields ${Object.keys(fields).join(', ')}`;

/** Names a mistake by the flags or the file that it came from; what is nowhere is asked for by flag. */
function inputLine({ path, text }: Mistake, flags: GivenFlags, file: LinkFile | undefined): string {
  const given = LINK_FLAGS.filter(
    ({ name, field = [] }) => isGiven(flags, name) && (startsWith(path, field) || startsWith(field, path)),
  );
  if (given.length > 0) return `${given.map(({ name }) => flagText(name)).join(', ')}: ${text}`;
  if (file !== undefined && Object.hasOwn(file.fields, String(path[0])))
    return `${file.path}: ${pathText(path)}: ${text}`;
  const asked = LINK_FLAGS.find(({ name, field = [] }) => isKnown(flags, name) && startsWith(field, path));
  if (asked === undefined) return `${pathText(path)}: ${text}`;
  return `${flagText(asked.name)}${file === undefined ? '' : ` (or ${pathText(path)} in ${file.path})`}: ${text}`;
}

const isKnown = ({ known }: GivenFlags, name: FlagName): boolean => known.includes(name);

const startsWith = (path: Path, start: Path): boolean =>
  start.length > 0 && start.every((step, index) => path[index] === step);
