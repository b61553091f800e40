// What the functions of a deployment answer, checked when it arrives: the deployment may be of another version.
import * as z from 'zod';
import { mistakeLine, mistakesOf } from '../lib/mistakes.ts';
import { StackError } from './stack.ts';

const key = { namespace: z.string(), name: z.string() };
const findings = {
  refusals: z.array(z.looseObject({ ...key, reason: z.string(), message: z.string() })),
  unobserved: z.array(z.looseObject({ what: z.string(), message: z.string() })),
  notes: z.array(z.string()),
};
const change = {
  ...key,
  action: z.enum(['create', 'update', 'delete']),
  kind: z.string(),
  reasons: z.array(z.string()),
};
const result = z.enum(['applied', 'failed', 'skipped']);

const errors = z.array(z.looseObject({ link: z.string(), message: z.string() }));

/** What became of one link, or would become of it: the data of `sync` or of `plan`. */
const linkReport = z.looseObject({
  link: z.string(),
  ...findings,
  changes: z.array(z.looseObject(change)),
  explanations: z.array(z.looseObject({ ...key, lines: z.array(z.string()) })).exactOptional(),
  outcomes: z
    .array(z.looseObject({ ...change, result, message: z.string().exactOptional() }))
    .exactOptional(),
});
export type LinkReport = z.output<typeof linkReport>;

export const resyncAnswer = z.looseObject({ links: z.array(linkReport), errors });
export type ResyncAnswer = z.output<typeof resyncAnswer>;

const removal = z.looseObject({
  link: z.string(),
  done: z.boolean(),
  deleted: z.number(),
  failed: z.number(),
  ...findings,
});
export type Removal = z.output<typeof removal>;

export const unlinkAnswer = z.looseObject({ links: z.array(removal), errors });

const access = z.looseObject({
  eks: z.string().exactOptional(),
  secret: z.string().exactOptional(),
  kubeconfig: z.string().exactOptional(),
  context: z.string().exactOptional(),
});

const dnsName = z.looseObject({
  hostname: z.string(),
  family: z.string(),
  state: z.string(),
  addresses: z.array(z.looseObject({ ip: z.string(), state: z.string() })),
  nextCheckInSeconds: z.number(),
  since: z.string().exactOptional(),
  lastError: z.string().exactOptional(),
  departedSince: z.string().exactOptional(),
});

const gatewayAddress = z.looseObject({
  ip: z.string(),
  state: z.string(),
  ttl: z.number().exactOptional(),
  source: z.string(),
  liveness: z.looseObject({
    state: z.string(),
    since: z.string().exactOptional(),
    why: z.string().exactOptional(),
  }),
  since: z.string().exactOptional(),
});

const lastRun = z.looseObject({
  at: z.string(),
  mirrors: z.record(z.string(), z.number()),
  failed: z.number(),
  ...findings,
  moreRefusals: z.number(),
});

const linkStatus = z.looseObject({
  link: z.string(),
  source: access.exactOptional(),
  target: access.exactOptional(),
  state: z.string(), // active, paused or ending
  gateway: z.union([
    z.string(), // why there is nothing
    z.looseObject({
      identity: z.string(),
      alive: z.string(),
      aliveAddresses: z.number(),
      resolved: z.boolean(),
      lastChange: z.string().exactOptional(),
      literals: z.array(z.string()),
      addresses: z.array(gatewayAddress),
      names: z.array(dnsName),
    }),
  ]),
  lastRun: z.union([z.string(), lastRun]),
  journal: z.array(
    z.looseObject({
      at: z.string(),
      what: z.string(),
      reasons: z.array(z.string()),
      result: z.string(),
      message: z.string().exactOptional(),
    }),
  ),
});
export type LinkStatus = z.output<typeof linkStatus>;

export const statusAnswer = z.looseObject({
  links: z.array(linkStatus),
  broken: z.array(z.looseObject({ name: z.string(), why: z.string() })),
});
export type StatusAnswer = z.output<typeof statusAnswer>;

/**
 * The answer itself, so that data is printed as it came: with its fields in their order, and those of a newer version too.
 * @param who the function, for the message @throws StackError naming what was not understood
 */
export function readAnswer<T extends z.ZodObject>(schema: T, answer: unknown, who: string): z.output<T> {
  if (isOf(schema, answer)) return answer;
  const issues = schema.safeParse(answer).error?.issues ?? [];
  const lines = mistakesOf(issues, schema, answer).map(mistakeLine);
  const more = lines.length > MOST ? `; and ${lines.length - MOST} more` : '';
  throw new StackError(
    `${who} answers in a form that this version does not know: ${lines.slice(0, MOST).join('; ')}${more}`,
  );
}

/** The schemas here check and change nothing. */
const isOf = <T extends z.ZodObject>(schema: T, answer: unknown): answer is z.output<T> =>
  schema.safeParse(answer).success;

const MOST = 3;
