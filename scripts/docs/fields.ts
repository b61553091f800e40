// The table of link document fields, from the schema that checks them.
import { stringify } from 'yaml';
import * as z from 'zod';
import { mistakesOf } from '../../lib/mistakes.ts';
import { linkSchema } from '../../lib/model/link.ts';
import { bare, fieldsOf, optionsOf, type Schema } from '../../lib/schema.ts';

interface Row {
  readonly path: string;
  readonly form: string;
  readonly standard: string; // the default
  readonly about: string;
}

/** A Markdown table with one row per field, inner fields after their outer one. */
export function fieldTable(): string {
  const rows = rowsOf(linkSchema, '', new Map());
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [
    line(['Field', 'Form', 'Default', 'Meaning']),
    '|---|---|---|---|',
    ...rows.map(({ path, form, standard, about }) => line([`\`${path}\``, form, standard, about])),
  ].join('\n');
}

/** @param seen objects with their first path: their fields are listed once */
function rowsOf(schema: Schema, outer: string, seen: Map<Schema, string>): Row[] {
  return [...fieldsOf(schema)].flatMap(([name, field]) => {
    const path = outer === '' ? name : `${outer}.${name}`;
    const inner = bare(field);
    const first = seen.get(inner);
    const row = {
      path,
      form: first === undefined ? formOf(field) : `as \`${first}\``,
      standard: defaultOf(field) ?? (optionsOf(schema).length > 1 ? 'required in this form' : 'required'),
      about: aboutOf(field),
    };
    if (first !== undefined) return [row];
    if (fieldsOf(inner).size > 0) seen.set(inner, path);
    const items = inner instanceof z.ZodArray ? rowsOf(inner.element, `${path}[]`, seen) : [];
    return [row, ...rowsOf(inner, path, seen), ...items];
  });
}

/** What a message would say is expected: the schema's own words. */
export function formOf(schema: Schema): string {
  const inner = bare(schema);
  if (inner instanceof z.ZodArray)
    return `list: ${fieldsOf(inner.element).size > 0 ? 'fields' : wordsFor(inner.element)}`;
  if (inner instanceof z.ZodRecord)
    return `keys (${wordsFor(inner.keyType)}) with values (${wordsFor(inner.valueType)})`;
  return wordsFor(inner);
}

/** No field takes a symbol, so this one always meets the message of the schema. */
const NEVER_RIGHT = Symbol('never right');

function wordsFor(schema: Schema): string {
  const issues = z.safeParse(schema, NEVER_RIGHT).error?.issues ?? [];
  const text = mistakesOf(issues, schema, NEVER_RIGHT)[0]?.text ?? '';
  return text.replace(/^expected /, '').replace(/, got [^,]*$/, '');
}

/** Text for the table; undefined when the field must be there. */
function defaultOf(schema: Schema): string | undefined {
  if (schema instanceof z.ZodOptional) return '';
  if (!(schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)) return undefined;
  const value: unknown = schema.def.defaultValue;
  const isOfFields = fieldsOf(schema).size > 0 && JSON.stringify(value) === '{}';
  return isOfFields ? '' : `\`${stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim()}\``;
}

/** What the schema says of itself. */
export const aboutOf = (schema: Schema): string =>
  schema instanceof z.ZodType ? (schema.description ?? '') : '';
