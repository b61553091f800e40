// Asks the status function by its URL, which takes requests signed for AWS only.
import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import { systemErrorText } from '../../lib/wording.ts';
import { StackError, type HttpAnswer, type StatusQuestion } from '../stack.ts';
import type { Invoker } from './invoke.ts';
import { stackFailure } from './failures.ts';

type Question = StatusQuestion & { readonly url: string };

/** @throws StackError, or the reason of the signal */
export async function askStatusUrl(invoker: Invoker, question: Question): Promise<HttpAnswer> {
  const url = urlOf(question);
  const headers = await signedHeaders(invoker, url);
  const signals = [
    AbortSignal.timeout(PATIENCE),
    ...(question.signal === undefined ? [] : [question.signal]),
  ];
  try {
    const answer = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.any(signals) });
    return { status: answer.status, body: await answer.text() };
  } catch (error) {
    if (question.signal?.aborted === true) throw question.signal.reason;
    throw new StackError(`status function at ${url.host}: no answer (${reasonOf(error)})`);
  }
}

const PATIENCE = 30_000; // ms

function urlOf({ url: text, link }: Question): URL {
  const url = new URL(text);
  if (link !== undefined) url.searchParams.set('link', link);
  return url;
}

async function signedHeaders(
  { client, stage, region }: Invoker,
  url: URL,
): Promise<Readonly<Record<string, string>>> {
  const signer = new SignatureV4({
    service: 'lambda',
    region,
    credentials: client.config.credentials,
    sha256: Sha256,
  });
  try {
    const { headers } = await signer.sign({
      method: 'GET',
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: { host: url.host, accept: 'application/json' },
    });
    const { host: _host, ...rest } = headers; // fetch writes it by itself
    return rest;
  } catch (error) {
    throw stackFailure(error, { stage, region, resource: 'status function', request: 'status function' });
  }
}

/** What the network said is the cause of what `fetch` throws. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `${PATIENCE / 1000} s are over`;
  return error instanceof Error && error.cause !== undefined
    ? systemErrorText(error.cause)
    : systemErrorText(error);
}
