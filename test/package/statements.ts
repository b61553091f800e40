// Reads the policy of a role in a template, in a form that is easy to write down.
import * as z from 'zod';

export interface Statement {
  readonly effect: string;
  readonly actions: readonly string[];
  /** `WorkQueue.Arn` for an attribute of another resource, else the text. */
  readonly resources: readonly string[];
  readonly condition?: unknown;
}

const place = z.union([
  z.string(),
  z
    .strictObject({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) })
    .transform((found) => found['Fn::GetAtt'].join('.')),
  z.strictObject({ 'Fn::Sub': z.string() }).transform((found) => found['Fn::Sub']),
]);

const statement = z.strictObject({
  Sid: z.string(),
  Effect: z.string(),
  Action: z.array(z.string()),
  Resource: z.union([place.transform((one) => [one]), z.array(place)]),
  Condition: z.unknown().optional(),
});

const role = z.object({
  Type: z.literal('AWS::IAM::Role'),
  Properties: z.object({
    Policies: z.tuple([z.object({ PolicyDocument: z.object({ Statement: z.array(statement) }) })]),
    ManagedPolicyArns: z.never().optional(),
  }),
});

/** The statements of a role's one policy. Throws when the role has anything else that grants. */
export const statementsOf = (resource: unknown): Statement[] =>
  role
    .parse(resource)
    .Properties.Policies[0].PolicyDocument.Statement.map(
      ({ Effect: effect, Action: actions, Resource: resources, Condition: condition }) => ({
        effect,
        actions,
        resources,
        ...(condition !== undefined && { condition }),
      }),
    );
