// Writes answers: headers, compression, watches, and answers that a fault ends half-way.
import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { StatusError } from '../status.ts';
import type { Status } from '../status.ts';
import type { FaultAction } from './faults.ts';
import type { Answer } from './request.ts';

/** Answers from this size on are compressed for clients that take it. Bytes. */
const COMPRESSED_FROM = 128 * 1024;
const compress = promisify(gzip);

export const statusAnswer = (status: Status): Answer => ({
  kind: 'body',
  code: status.code ?? 500,
  contentType: 'application/json',
  body: `${JSON.stringify(status)}\n`,
  ...(status.details?.retryAfterSeconds === undefined
    ? {}
    : { retryAfter: status.details.retryAfterSeconds }),
});

export function faultAnswer(action: Exclude<FaultAction, string>): Answer {
  const { status, reason, message, retryAfter } = action;
  const details = retryAfter === undefined ? undefined : { retryAfterSeconds: retryAfter };
  return statusAnswer(new StatusError(status, reason, message, details).status);
}

/** The Date is that of the injected clock: leases are judged by it. */
export function setHeaders(response: ServerResponse, now: number, warnings: readonly string[]): void {
  response.sendDate = false;
  response.setHeader('Date', new Date(now).toUTCString());
  response.setHeader('Cache-Control', 'no-cache, private');
  if (warnings.length === 0) return;
  response.setHeader(
    'Warning',
    warnings.map((warning) => `299 - ${JSON.stringify(warning)}`),
  );
}

export interface Sending {
  /** Is told the bytes of the body that are sent. */
  readonly count: (bytes: number) => void;
  /** Ends the answer half-way. */
  readonly cut: boolean;
  /** The client takes gzip. */
  readonly gzip: boolean;
}

export async function send(response: ServerResponse, answer: Answer, sending: Sending): Promise<void> {
  if (answer.kind === 'watch') {
    sendWatch(response, answer.start, sending.count);
    return;
  }
  const plain = Buffer.from(answer.body);
  const compressed = sending.gzip && plain.length >= COMPRESSED_FROM;
  const body = compressed ? await compress(plain, { level: constants.Z_BEST_SPEED }) : plain;
  if (compressed) response.setHeader('Content-Encoding', 'gzip');
  if (plain.length >= COMPRESSED_FROM) response.setHeader('Vary', 'Accept-Encoding');
  if (answer.retryAfter !== undefined) response.setHeader('Retry-After', answer.retryAfter);
  response.writeHead(answer.code, { 'Content-Type': answer.contentType, 'Content-Length': body.length });
  const sent = sending.cut ? body.subarray(0, body.length >> 1) : body;
  sending.count(sent.length);
  if (sending.cut) response.write(sent, () => response.destroy());
  else response.end(sent);
}

function sendWatch(
  response: ServerResponse,
  start: Extract<Answer, { kind: 'watch' }>['start'],
  count: (bytes: number) => void,
): void {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.flushHeaders();
  const stop = start({
    write(line) {
      count(Buffer.byteLength(line));
      response.write(line);
    },
    end: () => response.end(),
  });
  response.on('close', stop);
}
