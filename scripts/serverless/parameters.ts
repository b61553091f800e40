// The parameters of a deployment: what `--param` and `params` in serverless.yml take, with everything that is wrong told at once.
import { isIP } from 'node:net';
import * as z from 'zod';
import { InputError } from '../../lib/errors.ts';
import { mistakeLine, mistakesOf } from '../../lib/mistakes.ts';
import { bare, type Schema } from '../../lib/schema.ts';

/** Days that CloudWatch Logs takes (PutRetentionPolicy) and the framework lets through. */
const LOG_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1827, 2192, 2557, 2922, 3288, 3653,
] as const;

const LOG_LEVELS = ['DEBUG', 'INFO', 'WARN', 'ERROR'] as const;

/** Once an hour is as slow as makes sense; EventBridge has nothing below a minute. */
const SCHEDULE = /^rate\((?:1 minute|(?:[2-9]|[1-5]\d) minutes|1 hour)\)$/;

/** `*` and `?` may stand in the part that names the thing, as in any policy. */
const ARN = {
  cluster: /^arn:aws[a-z-]*:eks:[a-z0-9-]+:\d{12}:cluster\/[\w*?-]+$/,
  role: /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/*?-]+$/,
  secret: /^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:[\w/+=.@*?-]+$/,
  key: /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/,
  topic: /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w-]+$/,
} as const;

const matching = (form: RegExp, expected: string) => z.string(expected).regex(form, expected);

/** Numbers come as text from the command line. */
const whole = (least: number, most: number) => {
  const expected = `expected a whole number from ${least} to ${most}`;
  const number = z.number().min(least, expected).max(most, expected);
  return matching(/^\d{1,6}$/, expected)
    .transform(Number)
    .pipe(number);
};

const oneOfNumbers = (numbers: readonly number[]) =>
  z
    .string(`expected one of ${numbers.join(', ')}`)
    .refine(
      (text) => numbers.some((number) => String(number) === text),
      `expected one of ${numbers.join(', ')}`,
    )
    .transform(Number);

/** Items with commas between them; none is a list too. */
const list = (item: z.ZodType<string>) => z.array(item).default([]);

/** The forms that the resolver knows: an address, `ADDRESS:PORT`, and with brackets for IPv6. */
function isDnsServer(text: string): boolean {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\](?::\d{1,5})?|([\d.]+)(?::\d{1,5})?)$/.exec(text) ?? [];
  return isIP(text) !== 0 || isIP(bracketed ?? '') === 6 || isIP(plain ?? '') === 4;
}

const DNS_SERVER = 'expected an IP address with or without a port';
const dnsServer = z.string(DNS_SERVER).refine(isDnsServer, DNS_SERVER);

export const parameters = z.strictObject({
  schedule: matching(
    SCHEDULE,
    'expected rate(1 minute), rate(N minutes) with N from 2 to 59, or rate(1 hour)',
  ).describe('how often every link is reconciled; a changed address of a gateway does not wait for it'),
  memory: whole(256, 10_240).describe(
    'MB for `reconcile`, `refresh` and `resync`; more memory is more CPU as well',
  ),
  timeout: whole(30, 900).describe(
    'seconds that `reconcile` has for a link and `refresh` for its timers; what is left goes on in a follow-up',
  ),
  concurrency: whole(2, 1000).describe('runs of `reconcile`, and of `refresh`, at the same time, at most'),
  logLevel: z.enum(LOG_LEVELS).describe('least severity of what is logged'),
  logDays: oneOfNumbers(LOG_DAYS).describe('days that logs are kept'),
  journalDays: whole(1, 3650).describe('days that the journal is kept'),
  dnsServers: list(dnsServer).describe(
    "DNS servers that gateways are looked up with; absent: the resolver of the functions' network",
  ),
  subnetIds: list(matching(/^subnet-[0-9a-f]{8,17}$/, 'expected the ID of a subnet (subnet-…)')).describe(
    'private subnets to run in; absent: outside of any VPC. See [vpc.md](vpc.md)',
  ),
  securityGroupIds: list(
    matching(/^sg-[0-9a-f]{8,17}$/, 'expected the ID of a security group (sg-…)'),
  ).describe('security groups in there; together with `subnetIds`'),
  clusterArns: list(
    matching(ARN.cluster, 'expected the ARN of an EKS cluster (* allowed in its name)'),
  ).describe('clusters that may be described without an assumed role; absent: all of this account'),
  roleArns: list(matching(ARN.role, 'expected the ARN of an IAM role (* allowed in its name)')).describe(
    'roles that links may assume (`roleArn`); absent: none',
  ),
  secretArns: list(
    matching(ARN.secret, 'expected the ARN of a secret in Secrets Manager (* allowed in its name)'),
  ).describe('secrets with kubeconfigs that links may read (`secret`); absent: none'),
  secretKeyArns: list(matching(ARN.key, 'expected the ARN of a KMS key')).describe(
    'keys of their own that these secrets are encrypted with; absent: they have none',
  ),
  loadBalancers: matching(/^(?:true|false)$/, 'expected true or false')
    .transform((text) => text === 'true')
    .default(false)
    .describe(
      'whether AWS may be asked for all addresses of load balancers, for links with `gateway.loadBalancer`. See [access.md](access.md)',
    ),
  alarmTopicArn: matching(ARN.topic, 'expected the ARN of an SNS topic')
    .exactOptional()
    .describe('where alarms are sent; absent: they are only shown'),
});
export type Parameters = z.output<typeof parameters>;

const LISTS: ReadonlySet<string> = new Set(
  Object.entries<Schema>(parameters.shape)
    .filter(([, form]) => bare(form) instanceof z.ZodArray)
    .map(([name]) => name),
);

/** As the command line would have it, which knows text only, and lists by their commas. */
function asText(name: string, value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return LISTS.has(name) && typeof value === 'string' ? value.split(',').map((item) => item.trim()) : value;
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/**
 * The parameters, each as what it means. One that is absent, empty or null has not been given.
 *
 * @throws InputError with one line `name: expected …, got …` for each mistake
 */
export function readParameters(given: Readonly<Record<string, unknown>>): Parameters {
  const texts = Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => isGiven(value))
      .map(([name, value]) => [name, asText(name, value)]),
  );
  const read = parameters.safeParse(texts);
  if (!read.success) throw new InputError(mistakesOf(read.error.issues, parameters, texts).map(mistakeLine));
  const { subnetIds, securityGroupIds } = read.data;
  if (subnetIds.length > 0 !== securityGroupIds.length > 0) {
    throw new InputError(['subnetIds and securityGroupIds: expected both or none of them, got one']);
  }
  return read.data;
}
