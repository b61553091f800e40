// The link document: one source cluster importing from one target cluster. This schema is its only definition; types, defaults,
// command-line flags and the documentation table come from it. Messages say what was expected; lib/mistakes.ts adds what was found.
import * as z from 'zod';

/** Text of one form; says `form` for a wrong type and for wrong text alike. */
const text = (form: string, shape: RegExp) => z.string(`expected ${form}`).regex(shape, `expected ${form}`);
const someText = (form: string) => z.string(`expected ${form}`).min(1, `expected ${form}`);

const LABEL = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?';
const DOMAIN = `${LABEL}(\\.${LABEL})*`;
const ALL_NUMBERS_LAST = '(?!.*(^|\\.)[0-9]+$)'; // such a name is a mistyped IP address, never a hostname
const QUALIFIED = '[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';

const dnsLabel = text('a DNS label (lower-case letters, digits and -, at most 63)', new RegExp(`^${LABEL}$`));
const domain = text('a DNS domain without a dot at either end', new RegExp(`^${DOMAIN}$`));
const hostname = z
  .string()
  .max(253)
  .regex(new RegExp(`^${ALL_NUMBERS_LAST}${DOMAIN}$`));
const address = z.union([z.ipv4(), z.ipv6(), hostname], 'expected an IP address or a hostname in lower case');
const cidr = z.union([z.cidrv4(), z.cidrv6()], 'expected a CIDR such as 10.0.0.0/8 or 2001:db8::/32');
/** A suffix people write as `example.com`, `.example.com` or `example.com.`; kept as the first. */
const suffix = z
  .string('expected a DNS suffix such as example.com')
  .overwrite((value) => value.toLowerCase().replace(/^\.|\.$/g, ''))
  .regex(new RegExp(`^${ALL_NUMBERS_LAST}${DOMAIN}$`), 'expected a DNS suffix such as example.com');

const labelKey = text('a label key: name or prefix/name', new RegExp(`^(${DOMAIN}/)?${QUALIFIED}$`));
const labelValue = text(
  'a label value (text, quoted when it looks like a number or true/false)',
  new RegExp(`^(${QUALIFIED})?$`),
);
const keyOrPrefix = text(
  'a key (name or prefix/name) or prefix/*',
  new RegExp(`^((${DOMAIN}/)?${QUALIFIED}|${DOMAIN}/\\*)$`),
);

const requirement = z
  .strictObject({
    key: labelKey.describe('label that the rule is about'),
    operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']).describe("as in Kubernetes' own selectors"),
    values: z.array(labelValue).default([]).describe('for In and NotIn'),
  })
  .superRefine((row, context) => {
    const wantsValues = row.operator === 'In' || row.operator === 'NotIn';
    if (wantsValues !== row.values.length > 0) {
      const message = wantsValues
        ? `expected at least one value for ${row.operator}`
        : `expected none for ${row.operator}`;
      context.addIssue({ code: 'custom', path: ['values'], message });
    }
  });

/** A Kubernetes label selector. An empty one selects nothing here (Linkerd's rule), unlike in Kubernetes. */
const labelSelector = z.strictObject({
  matchLabels: z.record(labelKey, labelValue).default({}).describe('labels that a Service must have'),
  matchExpressions: z.array(requirement).default([]).describe('rules that its labels must meet'),
});

const wholeFrom = (least: number) => {
  const message = `expected a whole number from ${least}`;
  return z.int(message).min(least, message);
};
const port = z.int('expected a port from 1 to 65535').min(1).max(65535);
const percentage = z
  .number('expected a share from 0 to 100')
  .min(0, 'expected a share from 0 to 100')
  .max(100, 'expected a share from 0 to 100');
const seconds = z.number('expected seconds').positive('expected more than 0 seconds');
const pattern = text('a namespace name or a pattern with *', /^[a-z0-9*]([-a-z0-9*]*[a-z0-9*])?$/);

const clusterArn = text(
  'the ARN of an EKS cluster (arn:aws:eks:REGION:ACCOUNT:cluster/NAME)',
  /^arn:aws[a-z-]*:eks:[a-z0-9-]+:\d{12}:cluster\/[A-Za-z0-9][-A-Za-z0-9_]*$/,
);
const roleArn = text(
  'the ARN of an IAM role (arn:aws:iam::ACCOUNT:role/NAME)',
  /^arn:aws[a-z-]*:iam::\d{12}:role\/\S+$/,
);
const secretArn = text(
  'the ARN of a secret (arn:aws:secretsmanager:REGION:ACCOUNT:secret:NAME)',
  /^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:\S+$/,
);

const access = z.union(
  [
    z.strictObject({
      kubeconfig: someText('the path of a kubeconfig file').describe('path of a kubeconfig file'),
      context: someText('the name of a context')
        .optional()
        .describe('its context; default: the current context'),
    }),
    z
      .strictObject({
        eks: clusterArn.describe('ARN of an EKS cluster'),
        roleArn: roleArn.optional().describe('role to assume for it'),
        externalId: someText('an external ID').optional().describe('external ID for that role'),
      })
      .refine((access) => access.externalId === undefined || access.roleArn !== undefined, {
        path: ['externalId'],
        message: 'expected a roleArn beside it',
      }),
    z.strictObject({ secret: secretArn.describe('ARN of a Secrets Manager secret that holds a kubeconfig') }),
  ],
  'expected { kubeconfig: FILE }, { eks: ARN } or { secret: ARN }',
);

