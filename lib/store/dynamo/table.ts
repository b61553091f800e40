// One DynamoDB table as the stores use it: what fails is a StateError, what a condition refused is an answer, and every answer tells
// the time.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { awsFailure } from '../../aws-failures.ts';
import { StateError } from '../../errors.ts';
import type { Clock } from '../../ports.ts';
import { answerClock } from './answer-clock.ts';

export type Item = Readonly<Record<string, unknown>>;

type Send<T> = (documents: DynamoDBDocumentClient) => Promise<T>;

export interface Table {
  readonly name: string;
  readonly clock: Clock;
  /** ms since the epoch by DynamoDB's clock, at most a second and one answer's way behind it; local time before the first answer. */
  now(): number;
  /** How many requests were sent so far, those that were sent again included. */
  requests(): number;
  /** The answer. @param what for the message, e.g. `get link west` @throws StateError */
  ask<T>(what: string, send: Send<T>): Promise<T>;
  /** The answer to a conditional write; undefined: its condition did not hold. @throws StateError */
  change<T>(what: string, send: Send<T>): Promise<T | undefined>;
}

export interface TableOptions {
  /** Gets a middleware that reads the Date of every answer. */
  readonly client: DynamoDBClient;
  readonly table: string;
  readonly clock: Clock;
}

export function openTable({ client, table: name, clock }: TableOptions): Table {
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  const time = answerClock(clock);
  let requests = 0;
  // Low priority: next to the wire, so that every attempt is counted, and read before it is taken for a success or an error.
  client.middlewareStack.add(
    (next) => async (args) => {
      requests += 1;
      const result = await next(args);
      time.saw(result.response);
      return result;
    },
    { step: 'deserialize', priority: 'low' },
  );
  return {
    name,
    clock,
    now: () => time.now(),
    requests: () => requests,
    async ask(what, send) {
      try {
        return await send(documents);
      } catch (error) {
        throw failure(name, what, error);
      }
    },
    async change(what, send) {
      try {
        return await send(documents);
      } catch (error) {
        if (error instanceof Error && error.name === 'ConditionalCheckFailedException') return undefined;
        throw failure(name, what, error);
      }
    },
  };
}

/** Without the cause: an SDK's error can quote signed headers, a session token among them. */
function failure(table: string, what: string, error: unknown): StateError {
  const words = {
    ResourceNotFoundException: 'there is no such table',
    ...(isTooLarge(error) && { ValidationException: 'it is larger than an item may be (400 KiB)' }),
  };
  return new StateError(`table ${table}: cannot ${what}: ${awsFailure(error, what, words).message}`);
}

const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && /item size .*has exceeded/i.test(error.message);
