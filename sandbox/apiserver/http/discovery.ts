// Discovery: which groups, versions and resources there are, as kubectl asks before it does anything.
import { RESOURCES } from '../resources/registry.ts';
import { groupVersion } from '../storage/entry.ts';
import type { ResourceType } from '../types.ts';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const SUBRESOURCE_VERBS = ['get', 'patch', 'update'];

const VERSION = {
  major: '1',
  minor: '35',
  gitVersion: 'v1.35.4',
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: 'embedded/node',
} as const;

/** The document at a discovery path, or undefined when it is none. */
export function discover(path: string): unknown {
  const parts = path.split('/').filter((part) => part !== '');
  if (path === '/version') return VERSION;
  const [root, first, second] = parts;
  if (root === 'api' && parts.length === 1)
    return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
  if (root === 'api' && parts.length === 2) return resources('', first ?? '');
  if (root !== 'apis') return undefined;
  if (first === undefined) return { kind: 'APIGroupList', apiVersion: 'v1', groups: groupNames().map(group) };
  if (second === undefined)
    return groupNames().includes(first) ? { kind: 'APIGroup', apiVersion: 'v1', ...group(first) } : undefined;
  return parts.length === 3 ? resources(first, second) : undefined;
}

const groupNames = (): string[] =>
  [...new Set(RESOURCES.map((type) => type.group))].filter((name) => name !== '');

function group(name: string): object {
  const all = RESOURCES.filter((type) => type.group === name).flatMap((type) => type.versions);
  const versions = [...new Set(all)]
    .toReversed()
    .map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions, preferredVersion: versions[0] };
}

function resources(groupName: string, version: string): unknown {
  const types = RESOURCES.filter((type) => type.group === groupName && type.versions.includes(version));
  if (types.length === 0) return undefined;
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: groupVersion({ group: groupName }, version),
    resources: types.flatMap(describe),
  };
}

function describe(type: ResourceType): object[] {
  const { resource, singular, namespaced, kind, shortNames, categories, subresources } = type;
  return [
    {
      name: resource,
      singularName: singular,
      namespaced,
      kind,
      verbs: VERBS,
      ...(shortNames.length === 0 ? {} : { shortNames }),
      ...(categories.length === 0 ? {} : { categories }),
    },
    ...subresources.map((subresource) => ({
      name: `${resource}/${subresource}`,
      singularName: '',
      namespaced,
      kind,
      verbs: SUBRESOURCE_VERBS,
    })),
  ];
}
