// DNS names in DynamoDB: one item per name and family, changed by single conditional writes.
import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { NameStore } from '../../ports.ts';
import { nameStateFrom } from '../name-state.ts';
import { nameKey, namesOf } from './keys.ts';
import { partition } from './partition.ts';
import type { Table } from './table.ts';

/** Requests: every method 1, `list` 1 per MiB of names. @param resolvers which DNS servers the answers come from */
export const dynamoNames = (table: Table, resolvers: string): NameStore => {
  const where = (sk: unknown): string => `table ${table.name}, DNS name ${String(sk)}`;
  const key = (hostname: string, family: string) => nameKey(resolvers, hostname, family);
  return {
    async list() {
      return (await partition(table, namesOf(resolvers), 'list DNS names')).map(
        (item) => nameStateFrom(item, where(item['sk'])).value,
      );
    },

    async get(hostname, family) {
      const { Item: stored } = await table.ask(`read DNS name ${hostname}`, (documents) =>
        documents.send(
          new GetCommand({ TableName: table.name, Key: key(hostname, family), ConsistentRead: true }),
        ),
      );
      return stored === undefined ? undefined : nameStateFrom(stored, where(stored['sk']));
    },

    async save(state, expected) {
      const { hostname, family } = state.record;
      const done = await table.change(`save DNS name ${hostname}`, (documents) =>
        documents.send(
          new PutCommand({
            TableName: table.name,
            Item: { ...key(hostname, family), ...state, version: expected + 1 },
            ...(expected === 0
              ? { ConditionExpression: 'attribute_not_exists(pk)' }
              : {
                  ConditionExpression: 'version = :expected',
                  ExpressionAttributeValues: { ':expected': expected },
                }),
          }),
        ),
      );
      return done !== undefined;
    },

    async claim(hostname, family, { now, until }) {
      const done = await table.change(`claim DNS name ${hostname}`, (documents) =>
        documents.send(
          new UpdateCommand({
            TableName: table.name,
            Key: key(hostname, family),
            UpdateExpression: 'SET nextCheckAt = :until ADD version :one',
            ConditionExpression: 'attribute_exists(pk) AND nextCheckAt <= :now',
            ExpressionAttributeValues: { ':now': now, ':until': until, ':one': 1 },
            ReturnValues: 'ALL_NEW',
          }),
        ),
      );
      return done === undefined ? undefined : nameStateFrom(done.Attributes, where(hostname));
    },

    async remove(hostname, family, expected) {
      await table.change(`remove DNS name ${hostname}`, (documents) =>
        documents.send(
          new DeleteCommand({
            TableName: table.name,
            Key: key(hostname, family),
            ConditionExpression: 'version = :expected',
            ExpressionAttributeValues: { ':expected': expected },
          }),
        ),
      );
    },
  };
};
