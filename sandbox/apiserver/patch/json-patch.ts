// JSON patch, RFC 6902.
import { clone, equal, isObject, trusted } from '../json.ts';

export interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** An operation that cannot be applied. */
export class JsonPatchError extends Error {}

export function applyJsonPatch(target: unknown, operations: readonly Operation[]): unknown {
  const root = { root: clone(target) };
  for (const operation of operations) applyOne(root, operation);
  return root.root;
}

type Root = Record<string, unknown>;

function applyOne(root: Root, { op, path, from = '', value }: Operation): void {
  switch (op) {
    case 'add':
      return add(root, path, value);
    case 'remove':
      return remove(root, path, op);
    case 'replace':
      read(root, path, op);
      return set(root, path, value);
    case 'copy':
      return add(root, path, clone(read(root, from, op)));
    case 'move': {
      const moved = read(root, from, op);
      remove(root, from, op);
      return add(root, path, moved);
    }
    case 'test':
      if (equal(find(root, path), value)) return;
      throw new JsonPatchError(`testing value ${path} failed: test failed`);
    default:
      throw new JsonPatchError(`Unexpected kind: ${op}`);
  }
}

const tokens = (path: string): string[] => [
  'root',
  ...path
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~')),
];

function find(root: Root, path: string): unknown {
  return tokens(path).reduce<unknown>((value, token) => step(value, token), root);
}

function step(value: unknown, token: string): unknown {
  if (Array.isArray(value)) return value[Number(token)];
  return isObject(value) ? value[token] : undefined;
}

const missing = (op: string, path: string): JsonPatchError =>
  new JsonPatchError(`${op} operation does not apply: doc is missing path: "${path}": missing value`);

function read(root: Root, path: string, op: string): unknown {
  const value = find(root, path);
  if (value === undefined) throw missing(op, path);
  return value;
}

/** The container of a path and its last token. */
function parent(root: Root, path: string, op: string): { container: unknown; token: string } {
  const all = tokens(path);
  const token = all.pop() ?? '';
  const container = all.reduce<unknown>((value, part) => step(value, part), root);
  if (container === undefined || container === null) throw missing(op, path);
  return { container, token };
}

function add(root: Root, path: string, value: unknown): void {
  const { container, token } = parent(root, path, 'add');
  if (!Array.isArray(container)) return set(root, path, value);
  const index = token === '-' ? container.length : Number(token);
  if (!Number.isInteger(index) || index < 0 || index > container.length) {
    throw new JsonPatchError(`add operation does not apply: doc is missing path: "${path}": invalid index`);
  }
  container.splice(index, 0, clone(value));
}

function set(root: Root, path: string, value: unknown): void {
  const { container, token } = parent(root, path, 'replace');
  trusted<Record<string, unknown>>(container)[token] = clone(value);
}

function remove(root: Root, path: string, op: string): void {
  read(root, path, op);
  const { container, token } = parent(root, path, op);
  if (Array.isArray(container)) container.splice(Number(token), 1);
  else delete trusted<Record<string, unknown>>(container)[token];
}
