// Gateway state in DynamoDB: one item per link, replaced as a whole when its version still is the expected one.
import { GetCommand, PutCommand, type PutCommandInput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { StateError } from '../../errors.ts';
import { mistakeLine, mistakesOf } from '../../mistakes.ts';
import type { GatewayStore } from '../../ports.ts';
import { gatewayStateFrom } from '../gateway-state.ts';
import { gatewayKey } from './keys.ts';
import type { Table } from './table.ts';

const frame = z.object({
  schema: z.literal(1),
  version: z.int('expected a whole number').min(1),
  state: z.unknown().optional(),
});

/** Requests: `load` 1, `save` 1. */
export const dynamoGateways = (table: Table): GatewayStore => ({
  async load(link) {
    const { Item: stored } = await table.ask(`read the gateway state of link ${link}`, (documents) =>
      documents.send(new GetCommand({ TableName: table.name, Key: gatewayKey(link), ConsistentRead: true })),
    );
    if (stored === undefined) return undefined;
    const where = `table ${table.name}, gateway state of link ${link}`;
    const parsed = frame.safeParse(stored);
    if (!parsed.success) {
      const lines = mistakesOf(parsed.error.issues, frame, stored).map(mistakeLine);
      throw new StateError(`${where}: ${lines.join('; ')}`);
    }
    return { value: gatewayStateFrom(parsed.data.state, where), version: parsed.data.version };
  },

  async save(link, state, expected) {
    const done = await table.change(`save the gateway state of link ${link}`, (documents) =>
      documents.send(
        new PutCommand({
          TableName: table.name,
          Item: { ...gatewayKey(link), schema: 1, version: expected + 1, state },
          ...conditionFor(expected),
        }),
      ),
    );
    return done !== undefined;
  },
});

type Condition = Pick<PutCommandInput, 'ConditionExpression' | 'ExpressionAttributeValues'>;

const conditionFor = (expected: number): Condition =>
  expected === 0
    ? { ConditionExpression: 'attribute_not_exists(pk)' }
    : { ConditionExpression: 'version = :expected', ExpressionAttributeValues: { ':expected': expected } };
