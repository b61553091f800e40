// Who asks, and may they: bearer tokens, and an optional rule for what each user may do.
import type { Target } from '../verbs/target.ts';
import { StatusError, forbidden, unauthorized } from '../status.ts';

export interface TokenUser {
  readonly token: string;
  readonly user: string;
}

/** Whose a token is, as an authentication webhook would answer; undefined: nobody's. */
export type ReviewToken = (token: string) => string | undefined;

/** Who may ask. With neither of them: everybody, as "admin". */
export interface Authentication {
  readonly tokens: readonly TokenUser[] | undefined;
  readonly reviewToken: ReviewToken | undefined;
}

/** What a user wants to do to a resource; the words of RBAC. */
export interface Attributes {
  readonly user: string;
  readonly verb: string;
  readonly group: string;
  /** With its subresource, as in a rule: `services/status`. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

export type Authorize = (attributes: Attributes) => boolean;

const ANONYMOUS = 'system:anonymous';
/** What anybody may read. */
const PUBLIC = ['/healthz', '/livez', '/readyz', '/version'];

/** The user of a request, or ANONYMOUS. @throws StatusError 401 */
export function authenticate(header: string | undefined, { tokens, reviewToken }: Authentication): string {
  if (tokens === undefined && reviewToken === undefined) return 'admin';
  const token = /^Bearer\s+(\S+)$/i.exec(header ?? '')?.[1];
  if (token === undefined) return ANONYMOUS;
  const user = tokens?.find((known) => known.token === token)?.user ?? reviewToken?.(token);
  if (user === undefined) throw unauthorized();
  return user;
}

/** @throws StatusError 403 */
export function authorizePath(user: string, path: string): void {
  if (user !== ANONYMOUS || PUBLIC.some((open) => path === open || path.startsWith(`${open}/`))) return;
  throw new StatusError(403, 'Forbidden', `forbidden: User "${user}" cannot get path "${path}"`, {});
}

/** @throws StatusError 403 */
export function authorizeResource(
  user: string,
  verb: string,
  target: Target,
  authorize: Authorize | undefined,
): void {
  const { type, namespace, name, subresource } = target;
  const resource = subresource === '' ? type.resource : `${type.resource}/${subresource}`;
  const attributes = { user, verb, group: type.group, resource, namespace, name };
  if (user !== ANONYMOUS && (authorize?.(attributes) ?? true)) return;
  const place = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const why = `User "${user}" cannot ${verb} resource "${resource}" in API group "${type.group}" ${place}`;
  throw forbidden({ group: type.group, name: type.resource }, name, why);
}
