// Every flag of the command line, once: help, parsing and docs are made from this table.

export interface FlagRow {
  readonly name: string;
  readonly short?: string;
  readonly value?: string; // what its value stands for in the help; absent: a switch
  readonly repeatable?: true;
  readonly about: string;
  readonly group: 'The link' | 'Its gateway' | 'This run' | 'The stack' | 'What is told'; // where the help lists it
  /** The field of the link document that it sets. */
  readonly field?: readonly string[];
  readonly sets?: boolean; // what a switch sets its field to
}

const LINK_ROWS = [
  { name: 'link', value: 'NAME', about: 'name of the link and suffix of its mirrors', field: ['name'] },
  { name: 'link-file', value: 'FILE', about: 'link document (YAML or JSON); flags win over it' },
  {
    name: 'source-kubeconfig',
    value: 'FILE',
    about: 'kubeconfig of the cluster that gets the mirrors',
    field: ['source', 'kubeconfig'],
  },
  {
    name: 'source-context',
    value: 'CONTEXT',
    about: 'its context (default: the current context)',
    field: ['source', 'context'],
  },
  {
    name: 'source-eks',
    value: 'ARN',
    about: 'EKS cluster that gets the mirrors',
    field: ['source', 'eks'],
  },
  {
    name: 'source-role-arn',
    value: 'ARN',
    about: 'role to assume for it',
    field: ['source', 'roleArn'],
  },
  {
    name: 'source-external-id',
    value: 'ID',
    about: 'external ID for that role',
    field: ['source', 'externalId'],
  },
  {
    name: 'source-secret',
    value: 'ARN',
    about: 'instead: secret in Secrets Manager that holds a kubeconfig',
    field: ['source', 'secret'],
  },
  {
    name: 'target-kubeconfig',
    value: 'FILE',
    about: 'kubeconfig of the cluster that exports',
    field: ['target', 'kubeconfig'],
  },
  {
    name: 'target-context',
    value: 'CONTEXT',
    about: 'its context (default: the current context)',
    field: ['target', 'context'],
  },
  { name: 'target-eks', value: 'ARN', about: 'EKS cluster that exports', field: ['target', 'eks'] },
  { name: 'target-role-arn', value: 'ARN', about: 'role to assume for it', field: ['target', 'roleArn'] },
  {
    name: 'target-external-id',
    value: 'ID',
    about: 'external ID for that role',
    field: ['target', 'externalId'],
  },
  {
    name: 'target-secret',
    value: 'ARN',
    about: 'instead: secret in Secrets Manager that holds a kubeconfig',
    field: ['target', 'secret'],
  },
  {
    name: 'endpoints',
    value: 'FORM',
    about: 'how mirrors list the gateway: endpoints or endpointslices',
    field: ['endpoints'],
  },
  { name: 'paused', about: 'nothing is written for it', field: ['paused'], sets: true },
  { name: 'no-paused', about: 'its mirrors are kept up to date again', field: ['paused'], sets: false },
] as const;

const GATEWAY_ROWS = [
  {
    name: 'dns',
    value: 'HOST:PORT',
    repeatable: true,
    about: "DNS server that resolves the gateway's names (repeatable; default: those of this computer)",
  },
  {
    name: 'gateway-address',
    value: 'ADDRESS',
    repeatable: true,
    about: "IP address or hostname instead of those of the gateway's status (repeatable)",
    field: ['gateway', 'addresses'],
  },
  {
    name: 'gateway-port',
    value: 'PORT',
    about: "port that endpoints of mirrors get instead of the gateway's",
    field: ['gateway', 'port'],
  },
  {
    name: 'allowed-cidr',
    value: 'CIDR',
    repeatable: true,
    about: 'gateway addresses must be in one of these (repeatable; default: all but the deny list)',
    field: ['allowedCIDRs'],
  },
  {
    name: 'allowed-hostname',
    value: 'SUFFIX',
    repeatable: true,
    about: 'suffix of gateway hostnames besides the load balancers of AWS (repeatable)',
    field: ['allowedHostnames'],
  },
  {
    name: 'state',
    value: 'FILE',
    about: 'keeps the memory of DNS and liveness between runs (made by the first sync)',
  },
] as const;

const RUN_ROWS = [
  {
    name: 'namespace',
    value: 'NAMESPACE',
    repeatable: true,
    about: 'only Services of this namespace (repeatable)',
  },
  {
    name: 'service',
    value: 'NAMESPACE/NAME',
    repeatable: true,
    about: 'only this exported Service, and why it is mirrored or not (repeatable)',
  },
  { name: 'force-deletes', about: 'go on where the delete brake would stop the run' },
  { name: 'dry-run', about: 'say what would be done, write nothing' },
  { name: 'wait', about: 'wait until it is done, and tell what was done' },
  { name: 'keep-mirrors', about: 'forget the link and leave its mirrors as they are' },
  { name: 'yes', about: 'do not ask before something is removed' },
] as const;

const STACK_ROWS = [
  {
    name: 'stage',
    value: 'NAME',
    about: 'stage that was deployed (default: EKS_SERVICE_MIRROR_STAGE, else dev)',
  },
  {
    name: 'region',
    value: 'REGION',
    about: 'its AWS region (default: AWS_REGION, else that of the profile)',
  },
  {
    name: 'url',
    value: 'URL',
    about: 'URL of its status function (default: EKS_SERVICE_MIRROR_STATUS_URL, else it is invoked by name)',
  },
] as const;

const TOLD_ROWS = [
  { name: 'exit-code', about: 'exit 3 when there are changes' },
  { name: 'show-objects', about: 'print the objects and patches too (json and yaml)' },
  { name: 'output', short: 'o', value: 'FORMAT', about: 'text, json or yaml (default: text)' },
  { name: 'debug', about: 'print the stack of an unexpected error' },
] as const;

type Row =
  | (typeof LINK_ROWS)[number]
  | (typeof GATEWAY_ROWS)[number]
  | (typeof RUN_ROWS)[number]
  | (typeof STACK_ROWS)[number]
  | (typeof TOLD_ROWS)[number];

export type FlagName = Row['name'];
export type Flag = FlagRow & { readonly name: FlagName };

const inGroup = (group: FlagRow['group'], rows: readonly Row[]): Flag[] =>
  rows.map((row) => ({ ...row, group }));

export const FLAGS: readonly Flag[] = [
  ...inGroup('The link', LINK_ROWS),
  ...inGroup('Its gateway', GATEWAY_ROWS),
  ...inGroup('This run', RUN_ROWS),
  ...inGroup('The stack', STACK_ROWS),
  ...inGroup('What is told', TOLD_ROWS),
];
