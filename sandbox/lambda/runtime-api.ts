// Lambda's Runtime API (AWS: "Using the Lambda runtime API for custom runtimes"): execution environments ask for their next invocation
// and bring back what became of it.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listening, readText } from './http.ts';

export interface Invocation {
  readonly requestId: string;
  readonly functionArn: string;
  readonly payload: string; // JSON
  readonly deadline: number; // ms since the epoch
}

export interface Result {
  readonly isError: boolean;
  readonly payload: string; // JSON; of an error {errorType, errorMessage, trace?}
}

/** The Runtime API as one execution environment sees it. */
export interface Mailbox {
  /** `HOST:PORT/ID`, for AWS_LAMBDA_RUNTIME_API: one server serves all environments, told apart by the path. */
  readonly address: string;
  /** Resolves when the environment has asked for work for the first time, or has said that it cannot begin. */
  readonly begun: Promise<Result | undefined>;
  /** Hands an invocation over; one at a time. */
  exchange(invocation: Invocation): Promise<Result>;
  /** Answers in the place of an environment that does not any more, and forgets it. */
  close(result: Result): void;
}

export interface RuntimeApi {
  open(): Mailbox;
  close(): Promise<void>;
}

const PATH =
  /^\/([^/]+)\/2018-06-01\/runtime\/(?:invocation\/(next)|invocation\/([^/]+)\/(response|error)|(init)\/error)$/;

interface Desk {
  readonly mailbox: Mailbox;
  next(response: ServerResponse): void;
  /** false: nobody waits for an answer to this invocation */
  answer(requestId: string | undefined, result: Result): boolean;
}

export async function startRuntimeApi({ port = 0 }: { readonly port?: number } = {}): Promise<RuntimeApi> {
  const desks = new Map<string, Desk>();
  const server = createServer((request, response) => {
    void serve(desks, request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 0; // an environment may work for minutes between two requests
  const { address, close } = await listening(server, port);
  return {
    open() {
      const id = randomUUID();
      const desk = openDesk(`${address}/${id}`, () => desks.delete(id));
      desks.set(id, desk);
      return desk.mailbox;
    },
    close,
  };
}

async function serve(
  desks: ReadonlyMap<string, Desk>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [, id = '', next, requestId, kind, init] = PATH.exec(request.url ?? '') ?? [];
  const desk = desks.get(id);
  if (desk === undefined) return refuse(response, 404);
  if (next !== undefined) return desk.next(response);
  const payload = await readText(request);
  const isError = kind === 'error' || init !== undefined;
  if (!desk.answer(requestId, { isError, payload })) return refuse(response, 400);
  response.writeHead(202, { 'content-type': 'application/json' }).end('{"status":"OK"}');
}

function refuse(response: ServerResponse, status: number): void {
  const body = { errorType: 'InvalidRequestID', errorMessage: 'no such environment or invocation' };
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

interface Open {
  readonly invocation: Invocation;
  readonly resolve: (result: Result) => void;
}

function openDesk(address: string, forget: () => void): Desk {
  const begun = Promise.withResolvers<Result | undefined>();
  let waiting: ServerResponse | undefined;
  let open: Open | undefined;
  const handOver = (): void => {
    if (waiting === undefined || open === undefined) return;
    sendInvocation(waiting, open.invocation);
    waiting = undefined;
  };
  const settle = (result: Result): void => {
    begun.resolve(result);
    open?.resolve(result);
    open = undefined;
  };
  return {
    next(response) {
      waiting = response;
      begun.resolve(undefined);
      handOver();
    },
    answer(requestId, result) {
      const isInitial = requestId === undefined;
      if (!isInitial && open?.invocation.requestId !== requestId) return false;
      settle(result);
      return true;
    },
    mailbox: {
      address,
      begun: begun.promise,
      exchange: (invocation) =>
        new Promise((resolve) => {
          open = { invocation, resolve };
          handOver();
        }),
      close(result) {
        settle(result);
        waiting?.destroy();
        forget();
      },
    },
  };
}

function sendInvocation(response: ServerResponse, invocation: Invocation): void {
  const { requestId, functionArn, payload, deadline } = invocation;
  response.writeHead(200, {
    'content-type': 'application/json',
    'lambda-runtime-aws-request-id': requestId,
    'lambda-runtime-deadline-ms': String(deadline),
    'lambda-runtime-invoked-function-arn': functionArn,
  });
  response.end(payload);
}
