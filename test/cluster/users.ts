// The users of a test cluster and the file that tells the API server their tokens.
import { randomBytes } from 'node:crypto';

export interface User {
  readonly name: string;
  readonly groups?: readonly string[];
}

/** May do everything, whatever RBAC says. */
export const ADMIN: User = { name: 'admin', groups: ['system:masters'] };

export interface Credentials {
  /** bearer token by user name */
  readonly tokens: Readonly<Record<string, string>>;
  /** text of the API server's --token-auth-file */
  readonly file: string;
}

/** A fresh random token for the admin and for each user. Throws when a name occurs twice. */
export function issueTokens(users: readonly User[]): Credentials {
  const rows = [ADMIN, ...users].map((user) => ({ ...user, token: randomBytes(24).toString('hex') }));
  const tokens = Object.fromEntries(rows.map(({ name, token }) => [name, token]));
  if (Object.keys(tokens).length !== rows.length)
    throw new Error(`users of a test cluster need different names, none of them ${ADMIN.name}`);
  const lines = rows.map(({ token, name, groups = [] }) =>
    [token, name, name, groups.join(',')].map(quoted).join(','),
  );
  return { tokens, file: `${lines.join('\n')}\n` };
}

/** The API server reads the file as CSV; the groups are one field that holds commas. */
function quoted(field: string): string {
  return `"${field.replaceAll('"', '""')}"`;
}
