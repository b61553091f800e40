// Strategic merge patch: a merge patch that knows which lists merge by key ($patch, $deleteFromPrimitiveList, $retainKeys).
import { equal, isObject } from '../json.ts';
import type { ListSchema, Schema } from '../schema/schema.ts';
import { ANY } from '../schema/schema.ts';

const DELETE_FROM = '$deleteFromPrimitiveList/';
const ORDER = '$setElementOrder/';

interface KeyPatch {
  readonly key: string;
  readonly value: unknown;
  /** What $setElementOrder says about it. */
  readonly order: unknown;
}

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
      mergeKey(schema, merged, { key, value, order: patch[`${ORDER}${key}`] });
  }
  return retain(merged, patch.$retainKeys);
}

function mergeKey(schema: Schema, merged: Record<string, unknown>, { key, value, order }: KeyPatch): void {
  const inner = child(schema, key);
  if (value === null) delete merged[key];
  else if (Array.isArray(value) && inner.kind === 'list')
    merged[key] = mergeList(inner, merged[key], value, order);
  else merged[key] = strategicMerge(inner, merged[key], value);
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

function mergeList(schema: ListSchema, target: unknown, patch: unknown[], order?: unknown): unknown[] {
  const { patchKey } = schema;
  const current: unknown[] = Array.isArray(target) ? target : [];
  if (patchKey === undefined) return patch;
  const isSame = (left: unknown, right: unknown): boolean =>
    equal(keyOf(left, patchKey), keyOf(right, patchKey));
  const items = patchKey === '' ? patch : patch.filter(isObject);
  if (items.some((item) => isObject(item) && item.$patch === 'replace' && item[patchKey] === undefined)) {
    return items.filter((item) => !isObject(item) || item.$patch !== 'replace');
  }
  const kept = current.filter((item) => !items.some((one) => isDeletion(one) && isSame(one, item)));
  const merged = items
    .filter((item) => !isDeletion(item))
    .map((item) =>
      strategicMerge(
        schema.items,
        kept.find((one) => isSame(one, item)),
        item,
      ),
    );
  const rest = kept.filter((item) => !items.some((one) => isSame(one, item)));
  return arrange({
    patched: [...merged, ...rest],
    order: Array.isArray(order) ? order : merged,
    current,
    isSame,
  });
}

const keyOf = (item: unknown, key: string): unknown => (key !== '' && isObject(item) ? item[key] : item);
const isDeletion = (item: unknown): boolean => isObject(item) && item.$patch === 'delete';

interface Arrangement {
  readonly patched: readonly unknown[];
  /** The order of the items that the patch names. */
  readonly order: readonly unknown[];
  readonly current: readonly unknown[];
  readonly isSame: (left: unknown, right: unknown) => boolean;
}

/** Items that the patch names in its order; the others go before a named one only if they stood before it. */
function arrange({ patched, order, current, isSame }: Arrangement): unknown[] {
  const position = (list: readonly unknown[], item: unknown): number =>
    list.findIndex((one) => isSame(one, item));
  const named = order.flatMap((one) => patched.filter((item) => isSame(one, item)));
  const others = patched.filter((item) => position(order, item) === -1);
  const arranged: unknown[] = [];
  while (named.length > 0 && others.length > 0) {
    const [before, after] = [position(current, others[0]), position(current, named[0])];
    arranged.push(before >= 0 && after >= 0 && before < after ? others.shift() : named.shift());
  }
  return [...arranged, ...others, ...named];
}
