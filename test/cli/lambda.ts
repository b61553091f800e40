// Lambda as far as the command line asks it: Invoke, and the URL of the status function. Functions are what the test says.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import * as z from 'zod';
import { listening, readText } from '../../sandbox/lambda/http.ts';

/** The answer; what it throws is answered as Lambda tells a function's error. */
export type TestFunction = (payload: unknown) => unknown;

export interface Invocation {
  readonly name: string;
  readonly type: string; // RequestResponse or Event
  readonly payload: unknown;
}

export interface UrlRequest {
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
}

export interface TestLambda {
  readonly endpoint: string;
  /** URL of the function `<anything>-status`, as a function URL. */
  readonly statusUrl: string;
  /** By name; a test puts its own. */
  readonly functions: Map<string, TestFunction>;
  /** What AWS answers instead, for every function: the type of its error and the message. */
  refusal: { readonly type: string; readonly message: string } | undefined;
  readonly invocations: Invocation[];
  readonly urlRequests: UrlRequest[];
  close(): Promise<void>;
}

/** An error as Lambda tells it: its class and its message. */
export class FunctionError extends Error {
  constructor(errorType: string, message: string) {
    super(message);
    this.name = errorType;
  }
}

const httpAnswer = z.object({ statusCode: z.number(), body: z.string() });

const INVOKE = /^\/2015-03-31\/functions\/([^/?]+)\/invocations$/;

export async function startTestLambda(): Promise<TestLambda> {
  const [functions, invocations, urlRequests] = [
    new Map<string, TestFunction>(),
    [] as Invocation[],
    [] as UrlRequest[],
  ];
  const server = createServer((request, response) => {
    const name = INVOKE.exec(request.url ?? '')?.[1];
    const work = name === undefined ? byUrl(request, response) : invoke(name, request, response);
    work.catch(() => response.destroy());
  });

  async function invoke(name: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const payload: unknown = JSON.parse(await readText(request));
    const type = String(request.headers['x-amz-invocation-type']);
    invocations.push({ name, type, payload });
    const work = functions.get(name);
    const { refusal } = lambda;
    if (refusal !== undefined) {
      response.writeHead(403, { 'x-amzn-errortype': refusal.type });
      response.end(JSON.stringify({ Message: refusal.message }));
    } else if (work === undefined) {
      response.writeHead(404, { 'x-amzn-errortype': 'ResourceNotFoundException' });
      response.end('{"Type":"User","Message":"Function not found"}');
    } else if (type === 'Event') {
      response.writeHead(202).end();
    } else {
      await answer(work, payload, response);
    }
  }

  async function byUrl(request: IncomingMessage, response: ServerResponse): Promise<void> {
    urlRequests.push({ url: request.url ?? '', headers: request.headers });
    const { searchParams } = new URL(request.url ?? '', 'http://localhost');
    const work = [...functions].find(([name]) => name.endsWith('-status'))?.[1];
    const result = await work?.({ queryStringParameters: Object.fromEntries(searchParams) });
    const { statusCode, body } = httpAnswer.parse(result);
    response.writeHead(statusCode, { 'content-type': 'application/json' }).end(body);
  }

  const { address, close } = await listening(server, 0);
  const lambda: TestLambda = {
    endpoint: `http://${address}`,
    statusUrl: `http://${address}/status`,
    functions,
    refusal: undefined,
    invocations,
    urlRequests,
    close,
  };
  return lambda;
}

async function answer(work: TestFunction, payload: unknown, response: ServerResponse): Promise<void> {
  try {
    response.end(JSON.stringify(await work(payload)));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    response.writeHead(200, { 'x-amz-function-error': 'Unhandled' });
    response.end(JSON.stringify({ errorType: error.name, errorMessage: error.message, trace: [] }));
  }
}
