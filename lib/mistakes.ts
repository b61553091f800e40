// Turns what zod found wrong into mistakes for people: where, what was expected, what was found. Never zod's own words.
import * as z from 'zod';
import { fieldNames, optionsOf, schemaAt, type Schema } from './schema.ts';
import { nearest, quoted, shown } from './wording.ts';

export type Path = readonly PropertyKey[];

export interface Mistake {
  readonly path: Path;
  readonly text: string; // `expected …, got …`, or `unknown field, …`
}

type Issue = z.core.$ZodIssue;
type UnionIssue = z.core.$ZodIssueInvalidUnion;

/** One line: `field.path: expected …, got …`; the bare text when the whole is meant. */
export const mistakeLine = ({ path, text }: Mistake): string =>
  path.length === 0 ? text : `${pathText(path)}: ${text}`;

/** `gateway.addresses[0]`, and `selector.matchLabels["example.com/tier"]` for keys that hold dots. */
export const pathText = (path: Path): string =>
  path.map((step, index) => (index === 0 ? String(step) : stepText(step))).join('');

function stepText(step: PropertyKey): string {
  if (typeof step === 'number') return `[${step}]`;
  return /^\w+$/.test(String(step)) ? `.${String(step)}` : `[${quoted(String(step))}]`;
}

/** The mistakes of one input, in the order in which the schema lists its fields. */
export const mistakesOf = (issues: readonly Issue[], schema: Schema, input: unknown): Mistake[] =>
  issues.flatMap((issue) => mistakesOfIssue(issue, schema, input));

function mistakesOfIssue(issue: Issue, schema: Schema, input: unknown): Mistake[] {
  const here = schemaAt(schema, issue.path);
  const found = valueAt(input, issue.path);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => unknownField(issue.path, key, chosenOption(here, found)));
  }
  if (issue.code === 'invalid_union') return unionMistakes(issue, here, found);
  const key = issue.code === 'invalid_key' ? issue.path.at(-1) : undefined;
  const got = key === undefined ? shown(found) : shown(String(key));
  return [{ path: issue.path, text: `${expectedText(issue)}, got ${got}` }];
}

/** The option of a union that the value is, apart from fields that it does not know. */
const chosenOption = (schema: Schema | undefined, found: unknown): Schema | undefined =>
  optionsOf(schema).find((option) => {
    const issues = z.safeParse(option, found).error?.issues ?? [];
    return issues.every(({ code, path }) => code === 'unrecognized_keys' && path.length === 0);
  }) ?? schema;

function unknownField(path: Path, key: string, schema: Schema | undefined): Mistake {
  const known = fieldNames(schema);
  const meant = nearest(key, known);
  const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`;
  return { path: [...path, key], text: `unknown field${hint}, ${oneOf(known)}` };
}

/**
 * A value that fits no option of a union: when one option is clearly what was meant, its own mistakes; else what the union says
 * of itself. How far an option is from being meant: the number of its missing fields and of those that it does not know.
 */
function unionMistakes(issue: UnionIssue, union: Schema | undefined, found: unknown): Mistake[] {
  const rows = issue.errors
    .map((issues, index) => ({
      issues,
      option: optionsOf(union)[index],
      distance: distanceOf(issues, found),
    }))
    .sort((a, b) => a.distance - b.distance);
  const [best, second] = rows;
  const isClear = best !== undefined && best.distance < (second?.distance ?? Infinity);
  if (best?.option === undefined || !isClear || typeof found !== 'object') {
    const got = isFields(found) ? `the fields ${Object.keys(found).join(', ') || '(none)'}` : shown(found);
    return [{ path: issue.path, text: `${expectedText(issue)}, got ${got}` }];
  }
  return mistakesOf(best.issues, best.option, found).map(({ path, text }) => ({
    path: [...issue.path, ...path],
    text,
  }));
}

function distanceOf(issues: readonly Issue[], found: unknown): number {
  const weights = issues.map((issue) => {
    if (issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value')) {
      return Infinity; // not even the same kind of value
    }
    if (issue.code === 'unrecognized_keys') return issue.keys.length;
    return issue.code === 'invalid_type' && valueAt(found, issue.path) === undefined ? 1 : 0;
  });
  return weights.reduce((sum, weight) => sum + weight, 0);
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'fields',
  record: 'keys with values',
};

/** `expected …`: the schema's own words where it has some, else words made from the rule that was broken. */
function expectedText(issue: Issue): string {
  if (issue.message.startsWith('expected ')) return issue.message;
  if (issue.code === 'invalid_type') return `expected ${TYPE_WORDS[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value') return oneOf(issue.values.map(String));
  if (issue.code === 'too_small') return `expected ${sizeText(issue.origin, `at least ${issue.minimum}`)}`;
  if (issue.code === 'too_big') return `expected ${sizeText(issue.origin, `at most ${issue.maximum}`)}`;
  const ofKey = issue.code === 'invalid_key' ? issue.issues[0] : undefined;
  return ofKey === undefined ? 'expected another value' : expectedText(ofKey);
}

const oneOf = (words: readonly string[]): string =>
  `expected ${words.length > 1 ? 'one of ' : ''}${words.join(', ')}`;

function sizeText(origin: string, amount: string): string {
  if (origin === 'string') return `${amount} characters`;
  return origin === 'array' ? `${amount} in the list` : amount;
}

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function valueAt(input: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, step)
        ? Reflect.get(value, step)
        : undefined,
    input,
  );
}
