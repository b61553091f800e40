// Reads the object out of a request's body: JSON, the kind and version it claims, its fields, its defaults.
import { isObject, trusted } from '../json.ts';
import { DecodeError, decodeObject } from '../schema/decode.ts';
import { badRequest, invalid } from '../status.ts';
import type { StatusError } from '../status.ts';
import type { KubeObject } from '../types.ts';
import { apiVersionOf } from './target.ts';
import type { Target, WriteOptions } from './target.ts';

/** @throws StatusError 400 for a body that is not an object of the target's kind and version */
export function decodeBody(target: Target, body: string, options: WriteOptions): KubeObject {
  const raw = parse(target, body);
  const { kind } = target.type;
  const { apiVersion = apiVersionOf(target), kind: claimed = kind } = raw;
  if (claimed !== kind) throw cannotBeHandled(target, String(claimed), `no kind "${String(claimed)}" here`);
  if (apiVersion !== apiVersionOf(target)) {
    throw badRequest(
      `the API version in the data (${String(apiVersion)}) does not match the expected API version (${apiVersionOf(target)})`,
    );
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
  const unrecognized = (why: string): StatusError =>
    badRequest(
      `the object provided is unrecognized (must be of type ${target.type.kind}): ${why} (${summary(body)})`,
    );
  let raw: unknown;
  try {
    raw = JSON.parse(body);
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    throw unrecognized(`couldn't get version/kind; json parse error: ${reason}`);
  }
  if (isObject(raw)) return raw;
  throw unrecognized("couldn't get version/kind; json parse error: not an object");
}

/** The start of the body in hexadecimal, as the real message shows it. */
const summary = (body: string): string => {
  if (body === '') return '<empty>';
  const bytes = Buffer.from(body);
  return bytes.length > 30 ? `${bytes.subarray(0, 30).toString('hex')} ...` : bytes.toString('hex');
};

const cannotBeHandled = ({ type, version }: Target, claimed: string, why: string): StatusError =>
  badRequest(`${claimed} in version "${version}" cannot be handled as a ${type.kind}: ${why}`);

function decodeFields(target: Target, raw: Record<string, unknown>, options: WriteOptions): KubeObject {
  const { type } = target;
  const { value, unknown } = decodeObject(type.schema, raw, type.kind);
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
