// Runs inside an execution environment and does what Lambda's own runtime does: loads the handler of the unpacked package, then takes
// one invocation after the other from the Runtime API. Needs nothing but Node.
import { Agent, request, type IncomingHttpHeaders } from 'node:http';

type Handler = (event: unknown, context: object) => Promise<unknown>;
type Environment = Readonly<Record<string, string | undefined>>;

interface Answer {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** No time limit: the next invocation may be hours away. */
const call = (method: 'GET' | 'POST', url: string, body?: unknown): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve({ headers: response.headers, text })).on('error', reject);
    });
    sent.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
  });

const errorBody = (error: unknown): object =>
  error instanceof Error
    ? { errorType: error.name, errorMessage: error.message, trace: error.stack?.split('\n') ?? [] }
    : { errorType: typeof error, errorMessage: String(error), trace: [] };

const contextOf = (environment: Environment, headers: IncomingHttpHeaders): object => {
  const { AWS_LAMBDA_FUNCTION_NAME, AWS_LAMBDA_FUNCTION_MEMORY_SIZE } = environment;
  const deadline = Number(headers['lambda-runtime-deadline-ms']);
  return {
    awsRequestId: headers['lambda-runtime-aws-request-id'],
    invokedFunctionArn: headers['lambda-runtime-invoked-function-arn'],
    functionName: AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: '$LATEST',
    memoryLimitInMB: AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    logGroupName: `/aws/lambda/${AWS_LAMBDA_FUNCTION_NAME}`,
    logStreamName: 'sandbox',
    getRemainingTimeInMillis: () => deadline - Date.now(),
  };
};

/** Runs until the Runtime API is gone. @param load imports the handler; what it throws is the answer to the first invocation */
export async function serve(environment: Environment, load: () => Promise<Handler>): Promise<void> {
  const api = `http://${environment['AWS_LAMBDA_RUNTIME_API']}/2018-06-01/runtime`;
  const runNext = async (handler: Handler): Promise<void> => {
    const { headers, text } = await call('GET', `${api}/invocation/next`);
    const answer = `${api}/invocation/${String(headers['lambda-runtime-aws-request-id'])}`;
    try {
      const result = await handler(JSON.parse(text), contextOf(environment, headers));
      await call('POST', `${answer}/response`, result ?? null);
    } catch (error) {
      await call('POST', `${answer}/error`, errorBody(error));
    }
  };
  try {
    const handler = await load();
    for (;;) await runNext(handler);
  } catch (error) {
    await call('POST', `${api}/init/error`, errorBody(error)).catch(() => undefined); // nobody is there: the sandbox has ended
    process.exit(1);
  }
}
