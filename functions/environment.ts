// The only place of the Lambdas that reads the environment: what each function needs, all mistakes at once.
import * as z from 'zod';
import { InputError } from '../lib/errors.ts';
import { mistakeLine, mistakesOf } from '../lib/mistakes.ts';

const queueUrl = z.url({ protocol: /^https?$/, error: 'expected the URL of an SQS queue' });

const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );

/** What all of them use. */
const table = { STATE_TABLE: z.string('expected the name of the DynamoDB table').min(1) };
const work = { WORK_QUEUE_URL: queueUrl };
const timers = { TIMER_QUEUE_URL: queueUrl };
const dns = { DNS_SERVERS: list };
const region = { AWS_REGION: z.string('expected an AWS region').min(1) };
const journal = { JOURNAL_DAYS: z.coerce.number('expected a number of days').int().min(1).default(30) };

/** Whether AWS may be asked for load balancers, and where, if not at its own endpoints. */
const endpoint = z.url('expected the URL of an endpoint').optional();
const loadBalancers = {
  LOAD_BALANCERS: z.literal('on', 'expected on, or nothing').optional(),
  AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING_V2: endpoint,
  AWS_ENDPOINT_URL_EC2: endpoint,
};

export const tickEnvironment = z.object({ ...table, ...work, ...timers, ...dns });
export const statusEnvironment = z.object({ ...table, ...dns });
export const runEnvironment = z.object({
  ...table,
  ...work,
  ...timers,
  ...dns,
  ...journal,
  ...region,
  ...loadBalancers,
});
export type RunEnvironment = z.output<typeof runEnvironment>;

/** Names are shared by those who ask the same servers: their answers may differ from those of others. */
export const resolversOf = ({ DNS_SERVERS }: { readonly DNS_SERVERS: readonly string[] }): string =>
  DNS_SERVERS.length === 0 ? 'system' : DNS_SERVERS.toSorted().join(',');

/**
 * The part of an environment that a function needs.
 * @throws InputError with one line per variable that is missing or wrong
 */
export const readEnvironment = <T extends z.ZodObject>(
  schema: T,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): z.output<T> => {
  const parsed = schema.safeParse(environment);
  if (parsed.success) return parsed.data;
  throw new InputError(
    mistakesOf(parsed.error.issues, schema, environment).map(
      (mistake) => `environment ${mistakeLine(mistake)}`,
    ),
  );
};
