// Users of the test clusters who may do less than the admin; the same on embedded and on real API servers.

/** A rule of RBAC, for the whole cluster. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const READ = ['get', 'list', 'watch'];
const rule = (group: string, resources: readonly string[], verbs: readonly string[] = READ): Rule => ({
  apiGroups: [group],
  resources,
  verbs,
});

const READER: readonly Rule[] = [
  rule('', ['namespaces', 'services', 'endpoints']),
  rule('discovery.k8s.io', ['endpointslices']),
  rule('coordination.k8s.io', ['leases']),
];

/** What each user may do; everything else is forbidden to them. */
export const LAB_USERS = {
  stranger: [],
  noEndpoints: [rule('', ['namespaces', 'services']), rule('coordination.k8s.io', ['leases'])],
  noNamespaces: [rule('', ['services']), rule('discovery.k8s.io', ['endpointslices'])],
  reader: READER,
  leaseHolder: [...READER, rule('coordination.k8s.io', ['leases'], ['create', 'update', 'patch'])],
} as const satisfies Readonly<Record<string, readonly Rule[]>>;

export type LabUser = keyof typeof LAB_USERS;

export interface Wish {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
}

const RULES: ReadonlyMap<string, readonly Rule[]> = new Map(Object.entries(LAB_USERS));
export const LAB_USER_NAMES = [...RULES.keys()];

/** Whether a user of the table may; everybody else is an admin. */
export const isAllowed = (user: string, { verb, group, resource }: Wish): boolean => {
  const rules = RULES.get(user);
  return (
    rules === undefined ||
    rules.some(
      ({ apiGroups, resources, verbs }) =>
        apiGroups.includes(group) && resources.includes(resource) && verbs.includes(verb),
    )
  );
};

/** A token for each of them. */
export const tokensBy = (tokenOf: (user: LabUser) => string): Readonly<Record<LabUser, string>> => ({
  stranger: tokenOf('stranger'),
  noEndpoints: tokenOf('noEndpoints'),
  noNamespaces: tokenOf('noNamespaces'),
  reader: tokenOf('reader'),
  leaseHolder: tokenOf('leaseHolder'),
});
