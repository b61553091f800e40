// Sets of field paths as a tree: what managedFields stores as fieldsV1.
import { isObject } from '../json.ts';
import type { JsonObject } from '../json.ts';

/**
 * One node of a set. Children are keyed by path element as it is written: `f:name`, `k:{"port":80}`, `v:"x"`.
 * `member` says that the path ending here is itself in the set.
 */
export interface FieldSet {
  member: boolean;
  readonly children: Map<string, FieldSet>;
}

export const emptySet = (): FieldSet => ({ member: false, children: new Map() });

export const isEmptySet = (set: FieldSet): boolean => !set.member && set.children.size === 0;

/** Adds a path, creating the nodes on the way. */
export function insert(set: FieldSet, path: readonly string[]): void {
  let node = set;
  for (const element of path) {
    let child = node.children.get(element);
    if (child === undefined) {
      child = emptySet();
      node.children.set(element, child);
    }
    node = child;
  }
  node.member = true;
}

/** Paths in either. */
export function union(left: FieldSet, right: FieldSet): FieldSet {
  const result: FieldSet = { member: left.member || right.member, children: new Map() };
  for (const [element, child] of left.children) {
    const other = right.children.get(element);
    result.children.set(element, other === undefined ? child : union(child, other));
  }
  for (const [element, child] of right.children) {
    if (!left.children.has(element)) result.children.set(element, child);
  }
  return result;
}

/** Paths of left that are not in right; a path below one of right stays. */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  const result: FieldSet = { member: left.member && !right.member, children: new Map() };
  for (const [element, child] of left.children) {
    const other = right.children.get(element);
    const rest = other === undefined ? child : difference(child, other);
    if (!isEmptySet(rest)) result.children.set(element, rest);
  }
  return result;
}

/** Takes away these top-level fields with everything below them. */
export function withoutFields(set: FieldSet, names: readonly string[]): FieldSet {
  const children = new Map(set.children);
  for (const name of names) children.delete(`f:${name}`);
  return { member: set.member, children };
}

/** Reads fieldsV1. */
export function parseSet(fields: JsonObject): FieldSet {
  const set = emptySet();
  const elements = Object.keys(fields).filter((element) => element !== '.');
  for (const element of elements) {
    const child = fields[element];
    const node = parseSet(isObject(child) ? child : {});
    // A leaf is written as {}; a node that has children is a member only when "." says so.
    if (node.children.size === 0) node.member = true;
    set.children.set(element, node);
  }
  set.member = '.' in fields;
  return set;
}

/** Writes fieldsV1. */
export function printSet(set: FieldSet): JsonObject {
  const fields: JsonObject = {};
  if (set.member && set.children.size > 0) fields['.'] = {};
  for (const element of [...set.children.keys()].toSorted()) {
    const child = set.children.get(element);
    if (child !== undefined) fields[element] = printSet(child);
  }
  return fields;
}
