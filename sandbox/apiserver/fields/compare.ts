// Which fields one version of an object adds, removes and modifies against another.
import { equal, isObject } from '../json.ts';
import type { ListSchema, ObjectSchema, Schema } from '../schema/schema.ts';
import { ANY } from '../schema/schema.ts';
import { emptySet, insert } from './field-set.ts';
import type { FieldSet } from './field-set.ts';

export interface Comparison {
  readonly added: FieldSet;
  readonly removed: FieldSet;
  readonly modified: FieldSet;
}

/** Compares by the schema: atomic parts count as one leaf, keyed lists item by item. */
export function compare(schema: ObjectSchema, left: unknown, right: unknown): Comparison {
  const comparison = { added: emptySet(), removed: emptySet(), modified: emptySet() };
  children(schema, { left, right, path: [], comparison });
  return comparison;
}

/** Two values at one path; undefined means that the side does not have it. */
interface Pair {
  readonly left: unknown;
  readonly right: unknown;
  readonly path: readonly string[];
  readonly comparison: Comparison;
}

function visit(schema: Schema, pair: Pair): void {
  if (pair.left === pair.right && pair.left !== undefined) return;
  if (isLeaf(schema, pair)) {
    leaf(pair);
    return;
  }
  if (pair.left === undefined) insert(pair.comparison.added, pair.path);
  else if (pair.right === undefined) insert(pair.comparison.removed, pair.path);
  children(schema, pair);
}

function leaf({ left, right, path, comparison }: Pair): void {
  if (left === undefined) insert(comparison.added, path);
  else if (right === undefined) insert(comparison.removed, path);
  else if (!equal(left, right)) insert(comparison.modified, path);
}

const size = (value: unknown): number => {
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : 0;
};

/** Empty collections on both sides are leaves, so that an empty one can be owned. */
function isLeaf(schema: Schema, { left, right }: Pair): boolean {
  switch (schema.kind) {
    case 'scalar':
      return true;
    case 'any':
      return !isObject(left ?? right) || size(left) + size(right) === 0;
    case 'list':
      return schema.type === 'atomic' || size(left) + size(right) === 0;
    case 'map':
    case 'object':
      return schema.atomic || size(left) + size(right) === 0;
  }
}

function children(schema: Schema, pair: Pair): void {
  if (schema.kind === 'list') items(schema, pair);
  else fields(schema, pair);
}

const valueSchema = (schema: Schema, name: string): Schema => {
  if (schema.kind === 'object') return schema.fields[name]?.schema ?? ANY;
  return schema.kind === 'map' ? schema.values : ANY;
};

function fields(schema: Schema, { left, right, path, comparison }: Pair): void {
  const before = isObject(left) ? left : {};
  const after = isObject(right) ? right : {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    visit(valueSchema(schema, name), {
      left: before[name],
      right: after[name],
      path: [...path, `f:${name}`],
      comparison,
    });
  }
}

function items(schema: ListSchema, { left, right, path, comparison }: Pair): void {
  const before = index(schema, left);
  const after = index(schema, right);
  for (const element of new Set([...before.keys(), ...after.keys()])) {
    visit(schema.items, {
      left: before.get(element),
      right: after.get(element),
      path: [...path, element],
      comparison,
    });
  }
}

/** The items of a list by path element. Of two with the same key the first counts. */
function index(schema: ListSchema, value: unknown): Map<string, unknown> {
  const indexed = new Map<string, unknown>();
  for (const item of Array.isArray(value) ? value : []) {
    const element = pathElement(schema, item);
    if (!indexed.has(element)) indexed.set(element, item);
  }
  return indexed;
}

function pathElement(schema: ListSchema, item: unknown): string {
  if (typeof schema.type !== 'object') return `v:${JSON.stringify(item)}`;
  const keys: Record<string, unknown> = {};
  // Sorted, as the path element of a real server is.
  for (const key of schema.type.keys.toSorted()) keys[key] = isObject(item) ? item[key] : undefined;
  return `k:${JSON.stringify(keys)}`;
}
