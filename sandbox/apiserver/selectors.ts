// Label and field selectors of list and watch requests.
import { badRequest } from './status.ts';
import { isLabelValue, isQualifiedName } from './validation/names.ts';

export type Labels = Readonly<Record<string, string>>;
export type Selector = (labels: Labels) => boolean;

const SET_TERM = /^(\S+)\s+(in|notin)\s*\(([^()]*)\)$/;
const EQUALITY_TERM = /^([^=!\s]+)\s*(==|=|!=)\s*([^=!\s]*)$/;

/** @throws StatusError 400 for a selector that cannot be parsed */
export function parseLabelSelector(text: string): Selector {
  const terms = splitTerms(text).map((term) => parseTerm(term, text));
  return (labels) => terms.every((term) => term(labels));
}

/** Splits at commas outside brackets. */
function splitTerms(text: string): string[] {
  if (text.trim() === '') return [];
  return text.split(/,(?![^()]*\))/).map((term) => term.trim());
}

function parseTerm(term: string, text: string): Selector {
  const set = SET_TERM.exec(term);
  if (set !== null) return setTerm(set, text);
  const equality = EQUALITY_TERM.exec(term);
  if (equality !== null) return equalityTerm(equality, text);
  const absent = term.startsWith('!');
  const key = checkedKey(absent ? term.slice(1).trim() : term, text);
  return (labels) => key in labels !== absent;
}

/** "notin" and "!=" also select what does not have the key. */
function setTerm([, key = '', operator, list = '']: RegExpExecArray, text: string): Selector {
  const name = checkedKey(key, text);
  const values = list.split(',').map((value) => checkedValue(value.trim(), text));
  const wanted = operator === 'in';
  return (labels) => {
    const value = labels[name];
    return (value !== undefined && values.includes(value)) === wanted;
  };
}

function equalityTerm([, key = '', operator, value = '']: RegExpExecArray, text: string): Selector {
  const name = checkedKey(key, text);
  const expected = checkedValue(value, text);
  const wanted = operator !== '!=';
  return (labels) => (labels[name] === expected) === wanted;
}

const unparsable = (text: string, why: string): Error =>
  badRequest(`unable to parse requirement: ${why} (in "${text}")`);

function checkedKey(key: string, text: string): string {
  const [problem] = isQualifiedName(key);
  if (problem !== undefined) throw unparsable(text, `<nil>: Invalid value: "${key}": ${problem}`);
  return key;
}

function checkedValue(value: string, text: string): string {
  const [problem] = isLabelValue(value);
  if (problem !== undefined) throw unparsable(text, `values[0]: Invalid value: "${value}": ${problem}`);
  return value;
}

export interface FieldSelector {
  /** The one name that is asked for with metadata.name=, if any. */
  readonly name: string | undefined;
  readonly empty: boolean;
  matches(fields: Labels): boolean;
}

interface FieldTerm {
  readonly field: string;
  readonly equal: boolean;
  readonly value: string;
}

/**
 * @param selectable fields that the kind can be selected by
 * @throws StatusError 400 for a selector that cannot be parsed or names another field
 */
export function parseFieldSelector(text: string, selectable: readonly string[]): FieldSelector {
  const terms = text
    .split(',')
    .filter((term) => term !== '')
    .map(parseFieldTerm);
  const unknown = terms.find(({ field }) => !selectable.includes(field));
  if (unknown !== undefined) throw badRequest(`field label not supported: ${unknown.field}`);
  return {
    name: terms.find(({ field, equal }) => field === 'metadata.name' && equal)?.value,
    empty: terms.length === 0,
    matches: (fields) =>
      terms.every(({ field, equal, value }) => ((fields[field] ?? '') === value) === equal),
  };
}

function parseFieldTerm(term: string): FieldTerm {
  const match = /^(.*?)(!=|==|=)(.*)$/.exec(term);
  if (match === null) throw badRequest(`invalid selector: '${term}'; can't understand '${term}'`);
  const [, field = '', operator, value = ''] = match;
  return { field, equal: operator !== '!=', value };
}
