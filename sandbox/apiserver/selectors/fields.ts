// Field selectors of list and watch requests: equality of the few fields that a kind offers.
import { badRequest } from '../status.ts';
import type { ResourceType } from '../types.ts';

export interface FieldSelector {
  readonly empty: boolean;
  matches(fields: Readonly<Record<string, string>>): boolean;
}

interface Term {
  readonly field: string;
  readonly equal: boolean;
  readonly value: string;
}

/** Kinds without fields of their own word the refusal differently. */
const DEFAULT_FIELDS = ['metadata.name', 'metadata.namespace'];

/**
 * @param selectable fields that the kind can be selected by
 * @throws StatusError 400 for a selector that cannot be parsed or names another field
 */
export function parseFieldSelector(
  type: ResourceType,
  text: string,
  selectable: readonly string[],
): FieldSelector {
  const terms = text
    .split(',')
    .filter((term) => term !== '')
    .map((term) => parseTerm(term, text));
  const unknown = terms.find(({ field }) => !selectable.includes(field));
  if (unknown !== undefined) throw unknownField(type, unknown.field, selectable);
  return {
    empty: terms.length === 0,
    matches: (fields) =>
      terms.every(({ field, equal, value }) => ((fields[field] ?? '') === value) === equal),
  };
}

function parseTerm(term: string, text: string): Term {
  const match = /^(.*?)(!=|==|=)(.*)$/.exec(term);
  if (match === null) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
  const [, field = '', operator, value = ''] = match;
  return { field, equal: operator !== '!=', value };
}

function unknownField({ custom }: ResourceType, field: string, selectable: readonly string[]): Error {
  const own = selectable.some((name) => !DEFAULT_FIELDS.includes(name));
  if (own || custom) return badRequest(`field label not supported: ${field}`);
  const known = DEFAULT_FIELDS.map((name) => `"${name}"`).join(', ');
  return badRequest(`"${field}" is not a known field selector: only ${known}`);
}
