// An AWS service of the JSON protocols that says what a test wants: for what the stand-ins never do. Loopback only.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { vi } from 'vitest';

export interface AwsRequest {
  readonly operation: string; // `GetItem`
  readonly body: AwsBody;
}

/** What tests look at in the body of a request. */
interface AwsBody {
  readonly ExclusiveStartKey?: unknown;
  readonly RequestItems?: Readonly<Record<string, readonly unknown[]>>;
  readonly Entries?: readonly { readonly Id: string; readonly MessageBody: string }[];
}

export interface AwsAnswer {
  readonly status?: number; // default: 200
  readonly body: object;
}

export interface AwsStub {
  readonly endpoint: string;
  readonly requests: readonly AwsRequest[];
  /** May be called again. */
  close(): Promise<void>;
}

/** An error as these services send it. */
export const awsError = (name: string, message = '', status = 400): AwsAnswer => ({
  status,
  body: { __type: `com.amazonaws#${name}`, message },
});

/** @param answer undefined leaves a request without one */
export async function startAwsStub(answer: (request: AwsRequest) => AwsAnswer | undefined): Promise<AwsStub> {
  const requests: AwsRequest[] = [];
  const respond = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const operation = String(incoming.headers['x-amz-target']).split('.')[1] ?? '';
    const request: AwsRequest = { operation, body: JSON.parse(await text(incoming)) };
    requests.push(request);
    const answered = answer(request);
    if (answered === undefined) return;
    const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-requestid': 'ID-1' };
    outgoing.writeHead(answered.status ?? 200, headers).end(JSON.stringify(answered.body));
  };
  const server = createServer((incoming, outgoing) => {
    void respond(incoming, outgoing);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  let closing: Promise<void> | undefined;
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    requests,
    close: () => (closing ??= stop(server)),
  };
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

/** As a Lambda's environment, with the endpoint of one service elsewhere. Undone by `vi.unstubAllEnvs()`. */
export function stubAwsEnvironment(endpointVariable: string, endpoint: string): void {
  vi.stubEnv(endpointVariable, endpoint);
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
}
