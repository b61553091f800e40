// Reads untrusted JSON by a schema: unknown fields go, empty fields take their printed form, wrong types are errors.
import { isObject } from '../json.ts';
import type { Field, ListSchema, ObjectSchema, ScalarType, Schema } from './schema.ts';

/** A value of the wrong type; the message is the part after "json: ". */
export class DecodeError extends Error {}

export interface Decoded {
  readonly value: Record<string, unknown>;
  /** Paths of the fields that the kind does not have. */
  readonly unknown: readonly string[];
}

/** Reads an object of a kind. `apiVersion` and `kind` are the caller's to check. */
export function decodeObject(schema: ObjectSchema, raw: Record<string, unknown>, kind: string): Decoded {
  const reader = new Reader(kind);
  const value = reader.object(schema, raw, '');
  return { value, unknown: reader.unknown };
}

class Reader {
  readonly unknown: string[] = [];
  readonly #kind: string;
  constructor(kind: string) {
    this.#kind = kind;
  }

  read(schema: Schema, raw: unknown, path: string): unknown {
    switch (schema.kind) {
      case 'any':
        return raw;
      case 'scalar':
        return this.scalar(schema.type, raw, path);
      case 'object':
        return this.object(schema, raw, path);
      case 'map':
        return this.map(schema.values, raw, path);
      case 'list':
        return this.list(schema, raw, path);
    }
  }

  object(schema: ObjectSchema, raw: unknown, path: string): Record<string, unknown> {
    if (raw === null || raw === undefined) return this.object(schema, {}, path);
    if (!isObject(raw)) throw this.mismatch(raw, path, 'struct');
    const value: Record<string, unknown> = {};
    for (const name in schema.fields) {
      const field = schema.fields[name];
      if (field === undefined) continue;
      const read = this.field(field, raw[name], path === '' ? name : `${path}.${name}`);
      if (read !== undefined) value[name] = read;
    }
    for (const name in raw) if (schema.fields[name] === undefined) this.extra(name, path);
    return value;
  }

  extra(name: string, path: string): void {
    if (path === '' && (name === 'apiVersion' || name === 'kind')) return;
    this.unknown.push(path === '' ? name : `${path}.${name}`);
  }

  field(field: Field, raw: unknown, path: string): unknown {
    if (raw === undefined || raw === null) {
      if (field.presence !== 'always') return undefined;
      return field.zero === undefined ? this.read(field.schema, undefined, path) : field.zero;
    }
    const value = this.read(field.schema, raw, path);
    return field.presence === 'omit' && isEmpty(value) ? undefined : value;
  }

  map(values: Schema, raw: unknown, path: string): Record<string, unknown> {
    if (!isObject(raw)) throw this.mismatch(raw, path, 'map[string]string');
    const value: Record<string, unknown> = {};
    for (const key in raw) value[key] = raw[key] === null ? '' : this.read(values, raw[key], path);
    return value;
  }

  list(schema: ListSchema, raw: unknown, path: string): unknown[] {
    if (!Array.isArray(raw)) throw this.mismatch(raw, path, 'slice');
    return raw.map((item, index) => this.read(schema.items, item, `${path}[${index}]`));
  }

  scalar(type: ScalarType, raw: unknown, path: string): unknown {
    switch (type) {
      case 'string':
        if (typeof raw !== 'string') throw this.mismatch(raw, path, 'string');
        return raw;
      case 'boolean':
        if (typeof raw !== 'boolean') throw this.mismatch(raw, path, 'bool');
        return raw;
      case 'int32':
      case 'int64':
        return this.integer(type, raw, path);
      case 'intOrString':
        return typeof raw === 'string' ? raw : this.integer('int32', raw, path);
      case 'bytes':
        return this.bytes(raw, path);
      case 'time':
        return seconds(this.text(raw, path));
      case 'microTime':
        return microseconds(this.text(raw, path));
    }
  }

  text(raw: unknown, path: string): string {
    if (typeof raw !== 'string') throw this.mismatch(raw, path, 'string');
    return raw;
  }

  integer(type: 'int32' | 'int64', raw: unknown, path: string): number {
    if (typeof raw !== 'number') throw this.mismatch(raw, path, type);
    const limit = type === 'int32' ? 2 ** 31 : 2 ** 63;
    if (Number.isInteger(raw) && raw >= -limit && raw < limit) return raw;
    throw this.mismatch(raw, path, type);
  }

  bytes(raw: unknown, path: string): string {
    const text = this.text(raw, path);
    if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) {
      throw new DecodeError('illegal base64 data at input byte 0');
    }
    return text;
  }

  mismatch(raw: unknown, path: string, type: string): DecodeError {
    const fieldPath = path.replaceAll(/\[\d+\]/g, '');
    return new DecodeError(
      `json: cannot unmarshal ${describe(raw)} into Go struct field ${this.#kind}.${fieldPath} of type ${type}`,
    );
  }
}

function describe(raw: unknown): string {
  if (Array.isArray(raw)) return 'array';
  if (typeof raw === 'number') return Number.isInteger(raw) ? 'number' : `number ${raw}`;
  if (typeof raw === 'boolean') return 'bool';
  return typeof raw;
}

function isEmpty(value: unknown): boolean {
  if (value === '' || value === 0 || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

const RFC3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** metav1.Time: fractions are accepted and dropped, the zone becomes UTC. */
function seconds(text: string): string {
  const match = RFC3339.exec(text);
  if (match === null) throw notATime(text, '2006-01-02T15:04:05Z07:00');
  return new Date(`${match[1]}${match[3]}`).toISOString().replace('.000Z', 'Z');
}

/** metav1.MicroTime: exactly six digits of fraction, or it is refused (Go's time.Parse with a .000000 layout). */
function microseconds(text: string): string {
  const match = RFC3339.exec(text);
  if (match?.[2]?.length !== 7) throw notATime(text, '2006-01-02T15:04:05.000000Z07:00');
  return new Date(`${match[1]}${match[3]}`).toISOString().replace('.000Z', `${match[2]}Z`);
}

const notATime = (text: string, layout: string): DecodeError =>
  new DecodeError(`parsing time "${text}" as "${layout}": cannot parse`);
