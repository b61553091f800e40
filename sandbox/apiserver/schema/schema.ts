// A small schema language: enough to read, prune, compare and merge the kinds served here as a typed API server does.

/** How a list merges: as a whole, as a set of values, or item by item by these keys. */
export type ListType = 'atomic' | 'set' | { readonly keys: readonly string[] };

export type ScalarType =
  | 'string'
  | 'boolean'
  | 'int32'
  | 'int64'
  | 'intOrString'
  | 'time'
  | 'microTime'
  | 'bytes';

export type Schema =
  | { readonly kind: 'scalar'; readonly type: ScalarType }
  | ObjectSchema
  | { readonly kind: 'map'; readonly values: Schema; readonly atomic: boolean }
  | ListSchema
  /** Anything, kept as it is (custom resources). */
  | { readonly kind: 'any' };

export interface ObjectSchema {
  readonly kind: 'object';
  /** The name of its Go type, which messages about wrong types show. */
  readonly name: string;
  readonly fields: Readonly<Record<string, Field>>;
  readonly atomic: boolean;
}

export interface ListSchema {
  readonly kind: 'list';
  readonly items: Schema;
  readonly type: ListType;
  /** Merge key of a strategic merge patch; '' merges values; absent replaces the list. */
  readonly patchKey?: string;
}

/**
 * How an absent or empty field is printed.
 * - omit: left out when empty (a Go value with omitempty)
 * - pointer: left out when absent, kept when empty (a Go pointer)
 * - always: printed with its zero value (a Go struct, or no omitempty)
 */
export type Presence = 'omit' | 'pointer' | 'always';

export interface Field {
  readonly schema: Schema;
  readonly presence: Presence;
  /** Printed for an absent field with presence `always`. */
  readonly zero?: null | string | number;
}

const scalar = (type: ScalarType): Schema => ({ kind: 'scalar', type });
export const STRING = scalar('string');
export const BOOLEAN = scalar('boolean');
export const INT32 = scalar('int32');
export const INT64 = scalar('int64');
export const INT_OR_STRING = scalar('intOrString');
export const TIME = scalar('time');
export const MICRO_TIME = scalar('microTime');
export const BYTES = scalar('bytes');
export const ANY: Schema = { kind: 'any' };

export const omit = (schema: Schema): Field => ({ schema, presence: 'omit' });
export const pointer = (schema: Schema): Field => ({ schema, presence: 'pointer' });
export const always = (schema: Schema, zero?: null | string | number): Field =>
  zero === undefined ? { schema, presence: 'always' } : { schema, presence: 'always', zero };

export const object = (name: string, fields: Readonly<Record<string, Field>>): ObjectSchema => ({
  kind: 'object',
  name,
  fields,
  atomic: false,
});
export const atomicObject = (name: string, fields: Readonly<Record<string, Field>>): ObjectSchema => ({
  kind: 'object',
  name,
  fields,
  atomic: true,
});
export const map = (values: Schema): Schema => ({ kind: 'map', values, atomic: false });
export const atomicMap = (values: Schema): Schema => ({ kind: 'map', values, atomic: true });
export const list = (items: Schema): ListSchema => ({ kind: 'list', items, type: 'atomic' });
export const setOf = (items: Schema): ListSchema => ({ kind: 'list', items, type: 'set' });
/** A list merged by keys; `patchKey` is what strategic merge patches go by. */
export const keyed = (items: Schema, keys: readonly string[], patchKey: string): ListSchema => ({
  kind: 'list',
  items,
  type: { keys },
  patchKey,
});
