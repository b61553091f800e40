// Stands before a real API server as EKS does: lets in who has a token signed by IAM, under a user of the cluster's own.
import { createServer, request, type ServerOptions } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClusterAccess } from './api-client.ts';
import type { ReviewToken } from './apiserver/http/auth.ts';
import { listening, type Listening } from './lambda/http.ts';

export interface FrontOptions {
  readonly port: number; // 0 for a free one
  readonly tls: Required<Pick<ServerOptions, 'key' | 'cert'>>;
  /** The API server behind it; its token is what a reviewed one is exchanged for. */
  readonly behind: Pick<ClusterAccess, 'url' | 'ca' | 'token'>;
  readonly reviewToken: ReviewToken;
}

/** Tokens that are not reviewed go on as they are: the API server itself decides about them. */
export function startFront({ port, tls, behind, reviewToken }: FrontOptions): Promise<Listening> {
  const server = createServer({ ...tls }, (incoming, response) => {
    const token = /^Bearer (\S+)$/.exec(incoming.headers.authorization ?? '')?.[1] ?? '';
    const isReviewed = reviewToken(token) !== undefined;
    const authorization = isReviewed ? `Bearer ${behind.token}` : incoming.headers.authorization;
    passOn(incoming, response, behind, authorization);
  });
  return listening(server, port);
}

function passOn(
  incoming: IncomingMessage,
  response: ServerResponse,
  { url, ca }: FrontOptions['behind'],
  authorization: string | undefined,
): void {
  const { method, url: path = '/', headers } = incoming;
  const own = { ...headers, ...(authorization !== undefined && { authorization }) };
  const onward = request(`${url}${path}`, { method, ca, headers: own }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    response.flushHeaders(); // a watch may have nothing to say for long
    answer.pipe(response);
    answer.on('error', () => response.destroy());
  });
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  incoming.pipe(onward);
}
