// Whether a link may put mirrors into a namespace.
import type { Link } from '../model/link.ts';

const matchesPattern = (pattern: string, name: string): boolean =>
  new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(name);

/** The rule of the link that forbids a namespace, in words; undefined when it is allowed. Deny wins over allow. */
export const namespaceDenial = (link: Link, namespace: string): string | undefined => {
  const denied = link.namespaces.deny.find((pattern) => matchesPattern(pattern, namespace));
  if (denied !== undefined) return `namespaces.deny has "${denied}"`;
  const { allow } = link.namespaces;
  if (allow.length === 0 || allow.some((pattern) => matchesPattern(pattern, namespace))) return undefined;
  return `namespaces.allow has only ${allow.map((pattern) => `"${pattern}"`).join(', ')}`;
};
