// Reads what a request says besides its object: content type, field manager, dry run, preconditions.
import { isObject } from '../json.ts';
import { JsonError, parseJson } from '../parse-json.ts';
import { badRequest, unsupportedMediaType } from '../status.ts';
import type { DeleteOptions } from '../verbs/delete.ts';
import type { WriteOptions } from '../verbs/target.ts';
import type { Request } from './request.ts';

export const mediaType = (contentType: string): string => contentType.split(';')[0]?.trim() ?? '';

/** @throws StatusError 415 for an object that is not JSON */
export function checkContentType({ contentType }: Request): void {
  const type = mediaType(contentType);
  if (type === '' || type === 'application/json' || type === '*/*') return;
  throw unsupportedMediaType(['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']);
}

export function writeOptions({ query, userAgent, warn }: Request): WriteOptions {
  const validation = query.get('fieldValidation') ?? '';
  return {
    manager: managerOf(query.get('fieldManager') ?? '', userAgent),
    dryRun: query.get('dryRun') === 'All',
    fieldValidation: validation === 'Ignore' || validation === 'Strict' ? validation : 'Warn',
    warn,
  };
}

/** The user agent up to its first slash stands in for a field manager; at most 128 bytes of it. */
function managerOf(fieldManager: string, userAgent: string): string {
  if (fieldManager !== '') return fieldManager;
  const prefix = (userAgent.split('/')[0] ?? '').slice(0, 128);
  return prefix === '' ? 'unknown' : prefix;
}

/** @throws StatusError 400 for a body that is no JSON */
export function deleteOptions({ body, query }: Request): DeleteOptions {
  const fromQuery = query.get('dryRun') === 'All';
  if (body === '') return { dryRun: fromQuery };
  const raw = parseOptions(body);
  const preconditions = isObject(raw.preconditions) ? raw.preconditions : {};
  const { uid, resourceVersion } = preconditions;
  return {
    dryRun: fromQuery || (Array.isArray(raw.dryRun) && raw.dryRun.includes('All')),
    preconditions: {
      ...(typeof uid === 'string' ? { uid } : {}),
      ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}),
    },
  };
}

function parseOptions(body: string): Record<string, unknown> {
  const why = "couldn't get version/kind; json parse error";
  try {
    const raw = parseJson(body);
    if (isObject(raw)) return raw;
  } catch (error) {
    if (error instanceof JsonError) throw badRequest(`${why}: ${error.message}`);
    throw error;
  }
  throw badRequest(`${why}: json: cannot unmarshal array`);
}
