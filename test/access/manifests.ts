// The RBAC manifests of deploy/ as tests need them: right by right, and with one of them left out.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

export const FOLDER = join(import.meta.dirname, '../../deploy');

/** The group that the manifests are for, and access entries lead to. */
export const GROUP = 'eks-service-mirror';

export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

interface Named {
  readonly name: string;
  readonly namespace?: string;
}

export interface Role {
  readonly apiVersion: string;
  readonly kind: 'Role' | 'ClusterRole';
  readonly metadata: Named;
  readonly rules: readonly Rule[];
}

export interface Binding {
  readonly apiVersion: string;
  readonly kind: 'RoleBinding' | 'ClusterRoleBinding';
  readonly metadata: Named;
  readonly roleRef: { readonly apiGroup: string; readonly kind: Role['kind']; readonly name: string };
  readonly subjects: readonly { readonly apiGroup: string; readonly kind: string; readonly name: string }[];
}

export type Manifest = Role | Binding;

export const isRole = (manifest: Manifest): manifest is Role => 'rules' in manifest;

export const readText = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');

export const readManifests = (file: string): readonly Manifest[] =>
  parseAllDocuments(readText(file)).map((document): Manifest => document.toJS());

/** One verb on one kind of resource, as a rule grants it. */
export interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  /** Absent: every name. */
  readonly name?: string;
  /** Absent: in the whole cluster. */
  readonly namespace?: string;
}

/** `list services`, `get namespaces kube-system`, `patch leases in linkerd-multicluster`. */
export const rightText = ({ verb, resource, name, namespace }: Right): string =>
  [`${verb} ${resource}`, name, namespace && `in ${namespace}`]
    .filter((part) => part !== undefined)
    .join(' ');

export const rightsOf = (manifests: readonly Manifest[]): readonly Right[] =>
  manifests.filter(isRole).flatMap(({ rules, metadata: { namespace } }) =>
    rules.flatMap(({ apiGroups, resources, verbs, resourceNames = [undefined] }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) =>
          verbs.flatMap((verb) =>
            resourceNames.map((name) => ({
              verb,
              group,
              resource,
              ...(name !== undefined && { name }),
              ...(namespace !== undefined && { namespace }),
            })),
          ),
        ),
      ),
    ),
  );

/** The rights that are bound, each in the place of its binding. */
export const boundRightsOf = (manifests: readonly Manifest[]): readonly Right[] =>
  manifests
    .filter((manifest) => !isRole(manifest))
    .flatMap(({ roleRef, metadata: { namespace } }) =>
      rightsOf(manifests.filter((role) => isRole(role) && role.metadata.name === roleRef.name)).map(
        (right) => ({
          ...right,
          ...(namespace !== undefined && { namespace }),
        }),
      ),
    );

/** The same rights but one, for another group, under names of their own. */
export const withoutRight = (
  manifests: readonly Manifest[],
  right: Right | undefined,
  group: string,
): readonly Manifest[] =>
  manifests.map((manifest) => {
    const metadata = { ...manifest.metadata, name: `${manifest.metadata.name}-${group}` };
    if (isRole(manifest)) return { ...manifest, metadata, rules: rulesWithout(manifest, right) };
    const roleRef = { ...manifest.roleRef, name: `${manifest.roleRef.name}-${group}` };
    return {
      ...manifest,
      metadata,
      roleRef,
      subjects: manifest.subjects.map((subject) => ({ ...subject, name: group })),
    };
  });

const rulesWithout = (role: Role, right: Right | undefined): readonly Rule[] =>
  rightsOf([role])
    .filter((other) => right === undefined || rightText(other) !== rightText(right))
    .map(({ verb, group, resource, name }) => ({
      apiGroups: [group],
      resources: [resource],
      verbs: [verb],
      ...(name !== undefined && { resourceNames: [name] }),
    }));

export interface Wish {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** What Kubernetes' RBAC says of a wish of somebody in this group. */
export const isGranted = (manifests: readonly Manifest[], group: string, wish: Wish): boolean =>
  manifests.some(
    (binding) =>
      !isRole(binding) &&
      binding.subjects.some(({ name }) => name === group) &&
      (binding.metadata.namespace === undefined || binding.metadata.namespace === wish.namespace) &&
      manifests.some(
        (role) => isRole(role) && role.metadata.name === binding.roleRef.name && isIn(role, wish),
      ),
  );

const isIn = ({ rules }: Role, { verb, group, resource, name }: Wish): boolean =>
  rules.some(
    (rule) =>
      rule.verbs.includes(verb) &&
      rule.apiGroups.includes(group) &&
      rule.resources.includes(resource) &&
      (rule.resourceNames?.includes(name) ?? true),
  );
