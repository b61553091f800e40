// Where requests go: the URL paths of the API.
import { resourceAt } from '../resources/registry.ts';
import type { ResourceType, Subresource } from '../types.ts';
import type { Target } from '../verbs/target.ts';

/** A resource request, or the place of one that is not served. */
export type Route =
  | { readonly kind: 'resource'; readonly target: Target }
  | { readonly kind: 'unknown'; readonly group: string };

/** undefined: not below /api/ or /apis/ at all, or too short to name a resource. */
export function routeOf(path: string): Route | undefined {
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
  const [root, ...rest] = parts;
  if (root === 'api' && rest.length >= 2) return within('', rest[0] ?? '', rest.slice(1));
  if (root === 'apis' && rest.length >= 3) return within(rest[0] ?? '', rest[1] ?? '', rest.slice(2));
  return undefined;
}

function within(group: string, version: string, parts: readonly string[]): Route {
  const unknown: Route = { kind: 'unknown', group };
  const [first, namespace = '', ...inNamespace] = parts;
  // /namespaces/NAME/status is a subresource of the namespace, /namespaces/NAME/services a collection in it.
  const namespaced = first === 'namespaces' && inNamespace.length > 0 && !isSubresource(inNamespace);
  const [resource = '', name = '', subresource = '', ...more] = namespaced ? inNamespace : parts;
  const type = resourceAt(group, resource);
  if (type === undefined || !type.versions.includes(version) || more.length > 0) return unknown;
  if (namespaced !== type.namespaced && (namespaced || name !== '')) return unknown;
  const known = subresourceOf(type, subresource);
  if (known === undefined) return unknown;
  return {
    kind: 'resource',
    target: { type, version, namespace: namespaced ? namespace : '', name, subresource: known },
  };
}

const isSubresource = ([first, second]: readonly string[]): boolean =>
  second === undefined && (first === 'status' || first === 'finalize');

function subresourceOf(type: ResourceType, text: string): Subresource | undefined {
  return text === '' ? '' : type.subresources.find((subresource) => subresource === text);
}
