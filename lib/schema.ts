// Walks a zod schema: which fields it knows, what stands at a path, and an input without the fields it does not know.
import * as z from 'zod';

export type Schema = z.core.$ZodType;

/** The schema below defaults and "may be absent". */
export function bare(schema: Schema): Schema {
  const isWrapped =
    schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional;
  return isWrapped ? bare(schema.unwrap()) : schema;
}

/** The options of a union; a single row with the schema itself when it is none. */
export function optionsOf(schema: Schema | undefined): readonly Schema[] {
  if (schema === undefined) return [];
  const inner = bare(schema);
  return inner instanceof z.ZodUnion ? inner.options : [inner];
}

/** The fields of an object schema, those of every option for a union, in their order. */
export function fieldsOf(schema: Schema | undefined): ReadonlyMap<string, Schema> {
  const fields = optionsOf(schema).flatMap((option) =>
    option instanceof z.ZodObject ? Object.entries<Schema>(option.shape) : [],
  );
  return new Map(fields);
}

export const fieldNames = (schema: Schema | undefined): string[] => [...fieldsOf(schema).keys()];

/** The schema of what stands at `path`; undefined where the schema knows nothing. */
export const schemaAt = (schema: Schema, path: readonly PropertyKey[]): Schema | undefined =>
  path.reduce<Schema | undefined>((found, step) => found && schemaBelow(found, step), schema);

function schemaBelow(schema: Schema, step: PropertyKey): Schema | undefined {
  const inner = bare(schema);
  if (inner instanceof z.ZodArray) return inner.element;
  if (inner instanceof z.ZodRecord) return inner.valueType;
  return fieldsOf(inner).get(String(step));
}

/** A copy of `input` without the fields that the schema does not know, at any depth. */
export function withoutUnknownFields(input: unknown, schema: Schema | undefined): unknown {
  if (schema === undefined || typeof input !== 'object' || input === null) return input;
  const inner = bare(schema);
  if (Array.isArray(input)) {
    return input.map((item) => withoutUnknownFields(item, schemaBelow(inner, 0)));
  }
  const fields = fieldsOf(inner);
  if (fields.size === 0) return input;
  return Object.fromEntries(
    Object.entries(input)
      .filter(([key]) => fields.has(key))
      .map(([key, value]) => [key, withoutUnknownFields(value, fields.get(key))]),
  );
}
