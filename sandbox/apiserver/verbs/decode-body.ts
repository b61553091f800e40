// Reads the object out of a request's body: JSON, the kind and version it claims, its fields, its defaults.
import { isObject, trusted } from '../json.ts';
import { invalidValue } from '../field-errors.ts';
import { JsonError, parseJson } from '../parse-json.ts';
import { RESOURCES } from '../resources/registry.ts';
import { DecodeError, decodeObject } from '../schema/decode.ts';
import { badRequest, invalid } from '../status.ts';
import type { StatusError } from '../status.ts';
import { groupVersion } from '../storage/entry.ts';
import type { KubeObject } from '../types.ts';
import { apiVersionOf } from './target.ts';
import type { Target, WriteOptions } from './target.ts';

/** @throws StatusError 400 for a body that is not an object of the target's kind and version */
export function decodeBody(target: Target, body: string, options: WriteOptions): KubeObject {
  const raw = parse(target, body);
  const { kind } = target.type;
  if (target.type.custom) checkTypeMeta(target, raw, body);
  const { apiVersion = apiVersionOf(target), kind: claimed = kind } = raw;
  if (claimed !== kind || apiVersion !== apiVersionOf(target)) {
    throw otherKind(target, { apiVersion: textOf(apiVersion), kind: textOf(claimed) });
  }
  try {
    return decodeFields(target, raw, options);
  } catch (error) {
    if (error instanceof DecodeError) throw cannotBeHandled(target, kind, error.message);
    throw error;
  }
}

/** Reads what a patch made of an object. @throws StatusError 422 when it no longer is one of the kind */
export function decodePatched(target: Target, patched: unknown, options: WriteOptions): KubeObject {
  try {
    return decodeFields(target, isObject(patched) ? patched : {}, options);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const problem = {
      type: 'FieldValueInvalid',
      field: 'patch',
      value: JSON.stringify(patched),
      detail: error.message,
    } as const;
    throw invalid({ group: '', name: '' }, '', [problem]);
  }
}

function parse(target: Target, body: string): Record<string, unknown> {
  const why = "couldn't get version/kind; json parse error";
  try {
    const raw = parseJson(body);
    if (isObject(raw)) return raw;
  } catch (error) {
    if (error instanceof JsonError) throw unrecognized(target, `${why}: ${error.message}`, body);
    throw error;
  }
  throw unrecognized(target, `${why}: json: cannot unmarshal array into Go value of type ${TYPE_META}`, body);
}

const unrecognized = ({ type }: Target, why: string, body: string): StatusError =>
  badRequest(`the object provided is unrecognized (must be of type ${type.kind}): ${why} (${summary(body)})`);

/** The start of the body, in hexadecimal when it does not look like an object. */
function summary(body: string): string {
  if (body === '') return '<empty>';
  const bytes = Buffer.from(body);
  const shown = bytes.subarray(0, 30).toString(body.startsWith('{') ? 'utf8' : 'hex');
  return bytes.length > 30 ? `${shown} ...` : shown;
}

/** Go's print of the struct that a body is first read into. */
const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Custom resources have no defaults for what they are. */
function checkTypeMeta(target: Target, raw: Record<string, unknown>, body: string): void {
  if (textOf(raw.kind) === '') throw unrecognized(target, `Object 'Kind' is missing in '${body}'`, body);
  const expected = apiVersionOf(target);
  if (raw.apiVersion !== expected) {
    throw badRequest(
      `the API version in the data (${textOf(raw.apiVersion)}) does not match the expected API version (${expected})`,
    );
  }
  const { kind, group } = target.type;
  if (raw.kind === kind) return;
  const name = isObject(raw.metadata) ? textOf(raw.metadata.name) : '';
  throw invalid({ group, name: textOf(raw.kind) }, name, [invalidValue('kind', raw.kind, `must be ${kind}`)]);
}

/** A body that says it is something else: of a known kind, or of none. */
function otherKind(
  target: Target,
  claimed: { readonly apiVersion: string; readonly kind: string },
): StatusError {
  const version = claimed.apiVersion.split('/').at(-1) ?? '';
  const known = RESOURCES.some(
    (type) =>
      type.kind === claimed.kind &&
      type.versions.some((one) => groupVersion(type, one) === claimed.apiVersion),
  );
  const why = known
    ? `converting (${version}.${claimed.kind}) to (core.${target.type.kind}): unknown conversion`
    : `no kind "${claimed.kind}" is registered for version "${claimed.apiVersion}" in scheme "pkg/runtime/scheme.go:111"`;
  return cannotBeHandled({ ...target, version }, claimed.kind, why);
}

const cannotBeHandled = ({ type, version }: Target, claimed: string, why: string): StatusError =>
  badRequest(`${claimed} in version "${version}" cannot be handled as a ${type.kind}: ${why}`);

function decodeFields(target: Target, raw: Record<string, unknown>, options: WriteOptions): KubeObject {
  const { type } = target;
  const { value, unknown } = decodeObject(type.schema, raw);
  const problems = unknown.map((path) => `unknown field "${path}"`);
  if (options.fieldValidation === 'Strict' && problems.length > 0) {
    throw new DecodeError(`strict decoding error: ${problems.join(', ')}`);
  }
  if (options.fieldValidation === 'Warn') for (const problem of problems) options.warn(problem);
  const object = trusted<KubeObject>(value);
  // A nameless object is caught later, where a generateName may give it one.
  object.metadata.name ??= '';
  type.strategy.setDefaults(object);
  return object;
}
