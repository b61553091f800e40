// Lambda's API and function URLs as AWS's own clients and plain HTTP see them.
import { GetFunctionUrlConfigCommand, InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../lib/clock.ts';
import { startFunctionUrl } from '../../../sandbox/lambda/function-url.ts';
import { startInvokeApi } from '../../../sandbox/lambda/invoke-api.ts';
import { standInAccess } from '../../../sandbox/stand-in.ts';
import { aFunction } from './handlers.ts';

const URL_OF_ECHO = 'http://127.0.0.1:1/';

async function aClient(
  source: string,
): Promise<{ readonly client: LambdaClient; readonly endpoint: string }> {
  const lambda = await aFunction(source);
  const api = await startInvokeApi({ lambda, urls: new Map([['echo', URL_OF_ECHO]]) });
  const endpoint = `http://${api.address}`;
  const client = new LambdaClient(standInAccess(endpoint));
  onTestFinished(async () => {
    client.destroy();
    await api.close();
  });
  return { client, endpoint };
}

const textOf = (payload: Uint8Array | undefined): string => Buffer.from(payload ?? []).toString();

describe('Invoke', () => {
  it('gives the result', async () => {
    const { client } = await aClient('export const handler = async (event) => ({ got: event });');
    const { StatusCode, FunctionError, Payload } = await client.send(
      new InvokeCommand({ FunctionName: 'echo', Payload: '{"a":1}' }),
    );
    expect({ StatusCode, FunctionError, text: textOf(Payload) }).toStrictEqual({
      StatusCode: 200,
      FunctionError: undefined,
      text: '{"got":{"a":1}}',
    });
  });

  it('knows a function by its ARN too', async () => {
    const { client } = await aClient('export const handler = async () => 1;');
    const FunctionName = 'arn:aws:lambda:us-east-1:000000000000:function:echo';
    expect(textOf((await client.send(new InvokeCommand({ FunctionName }))).Payload)).toBe('1');
  });

  it('says that the function failed, and how', async () => {
    const { client } = await aClient('export const handler = async () => { throw new RangeError("no"); };');
    const { FunctionError, Payload } = await client.send(new InvokeCommand({ FunctionName: 'echo' }));
    expect(FunctionError).toBe('Unhandled');
    expect(JSON.parse(textOf(Payload))).toMatchObject({ errorType: 'RangeError', errorMessage: 'no' });
  });

  it('does not wait for an event', async () => {
    const { client } = await aClient(
      'export const handler = () => new Promise(() => setInterval(() => {}, 1000));',
    );
    const sent = await client.send(new InvokeCommand({ FunctionName: 'echo', InvocationType: 'Event' }));
    expect(sent.StatusCode).toBe(202);
  });

  it('of a function that is not there is an error with its name', async () => {
    const { client } = await aClient('export const handler = async () => 1;');
    await expect(client.send(new InvokeCommand({ FunctionName: 'other' }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      message: 'Function not found: other',
    });
  });

  it('without a signature is refused', async () => {
    const { endpoint } = await aClient('export const handler = async () => 1;');
    const answer = await fetch(`${endpoint}/2015-03-31/functions/echo/invocations`, {
      method: 'POST',
      body: '{}',
    });
    expect(answer.status).toBe(403);
  });
});

it('GetFunctionUrlConfig says where a function is', async () => {
  const { client } = await aClient('export const handler = async () => 1;');
  expect(await client.send(new GetFunctionUrlConfigCommand({ FunctionName: 'echo' }))).toMatchObject({
    FunctionUrl: URL_OF_ECHO,
    AuthType: 'AWS_IAM',
  });
});

describe('a function URL', () => {
  const SIGNATURE = `AWS4-HMAC-SHA256 Credential=K/20260102/us-east-1/lambda/aws4_request, SignedHeaders=host;x-amz-date, Signature=${'0'.repeat(64)}`;

  async function aUrl(source: string): Promise<string> {
    const lambda = await aFunction(source);
    const url = await startFunctionUrl({ lambda, functionName: 'echo', clock: systemClock });
    onTestFinished(() => url.close());
    return `http://${url.address}`;
  }

  const signed = (url: string, init: RequestInit = {}): Promise<Response> =>
    fetch(url, { ...init, headers: { authorization: SIGNATURE } });

  it('makes an event of a request, and an answer of the result', async () => {
    const url =
      await aUrl(`export const handler = async ({ version, rawPath, queryStringParameters, requestContext, body }) => ({
      statusCode: 404, headers: { 'x-seen': 'yes' },
      body: JSON.stringify({ version, rawPath, queryStringParameters, method: requestContext.http.method, body }) });`);
    const answer = await signed(`${url}/a/b?link=west`, { method: 'POST', body: 'hello' });
    expect(answer.status).toBe(404);
    expect(answer.headers.get('x-seen')).toBe('yes');
    expect(await answer.json()).toStrictEqual({
      version: '2.0',
      rawPath: '/a/b',
      queryStringParameters: { link: 'west' },
      method: 'POST',
      body: 'hello',
    });
  });

  it('gives a plain result as it is', async () => {
    const answer = await signed(await aUrl('export const handler = async () => ({ links: [] });'));
    expect([answer.status, await answer.text()]).toStrictEqual([200, '{"links":[]}']);
  });

  it('answers 502 for a function that failed', async () => {
    const answer = await signed(
      await aUrl('export const handler = async () => { throw new Error("secret"); };'),
    );
    expect([answer.status, await answer.text()]).toStrictEqual([502, 'Internal Server Error']);
  });

  it('refuses a request without a signature', async () => {
    const answer = await fetch(await aUrl('export const handler = async () => 1;'));
    expect([answer.status, await answer.text()]).toStrictEqual([403, '{"Message":"Forbidden"}']);
  });
});
