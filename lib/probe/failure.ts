// What an error of a probe says: that the gateway failed, or only that we could not ask. Never holds a word of the gateway's own.
import type { ProbeResult } from '../ports.ts';

/** Our own side: no route or address of that family, no more sockets, a local firewall (connect(2) of Linux). */
const OURS: ReadonlySet<string> = new Set([
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EAFNOSUPPORT',
  'EACCES',
  'EPERM',
  'EMFILE',
  'ENFILE',
  'ENOBUFS',
  'ENOMEM',
]);

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed without an answer',
  EPIPE: 'connection closed without an answer',
  EHOSTUNREACH: 'host unreachable',
  HPE_HEADER_OVERFLOW: 'headers of more than 16 KB',
};

const codeOf = (error: unknown): string => {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
};

const unasked = (what: string): ProbeResult => ({ kind: 'unknown', why: `could not be asked: ${what}` });

export const failureOf = (error: unknown): ProbeResult => {
  const code = codeOf(error);
  if (code === '') return unasked(String(error));
  // ERR_…: Node refused to send it, such as a path or host with characters that no request line may have.
  if (OURS.has(code) || code.startsWith('ERR_')) return unasked(code);
  const parsing = code.startsWith('HPE_') ? 'no HTTP answer' : code; // codes of Node's HTTP parser
  return { kind: 'failed', why: WORDS[code] ?? parsing };
};
