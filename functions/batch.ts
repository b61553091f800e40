// Works off the records of an SQS event: each body is checked, and one that fails is delivered again without its neighbours.
import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type * as z from 'zod';
import { errorText, InputError } from '../lib/errors.ts';
import { mistakeLine, mistakesOf } from '../lib/mistakes.ts';
import { logger } from './telemetry.ts';

/** The body as the schema wants it. @throws InputError with every mistake of it */
const messageOf = <T extends z.ZodObject>(schema: T, { body, messageId }: SQSRecord): z.output<T> => {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    throw new InputError([`message ${messageId}: expected JSON, got ${JSON.stringify(body.slice(0, 80))}`]);
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const lines = mistakesOf(parsed.error.issues, schema, json).map(mistakeLine);
  throw new InputError(lines.map((line) => `message ${messageId}: ${line}`));
};

/** A batch handler for messages of one form. What throws goes back to the queue, and after a few times to its dead-letter queue. */
export const forEachMessage =
  <T extends z.ZodObject>(schema: T, work: (message: z.output<T>, context: Context) => Promise<void>) =>
  (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const one = async (record: SQSRecord): Promise<void> => {
      try {
        await work(messageOf(schema, record), context);
      } catch (error) {
        logger.error('a message could not be worked off', {
          messageId: record.messageId,
          why: errorText(error),
        });
        throw error;
      }
    };
    const processor = new BatchProcessor(EventType.SQS);
    return processPartialResponse(event, one, processor, { context, throwOnFullBatchFailure: false });
  };
