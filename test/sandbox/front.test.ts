// What stands before a real API server: whom it lets in, and that it passes everything on. The embedded one plays the real one here.
import { Agent, request, type RequestOptions } from 'node:https';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApiServer, type EmbeddedApiServer } from '../../sandbox/apiserver/server.ts';
import { selfSigned } from '../../sandbox/certificate.ts';
import { startFront } from '../../sandbox/front.ts';
import type { Listening } from '../../sandbox/lambda/http.ts';

const TLS = selfSigned('front');
const agent = new Agent({ ca: TLS.cert });
let server: EmbeddedApiServer;
let front: Listening;

beforeAll(async () => {
  const tls = selfSigned('behind');
  server = await startApiServer({ tls, tokens: [{ token: 'own', user: 'admin' }] });
  const behind = { url: server.url, ca: tls.cert, token: 'own' };
  const reviewToken = (token: string): string | undefined => (token === 'signed' ? 'somebody' : undefined);
  front = await startFront({ port: 0, tls: TLS, behind, reviewToken });
});
afterAll(async () => {
  agent.destroy();
  await front.close();
  await server.close();
});

interface Got {
  readonly status: number | undefined;
  readonly text: string;
}

/** @param enough whether the answer may be left there; absent: at its end */
const ask = (
  path: string,
  {
    body,
    enough = () => false,
    ...options
  }: RequestOptions & { body?: string; enough?: (text: string) => boolean },
): Promise<Got> =>
  new Promise((resolve, reject) => {
    const sent = request(`https://${front.address}${path}`, { ...options, agent }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part;
        if (!enough(text)) return;
        answer.destroy();
        resolve({ status: answer.statusCode, text });
      });
      answer.on('end', () => resolve({ status: answer.statusCode, text }));
    });
    sent.on('error', reject).end(body);
  });

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const NAMESPACES = '/api/v1/namespaces';

it.each([
  ['a token that is reviewed', bearer('signed'), 200],
  ["the API server's own token", bearer('own'), 200],
  ['an unknown token', bearer('other'), 401],
  ['no token', {}, 403],
])('%s', async (_title, options, status) => {
  expect((await ask(NAMESPACES, options)).status).toBe(status);
});

it('passes bodies on, both ways', async () => {
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'new' } });
  const { headers } = bearer('signed');
  const type = { 'content-type': 'application/json' };
  const { status, text } = await ask(NAMESPACES, { method: 'POST', body, headers: { ...headers, ...type } });
  expect(status).toBe(201);
  expect(JSON.parse(text)).toMatchObject({ kind: 'Namespace', metadata: { name: 'new' } });
});

it('passes a watch on as it goes', async () => {
  const watch = `${NAMESPACES}?watch=true&resourceVersion=${server.store.revision}`;
  const seen = ask(watch, { ...bearer('signed'), enough: (text) => text.includes('"ADDED"') });
  server.store.put('namespaces', { metadata: { name: 'later' } });
  expect((await seen).text).toContain('"name":"later"');
});
