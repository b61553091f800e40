// Reads untrusted JSON by a schema: unknown fields go, empty fields take their printed form, wrong types are errors.
import { isObject } from '../json.ts';
import type { Field, ListSchema, ObjectSchema, ScalarType, Schema } from './schema.ts';

/** A value of the wrong type, in the words of Go's JSON decoder. */
export class DecodeError extends Error {}

export interface Decoded {
  readonly value: Record<string, unknown>;
  /** Paths of the fields that the kind does not have. */
  readonly unknown: readonly string[];
}

/** Reads an object of a kind. `apiVersion` and `kind` are the caller's to check. */
export function decodeObject(schema: ObjectSchema, raw: Record<string, unknown>): Decoded {
  const reader = new Reader();
  const value = reader.object(schema, raw, { path: '', owner: schema.name });
  return { value, unknown: reader.unknown };
}

/** Where in the object a value stands, and the Go type that has the field. */
interface Place {
  readonly path: string;
  readonly owner: string;
}

class Reader {
  readonly unknown: string[] = [];

  read(schema: Schema, raw: unknown, place: Place): unknown {
    switch (schema.kind) {
      case 'any':
        return raw;
      case 'scalar':
        return scalar(schema.type, raw, place);
      case 'object':
        return this.object(schema, raw, place);
      case 'map':
        return this.map(schema.values, raw, place);
      case 'list':
        return this.list(schema, raw, place);
    }
  }

  object(schema: ObjectSchema, raw: unknown, place: Place): Record<string, unknown> {
    const given = raw ?? {};
    if (!isObject(given)) throw mismatch(given, place, goType(schema));
    const value: Record<string, unknown> = {};
    for (const name in schema.fields) {
      const field = schema.fields[name];
      if (field === undefined) continue;
      const read = this.field(field, given[name], { path: join(place.path, name), owner: schema.name });
      if (read !== undefined) value[name] = read;
    }
    for (const name in given) if (schema.fields[name] === undefined) this.extra(name, place.path);
    return value;
  }

  extra(name: string, path: string): void {
    if (path === '' && (name === 'apiVersion' || name === 'kind')) return;
    this.unknown.push(join(path, name));
  }

  field(field: Field, raw: unknown, place: Place): unknown {
    if (raw === undefined || raw === null) {
      if (field.presence !== 'always') return undefined;
      return field.zero === undefined ? this.read(field.schema, undefined, place) : field.zero;
    }
    const value = this.read(field.schema, raw, place);
    return field.presence === 'omit' && isEmpty(value) ? undefined : value;
  }

  map(values: Schema, raw: unknown, place: Place): Record<string, unknown> {
    if (!isObject(raw)) throw mismatch(raw, place, `map[string]${goType(values)}`);
    const value: Record<string, unknown> = {};
    for (const key in raw) value[key] = raw[key] === null ? '' : this.read(values, raw[key], place);
    return value;
  }

  list(schema: ListSchema, raw: unknown, { path, owner }: Place): unknown[] {
    if (!Array.isArray(raw)) throw mismatch(raw, { path, owner }, goType(schema));
    return raw.map((item, index) => this.read(schema.items, item, { path: `${path}[${index}]`, owner }));
  }
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

function scalar(type: ScalarType, raw: unknown, place: Place): unknown {
  switch (type) {
    case 'string':
      return text(raw, place);
    case 'boolean':
      if (typeof raw !== 'boolean') throw mismatch(raw, place, 'bool');
      return raw;
    case 'int32':
    case 'int64':
      return integer(type, raw, place);
    case 'intOrString':
      return typeof raw === 'string' ? raw : integer('int32', raw, place);
    case 'bytes':
      return bytes(text(raw, place));
    case 'time':
      return seconds(text(raw, place));
    case 'microTime':
      return microseconds(text(raw, place));
  }
}

function text(raw: unknown, place: Place): string {
  if (typeof raw !== 'string') throw mismatch(raw, place, 'string');
  return raw;
}

function integer(type: 'int32' | 'int64', raw: unknown, place: Place): number {
  if (typeof raw !== 'number') throw mismatch(raw, place, type);
  const limit = type === 'int32' ? 2 ** 31 : 2 ** 63;
  if (Number.isInteger(raw) && raw >= -limit && raw < limit) return raw;
  throw mismatch(raw, place, type, String(raw));
}

function bytes(encoded: string): string {
  if (/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(encoded)) return encoded;
  throw new DecodeError('illegal base64 data at input byte 0');
}

/** Which Go type a schema stands for. */
function goType(schema: Schema): string {
  switch (schema.kind) {
    case 'object':
      return `v1.${schema.name}`;
    case 'list':
      return `[]${goType(schema.items)}`;
    case 'map':
      return `map[string]${goType(schema.values)}`;
    case 'scalar':
      return schema.type === 'boolean' ? 'bool' : schema.type;
    case 'any':
      return 'interface {}';
  }
}

/** @param shown the value itself, for numbers of the right kind that do not fit */
function mismatch(raw: unknown, { path, owner }: Place, type: string, shown?: string): DecodeError {
  const field = `${owner}.${path.replaceAll(/\[\d+\]/g, '')}`;
  const what = shown === undefined ? describe(raw) : `number ${shown}`;
  return new DecodeError(`json: cannot unmarshal ${what} into Go struct field ${field} of type ${type}`);
}

function describe(raw: unknown): string {
  if (Array.isArray(raw)) return 'array';
  return typeof raw === 'boolean' ? 'bool' : typeof raw;
}

function isEmpty(value: unknown): boolean {
  if (value === '' || value === 0 || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

const RFC3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** metav1.Time: fractions are accepted and dropped, the zone becomes UTC. */
function seconds(given: string): string {
  const match = RFC3339.exec(given);
  if (match === null) throw notATime(given, '2006-01-02T15:04:05Z07:00');
  return new Date(`${match[1]}${match[3]}`).toISOString().replace('.000Z', 'Z');
}

/** metav1.MicroTime: exactly six digits of fraction, or it is refused (Go's time.Parse with a .000000 layout). */
function microseconds(given: string): string {
  const match = RFC3339.exec(given);
  if (match?.[2]?.length !== 7) throw notATime(given, '2006-01-02T15:04:05.000000Z07:00');
  return new Date(`${match[1]}${match[3]}`).toISOString().replace('.000Z', `${match[2]}Z`);
}

/** Says what part of the text does not fit which part of the layout, as Go does. */
function notATime(given: string, layout: string): DecodeError {
  const whole = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.exec(given)?.[0];
  const [rest, wanted] =
    whole === undefined
      ? [given, '2006']
      : [given.slice(whole.length), layout.includes('.') ? '.000000' : 'Z07:00'];
  return new DecodeError(`parsing time "${given}" as "${layout}": cannot parse "${rest}" as "${wanted}"`);
}
