// The API's JSON as it arrives: everything may be absent, and Go writes an empty list or map as null.
export type Raw<T> = { readonly [K in keyof T]?: T[K] | null };

export const listOf = <T>(items: readonly T[] | null | undefined): readonly T[] => items ?? [];

/** The value as a field to spread in: absent, null and empty text leave the field out. */
export function optional<K extends string, V>(name: K, value: V | null | undefined): Partial<Record<K, V>>;
export function optional(name: string, value: unknown): object {
  return value === undefined || value === null || value === '' ? {} : { [name]: value };
}
