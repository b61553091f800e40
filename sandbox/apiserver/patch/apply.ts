// Applies the body of a PATCH to an object's JSON, by its content type.
import { isObject } from '../json.ts';
import { JsonError, parseJson } from '../parse-json.ts';
import { StatusError, badRequest, unprocessable, unsupportedMediaType } from '../status.ts';
import type { ResourceType } from '../types.ts';
import { JsonPatchError, applyJsonPatch } from './json-patch.ts';
import type { Operation } from './json-patch.ts';
import { mergePatch } from './merge-patch.ts';
import { strategicMerge } from './strategic-merge.ts';

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';

/** Custom resources have no strategic merge patch; server-side apply is not served at all. */
export function checkPatchType(type: ResourceType, contentType: string): void {
  const accepted = [JSON_PATCH, MERGE_PATCH, ...(type.custom ? [] : [STRATEGIC])];
  if (accepted.includes(contentType)) return;
  throw type.custom
    ? unsupportedMediaType(accepted)
    : new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
}

/**
 * @throws StatusError 400 for a body that is no patch, 422 for one that does not apply
 */
export function applyPatch(
  type: ResourceType,
  target: unknown,
  { contentType, body }: { contentType: string; body: string },
): unknown {
  const patch = parse(body);
  if (contentType === JSON_PATCH) return jsonPatch(target, patch);
  if (!isObject(patch)) throw cannotUnmarshal(patch, 'map[string]interface {}');
  return contentType === MERGE_PATCH ? mergePatch(target, patch) : strategicMerge(type.schema, target, patch);
}

function parse(body: string): unknown {
  try {
    return parseJson(body);
  } catch (error) {
    if (error instanceof JsonError) throw badRequest(`error decoding patch: ${error.message}`);
    throw error;
  }
}

const cannotUnmarshal = (patch: unknown, type: string): Error =>
  badRequest(
    `error decoding patch: json: cannot unmarshal ${describeType(patch)} into Go value of type ${type}`,
  );

const describeType = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value);

function jsonPatch(target: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch) || !patch.every(isOperation)) {
    throw cannotUnmarshal(patch, '[]handlers.jsonPatchOp');
  }
  try {
    return applyJsonPatch(target, patch);
  } catch (error) {
    if (error instanceof JsonPatchError) throw unprocessable();
    throw error;
  }
}

const isOperation = (value: unknown): value is Operation =>
  isObject(value) && typeof value.op === 'string' && typeof value.path === 'string';
