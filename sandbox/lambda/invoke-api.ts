// The part of Lambda's own API that the command line uses: Invoke, and where a function's URL is.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listening, readText, type Listening } from './http.ts';
import type { LambdaService } from './service.ts';
import { isSigned } from './signed.ts';

export interface InvokeApiOptions {
  readonly lambda: LambdaService;
  readonly port?: number; // default: a free one
  /** URLs of functions, by the functions' names. */
  readonly urls: ReadonlyMap<string, string>;
}

const INVOKE = /^\/2015-03-31\/functions\/([^/?]+)\/invocations(?:\?|$)/;
const URL_CONFIG = /^\/2021-10-31\/functions\/([^/?]+)\/url(?:\?|$)/;

/** Requests must be signed; the signature itself is not checked. */
export async function startInvokeApi({ lambda, port = 0, urls }: InvokeApiOptions): Promise<Listening> {
  const server = createServer((request, response) => {
    void answer({ lambda, urls }, request, response).catch(() => response.destroy());
  });
  return listening(server, port);
}

type Api = Pick<InvokeApiOptions, 'lambda' | 'urls'>;

async function answer(api: Api, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url = '' } = request;
  if (!isSigned(request))
    return fail(response, 403, 'MissingAuthenticationTokenException', 'Missing Authentication Token');
  const [asked, located] = [INVOKE.exec(url)?.[1], URL_CONFIG.exec(url)?.[1]];
  const name = nameOf(asked ?? located ?? '');
  const spec = api.lambda.functions.get(name);
  if (asked === undefined && located === undefined)
    return fail(response, 404, 'UnknownOperationException', `${method} ${url}`);
  if (spec === undefined)
    return fail(response, 404, 'ResourceNotFoundException', `Function not found: ${name}`);
  if (asked !== undefined) return invoke(api.lambda, name, request, response);
  const functionUrl = api.urls.get(name);
  if (functionUrl === undefined)
    return fail(response, 404, 'ResourceNotFoundException', `The resource you requested does not exist.`);
  const config = {
    FunctionUrl: functionUrl,
    FunctionArn: spec.arn,
    AuthType: 'AWS_IAM',
    InvokeMode: 'BUFFERED',
  };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(config));
}

/** A function is asked for by its name or by its ARN. */
const nameOf = (segment: string): string => decodeURIComponent(segment).split(':').at(-1) ?? '';

async function invoke(
  lambda: LambdaService,
  name: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const payload = (await readText(request)) || '{}';
  const isEvent = request.headers['x-amz-invocation-type'] === 'Event';
  const invoked = lambda.invoke(name, payload);
  if (isEvent) {
    response.writeHead(202).end();
    await invoked;
    return;
  }
  const { requestId, isError, payload: result } = await invoked;
  response.writeHead(200, {
    'content-type': 'application/json',
    'x-amzn-requestid': requestId,
    'x-amz-executed-version': '$LATEST',
    ...(isError && { 'x-amz-function-error': 'Unhandled' }),
  });
  response.end(result);
}

function fail(response: ServerResponse, status: number, type: string, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': type });
  response.end(JSON.stringify({ Type: 'User', Message: message }));
}
