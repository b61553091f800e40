// The continue token of a paged list: base64url of {v, rv, start}, as a real API server makes it.
import { isObject } from '../json.ts';
import { JsonError, parseJson } from '../parse-json.ts';
import { badRequest } from '../status.ts';

export interface Position {
  /** The revision of the whole list; -1 goes on with the newest state. */
  readonly revision: number;
  /** The first key that may be in the next page, within the namespace of the list. */
  readonly start: string;
}

const VERSION = 'meta.k8s.io/v1';

export const encodeContinue = ({ revision, start }: Position): string =>
  Buffer.from(JSON.stringify({ v: VERSION, rv: revision, start: `/${start}` })).toString('base64url');

const invalidToken = (why: string): Error =>
  badRequest(`invalid continue token: continue key is not valid: ${why}`);

/** @throws StatusError 400 for a token that this server cannot have made */
export function decodeContinue(token: string): Position {
  const { v, rv, start } = parse(token);
  if (v !== VERSION) {
    throw invalidToken(`server does not recognize this encoded version ${typeof v === 'string' ? v : ''}`);
  }
  if (typeof rv !== 'number' || rv === 0) {
    throw invalidToken(`incorrect encoded start resourceVersion (version ${VERSION})`);
  }
  if (typeof start !== 'string' || start === '') {
    throw invalidToken(`encoded start key empty (version ${VERSION})`);
  }
  const key = start.replace(/^\//, '');
  if (isUnclean(key)) throw invalidToken(start);
  return { revision: rv, start: key };
}

function parse(token: string): Record<string, unknown> {
  const foreign = token.search(/[^-\w]/);
  if (foreign !== -1) throw invalidToken(`illegal base64 data at input byte ${foreign}`);
  try {
    const fields = parseJson(Buffer.from(token, 'base64url').toString());
    if (isObject(fields)) return fields;
  } catch (error) {
    if (error instanceof JsonError) throw invalidToken(error.message);
    throw error;
  }
  throw invalidToken('json: cannot unmarshal into Go value of type storage.continueToken');
}

/** A key that climbs out of its place. */
const isUnclean = (key: string): boolean => key.split('/').some((part) => ['', '.', '..'].includes(part));
