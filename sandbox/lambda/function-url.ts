// A function URL with IAM auth on this computer: an HTTP request becomes an event of payload format 2.0, the result an HTTP answer.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Clock } from '../../lib/ports.ts';
import { listening, readText, type Listening } from './http.ts';
import type { LambdaService } from './service.ts';
import { isSigned } from './signed.ts';

export interface FunctionUrlOptions {
  readonly lambda: Pick<LambdaService, 'invoke'>;
  readonly functionName: string;
  readonly clock: Clock;
  readonly port?: number; // default: a free one
}

/** Requests must be signed; the signature itself is not checked. */
export async function startFunctionUrl({ port = 0, ...options }: FunctionUrlOptions): Promise<Listening> {
  const server = createServer((request, response) => {
    void answer(options, request, response).catch(() => response.destroy());
  });
  return listening(server, port);
}

type Url = Omit<FunctionUrlOptions, 'port'>;

async function answer(
  { lambda, functionName, clock }: Url,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!isSigned(request)) return send(response, { statusCode: 403, body: '{"Message":"Forbidden"}' });
  const event = eventOf(request, await readText(request), clock.now());
  const { isError, payload } = await lambda.invoke(functionName, JSON.stringify(event));
  send(response, isError ? { statusCode: 502, body: 'Internal Server Error' } : answerIn(payload));
}

interface HttpAnswer {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const isHttpAnswer = (result: unknown): result is HttpAnswer =>
  typeof result === 'object' && result !== null && 'statusCode' in result;

/** A result without a status code is the body. */
function answerIn(payload: string): HttpAnswer {
  const result: unknown = JSON.parse(payload);
  return isHttpAnswer(result) ? result : { statusCode: 200, body: payload };
}

function send(response: ServerResponse, { statusCode, headers, body }: HttpAnswer): void {
  response.writeHead(statusCode, { 'content-type': 'application/json', ...headers }).end(body);
}

function eventOf({ method, url = '/', headers }: IncomingMessage, body: string, now: number): object {
  const { pathname, search, searchParams } = new URL(url, 'http://localhost');
  const http = {
    method,
    path: pathname,
    protocol: 'HTTP/1.1',
    sourceIp: '127.0.0.1',
    userAgent: headers['user-agent'],
  };
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: pathname,
    rawQueryString: search.slice(1),
    headers,
    ...(search === '' ? {} : { queryStringParameters: Object.fromEntries(searchParams) }),
    requestContext: {
      routeKey: '$default',
      stage: '$default',
      domainName: headers.host,
      http,
      timeEpoch: now,
    },
    ...(body === '' ? {} : { body }),
    isBase64Encoded: false,
  };
}
