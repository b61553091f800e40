// Strategic merge patch: a merge patch that knows which lists merge by key ($patch, $deleteFromPrimitiveList, $retainKeys).
import { equal, isObject } from '../json.ts';
import type { ListSchema, Schema } from '../schema/schema.ts';
import { ANY } from '../schema/schema.ts';

const DELETE_FROM = '$deleteFromPrimitiveList/';
const ORDER = '$setElementOrder/';

/** Merges by the schema; lists without a patch key are replaced. */
export function strategicMerge(schema: Schema, target: unknown, patch: unknown): unknown {
  if (Array.isArray(patch)) return schema.kind === 'list' ? mergeList(schema, target, patch) : patch;
  if (!isObject(patch)) return patch;
  if (patch.$patch === 'replace') return without(patch, '$patch');
  if (patch.$patch === 'delete') return {};
  const merged: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith(DELETE_FROM)) deleteValues(merged, key.slice(DELETE_FROM.length), value);
    else if (key !== '$patch' && key !== '$retainKeys' && !key.startsWith(ORDER))
      mergeKey(schema, merged, [key, value]);
  }
  return retain(merged, patch.$retainKeys);
}

function mergeKey(schema: Schema, merged: Record<string, unknown>, [key, value]: [string, unknown]): void {
  if (value === null) delete merged[key];
  else merged[key] = strategicMerge(child(schema, key), merged[key], value);
}

const child = (schema: Schema, key: string): Schema => {
  if (schema.kind === 'object') return schema.fields[key]?.schema ?? ANY;
  return schema.kind === 'map' ? schema.values : ANY;
};

const without = (value: Record<string, unknown>, key: string): Record<string, unknown> => {
  const { [key]: _dropped, ...rest } = value;
  return rest;
};

function retain(merged: Record<string, unknown>, keys: unknown): Record<string, unknown> {
  if (!Array.isArray(keys)) return merged;
  return Object.fromEntries(Object.entries(merged).filter(([key]) => keys.includes(key)));
}

function deleteValues(merged: Record<string, unknown>, key: string, values: unknown): void {
  const list = merged[key];
  if (!Array.isArray(list) || !Array.isArray(values)) return;
  merged[key] = list.filter((item) => !values.some((value) => equal(value, item)));
}

function mergeList(schema: ListSchema, target: unknown, patch: unknown[]): unknown[] {
  const { patchKey } = schema;
  const current: unknown[] = Array.isArray(target) ? target : [];
  if (patchKey === undefined) return patch;
  if (patchKey === '')
    return [...current, ...patch.filter((item) => !current.some((known) => equal(known, item)))];
  const items = patch.filter(isObject);
  if (items.some((item) => item.$patch === 'replace' && item[patchKey] === undefined)) {
    return items.filter((item) => item.$patch !== 'replace');
  }
  const merged = current.map((item) => mergeItem(schema, item, items)).filter((item) => item !== undefined);
  const known = new Set(current.filter(isObject).map((item) => item[patchKey]));
  return [
    ...merged,
    ...items.filter((item) => item.$patch !== 'delete' && !known.has(item[patchKey] ?? null)),
  ];
}

function mergeItem(schema: ListSchema, item: unknown, patches: readonly Record<string, unknown>[]): unknown {
  const key = schema.patchKey ?? '';
  const patch = patches.find((candidate) => isObject(item) && equal(candidate[key], item[key]));
  if (patch === undefined) return item;
  return patch.$patch === 'delete' ? undefined : strategicMerge(schema.items, item, patch);
}
