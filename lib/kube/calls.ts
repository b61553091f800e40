// Runs calls of the generated client with our bytes in and out: it makes the request, we send it and read the answer.
import {
  type Configuration,
  type ConfigurationOptions,
  type RequestContext,
  ResponseContext,
  SelfDecodingBody,
  ServerConfiguration,
  createConfiguration,
  wrapHttpLibrary,
} from '@kubernetes/client-node/dist/gen/index.js';
import type { Manifest } from '../model/objects.ts';
import type { KubeConnection } from './connection.ts';
import { CredentialsError, failureOf, noCredentials, notUnderstood, unreachable } from './failures.ts';
import type { Answer } from './answer.ts';
import type { Transport } from './transport.ts';

/** One request: who asks for what, in words, and what of it the generated client does not write itself. */
export interface Call {
  /** Which cluster, verb and object: `source: PATCH Service shop/web-west`. */
  readonly request: string;
  readonly body?: Manifest;
  readonly contentType?: string;
  readonly accept?: string;
  readonly run: (options: ConfigurationOptions) => Promise<unknown>;
}

/** The settings that the generated APIs of one cluster share. */
export const configurationOf = (connection: KubeConnection, transport: Transport): Configuration =>
  createConfiguration({
    baseServer: new ServerConfiguration(connection.server.replace(/\/+$/, ''), {}),
    authMethods: {
      default: {
        getName: () => `credentials of the ${connection.name} cluster`,
        applySecurityAuthentication: (context) => transport.authorize(context),
      },
    },
  });

/**
 * The parsed body of the answer. Throws ClusterError.
 *
 * The generated client's own bodies are left out on both ways: its typed reading drops fields, makes Dates of times and costs
 * a multiple of JSON.parse, its typed writing drops what it does not know.
 */
export async function send(transport: Transport, call: Call): Promise<unknown> {
  let json: unknown;
  const httpApi = wrapHttpLibrary({
    async send(context) {
      json = await exchange(transport, call, context);
      return nothingToRead();
    },
  });
  try {
    await call.run({ httpApi });
  } catch (error) {
    throw error instanceof CredentialsError ? noCredentials(call.request, error) : error;
  }
  return json;
}

async function exchange(transport: Transport, call: Call, context: RequestContext): Promise<unknown> {
  if (call.body !== undefined) context.setBody(JSON.stringify(call.body));
  if (call.contentType !== undefined) context.setHeaderParam('Content-Type', call.contentType);
  if (call.accept !== undefined) context.setHeaderParam('Accept', call.accept);
  const answer = await answerTo(transport, call, context);
  if (answer.status < 200 || answer.status > 299) throw failureOf(answer, call.request, transport.now());
  return parsed(answer, call);
}

async function answerTo(transport: Transport, { request }: Call, context: RequestContext): Promise<Answer> {
  try {
    return await transport.send(context);
  } catch (error) {
    throw unreachable(request, error);
  }
}

function parsed({ text }: Answer, { request }: Call): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notUnderstood(request, 'it is not JSON'); // the parser's own message quotes the text
  }
}

/** What the generated client finds to read: a JSON null, which every one of its types lets pass. */
const nothingToRead = (): ResponseContext =>
  new ResponseContext(
    200,
    { 'content-type': 'application/json' },
    new SelfDecodingBody(Promise.resolve(Buffer.from('null'))),
  );
