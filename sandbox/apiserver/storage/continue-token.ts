// The continue token of a paged list: base64url of {v, rv, start}, as a real API server makes it.
import { isObject } from '../json.ts';
import { badRequest } from '../status.ts';

export interface Position {
  /** The revision of the whole list; -1 goes on with the newest state. */
  readonly revision: number;
  /** The first key that may be in the next page, within the namespace of the list. */
  readonly start: string;
}

const VERSION = 'meta.k8s.io/v1';

export const encodeContinue = ({ revision, start }: Position): string =>
  Buffer.from(JSON.stringify({ v: VERSION, rv: revision, start })).toString('base64url');

/** @throws StatusError 400 for a token that this server cannot have made */
export function decodeContinue(token: string): Position {
  const fields = parse(token);
  if (fields.v !== VERSION) {
    throw badRequest(
      `continue key is not valid: server does not recognize this encoded version ${typeof fields.v === 'string' ? fields.v : ''}`,
    );
  }
  const { rv, start } = fields;
  if (typeof rv !== 'number' || rv === 0) {
    throw badRequest(
      `continue key is not valid: incorrect encoded start resourceVersion (version ${VERSION})`,
    );
  }
  if (typeof start !== 'string' || start === '') {
    throw badRequest(`continue key is not valid: encoded start key empty (version ${VERSION})`);
  }
  if (isUnclean(start)) throw badRequest(`continue key is not valid: ${start}`);
  return { revision: rv, start };
}

function parse(token: string): Record<string, unknown> {
  const problem = badRequest('continue key is not valid: illegal token');
  if (!/^[-\w]*$/.test(token)) throw problem;
  try {
    const fields: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    if (isObject(fields)) return fields;
  } catch {
    throw problem;
  }
  throw problem;
}

/** A key that climbs out of its place. */
const isUnclean = (start: string): boolean =>
  start.split('/').some((part) => part === '' || part === '.' || part === '..');
