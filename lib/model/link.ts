// The link document: one source cluster importing from one target cluster. This schema is its only definition; types, defaults,
// command-line flags and the documentation table come from it.
import * as z from 'zod';

const DNS_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

const requirement = z.strictObject({
  key: z.string().min(1),
  operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
  values: z.array(z.string()).default([]),
});

/** A Kubernetes label selector. An empty one selects nothing here (Linkerd's rule), unlike in Kubernetes. */
const labelSelector = z
  .strictObject({
    matchLabels: z.record(z.string(), z.string()).default({}),
    matchExpressions: z.array(requirement).default([]),
  })
  .superRefine((selector, context) => {
    selector.matchExpressions.forEach((row, index) => {
      const wantsValues = row.operator === 'In' || row.operator === 'NotIn';
      if (wantsValues !== row.values.length > 0) {
        context.addIssue({
          code: 'custom',
          path: ['matchExpressions', index, 'values'],
          message: wantsValues
            ? `expected at least one value for ${row.operator}`
            : `expected none for ${row.operator}`,
        });
      }
    });
  });

const port = z.int().min(1).max(65535);
const pattern = z
  .string()
  .regex(/^[a-z0-9*]([-a-z0-9*]*[a-z0-9*])?$/, 'expected a namespace name or a pattern with *');
const keyOrPrefix = z.string().min(1);

const access = z.union([
  z.strictObject({ kubeconfig: z.string().min(1), context: z.string().min(1).optional() }),
  z.strictObject({
    eks: z.string().min(1),
    roleArn: z.string().min(1).optional(),
    externalId: z.string().min(1).optional(),
  }),
  z.strictObject({ secret: z.string().min(1) }),
]);

const gateway = z.union([
  z.literal('none'),
  z.strictObject({
    namespace: z
      .string()
      .min(1)
      .default('linkerd-multicluster')
      .describe('namespace of the gateway Service in the target cluster'),
    name: z.string().min(1).default('linkerd-gateway').describe('name of the gateway Service'),
    addresses: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe('pins: IP addresses or hostnames instead of those of its status'),
    port: port.optional().describe('pins the port that endpoints of mirrors get'),
    probePort: port.optional().describe('pins the probe port'),
    identity: z.string().optional().describe('pins the mTLS identity; "" writes none'),
    identitySuffix: z
      .string()
      .min(1)
      .optional()
      .describe('an identity of the target outside this suffix is refused'),
  }),
]);

export const linkSchema = z.strictObject({
  name: z
    .string()
    .max(63)
    .regex(DNS_LABEL, 'expected a DNS label: lower-case letters, digits and -')
    .describe('name of the link and suffix of its mirrors'),
  source: access.optional().describe('the cluster that gets the mirrors'),
  target: access.optional().describe('the cluster that exports'),
  targetClusterDomain: z
    .string()
    .min(1)
    .default('cluster.local')
    .describe('DNS domain of the target cluster'),
  gateway: gateway.prefault({}).describe('the gateway Service, or none'),
  firstLookDelay: z.int().min(0).default(60).describe("seconds a new load balancer's name is left alone"),
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
  endpoints: z
    .enum(['endpoints', 'endpointslices'])
    .default('endpoints')
    .describe('how mirrors list the gateway'),
  namespace: z
    .string()
    .regex(DNS_LABEL)
    .default('linkerd-multicluster')
    .describe('namespace of the Lease in the source cluster'),
  gatewayMirror: z
    .enum(['addresses', 'fqdn', 'externalName', 'none'])
    .default('addresses')
    .describe('shape of the gateway mirror'),
  namespaces: z
    .strictObject({
      allow: z.array(pattern).default([]),
      deny: z.array(pattern).default(['kube-*', 'linkerd*']),
    })
    .prefault({})
    .describe('where mirrors may go; deny wins, an empty allow list allows all'),
  ipFamilies: z.enum(['single', 'dual']).default('single').describe('dual: mirrors ask PreferDualStack'),
  paused: z.boolean().default(false).describe('nothing is written while true'),
  createNamespaces: z.boolean().default(false).describe('create missing namespaces in the source cluster'),
  excludedLabels: z.array(keyOrPrefix).default([]).describe('labels that are not copied: exact, or prefix/*'),
  excludedAnnotations: z
    .array(keyOrPrefix)
    .default([])
    .describe('annotations that are not copied: exact, or prefix/*'),
  allowedCIDRs: z
    .array(z.union([z.cidrv4(), z.cidrv6()]))
    .default([])
    .describe('gateway addresses must be in one of these; empty: all but the deny list'),
  allowedHostnames: z
    .array(z.string().min(1))
    .default([])
    .describe('suffixes of gateway hostnames besides the load balancers of AWS'),
  deleteBrake: z
    .strictObject({ percent: z.number().min(0).max(100).default(20), atLeast: z.int().min(0).default(10) })
    .prefault({})
    .describe('a run that would delete more than both is stopped'),
  probe: z
    .strictObject({
      anyAnswer: z.boolean().default(true),
      off: z.boolean().default(false),
      path: z.string().startsWith('/').optional(),
      port: port.optional(),
      period: z.number().positive().optional(),
      timeout: z.number().positive().optional(),
      failureThreshold: z.int().min(1).optional(),
    })
    .prefault({})
    .describe('how the gateway is probed; overrides its annotations'),
});

export type Link = z.output<typeof linkSchema>;
export type LinkDocument = z.input<typeof linkSchema>;
export type LabelSelector = Link['selector'];
export type Access = z.output<typeof access>;
