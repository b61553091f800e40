// A request to a function URL as Lambda hands it to the function, and the function's answer to it.
import * as z from 'zod';
import { StackError, type HttpAnswer } from '../stack.ts';

/** The fields of a payload of format 2.0 that a GET has ("Lambda function URLs", request payload format). */
export const statusEvent = (link: string | undefined): object => ({
  version: '2.0',
  rawPath: '/',
  rawQueryString: link === undefined ? '' : `link=${encodeURIComponent(link)}`,
  headers: { accept: 'application/json' },
  ...(link !== undefined && { queryStringParameters: { link } }),
  requestContext: { http: { method: 'GET', path: '/', protocol: 'HTTP/1.1' } },
  isBase64Encoded: false,
});

const httpAnswer = z.looseObject({ statusCode: z.int(), body: z.string() });

/** @param name the function's, for the message @throws StackError */
export function readHttpAnswer(name: string, answer: unknown): HttpAnswer {
  const parsed = httpAnswer.safeParse(answer);
  if (!parsed.success) throw new StackError(`function ${name}: expected statusCode and body as its answer`);
  return { status: parsed.data.statusCode, body: parsed.data.body };
}