const loadBalancer = z
  .strictObject({
    roleArn: roleArn.optional().describe('role to assume for it'),
    externalId: someText('an external ID').optional().describe('external ID for that role'),
  })
  .refine(({ roleArn: role, externalId }) => externalId === undefined || role !== undefined, {
    path: ['externalId'],
    message: 'expected a roleArn beside it',
  });

const gateway = z.union(
  [
    z.literal('none'),
    z
      .strictObject({
        namespace: dnsLabel
          .default('linkerd-multicluster')
          .describe('namespace of the gateway Service in the target cluster'),
        name: dnsLabel.default('linkerd-gateway').describe('name of the gateway Service'),
        addresses: z
          .array(address)
          .min(1)
          .optional()
          .describe('pins: IP addresses or hostnames instead of those of its status'),
        port: port.optional().describe('pins the port that endpoints of mirrors get'),
        probePort: port.optional().describe('pins the probe port'),
        identity: z.string().optional().describe('pins the mTLS identity; "" writes none'),
        identitySuffix: someText('a suffix')
          .optional()
          .describe('an identity of the target outside this suffix is refused'),
        loadBalancer: loadBalancer
          .optional()
          .describe(
            'asks AWS too for all addresses of the network load balancer: for one that answers by zone; {} asks as the functions',
          ),
      })
      .refine(
        ({ identity, identitySuffix }) =>
          identity === undefined || identity === '' || identity.endsWith(identitySuffix ?? ''),
        { path: ['identity'], message: 'expected an identity that ends with identitySuffix' },
      ),
  ],
  'expected none, or fields of the gateway',
);

export const linkSchema = z.strictObject({
  name: dnsLabel.describe('name of the link and suffix of its mirrors'),
  source: access.optional().describe('the cluster that gets the mirrors'),
  target: access.optional().describe('the cluster that exports'),
  targetClusterDomain: domain.default('cluster.local').describe('DNS domain of the target cluster'),
  gateway: gateway.prefault({}).describe('the gateway Service, or none'),
  firstLookDelay: wholeFrom(0).default(60).describe("seconds a new load balancer's name is left alone"),
  selector: labelSelector
    .prefault({ matchLabels: { 'mirror.linkerd.io/exported': 'true' } })
    .describe('Services mirrored in gateway mode'),
  remoteDiscoverySelector: labelSelector
    .prefault({ matchLabels: { 'mirror.linkerd.io/exported': 'remote-discovery' } })
    .describe('Services mirrored in remote-discovery mode'),
  federatedServiceSelector: labelSelector
    .prefault({ matchLabels: { 'mirror.linkerd.io/federated': 'member' } })
    .describe('members of federated Services'),
  headless: z.boolean().default(true).describe('whether headless Services are mirrored pod by pod'),
  endpointMirrorGrace: wholeFrom(0)
    .default(0)
    .describe('seconds the Service of a pod that is gone keeps its ClusterIP'),
  endpoints: z
    .enum(['endpoints', 'endpointslices'])
    .default('endpoints')
    .describe('how mirrors list the gateway'),
  namespace: dnsLabel
    .default('linkerd-multicluster')
    .describe('namespace of the Lease and of the gateway mirror in the source cluster'),
  gatewayMirror: z
    .enum(['addresses', 'fqdn', 'externalName', 'none'])
    .default('addresses')
    .describe('shape of the gateway mirror'),
  namespaces: z
    .strictObject({
      allow: z.array(pattern).default([]).describe('names or patterns with *; an empty list allows all'),
      deny: z.array(pattern).default(['kube-*', 'linkerd*']).describe('names or patterns with *; wins'),
    })
    .prefault({})
    .describe('where mirrors may go'),
  ipFamilies: z.enum(['single', 'dual']).default('single').describe('dual: mirrors ask PreferDualStack'),
  paused: z.boolean().default(false).describe('nothing is written while true'),
  createNamespaces: z.boolean().default(false).describe('create missing namespaces in the source cluster'),
  excludedLabels: z.array(keyOrPrefix).default([]).describe('labels that are not copied: exact, or prefix/*'),
  excludedAnnotations: z
    .array(keyOrPrefix)
    .default([])
    .describe('annotations that are not copied: exact, or prefix/*'),
  allowedCIDRs: z
    .array(cidr)
    .default([])
    .describe('gateway addresses must be in one of these; empty: all but the deny list'),
  allowedHostnames: z
    .array(suffix)
    .default([])
    .describe('suffixes of gateway hostnames besides the load balancers of AWS'),
  deleteBrake: z
    .strictObject({
      percent: percentage.default(20).describe('share of the mirrored Services'),
      atLeast: wholeFrom(0).default(10).describe('number of mirrored Services'),
    })
    .prefault({})
    .describe('a run that would delete the mirrors of more Services than both is stopped'),
  probe: z
    .strictObject({
      anyAnswer: z.boolean().default(true).describe('any HTTP answer counts as alive, not only 200'),
      off: z.boolean().default(false).describe('no probing'),
      path: text('a path that starts with /', /^\/\S*$/)
        .optional()
        .describe('HTTP path'),
      port: port.optional().describe('port'),
      period: seconds.optional().describe('seconds between probes'),
      timeout: seconds.optional().describe('seconds until a probe without an answer has failed'),
      failureThreshold: wholeFrom(1).optional().describe('failures in a row that make an address dead'),
    })
    .prefault({})
    .describe('how the gateway is probed; overrides its annotations'),
});

export type Link = z.output<typeof linkSchema>;
export type LinkDocument = z.input<typeof linkSchema>;
export type LabelSelector = Link['selector'];
export type Access = z.output<typeof access>;
export type LoadBalancerAccess = z.output<typeof loadBalancer>;
