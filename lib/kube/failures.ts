// What a failed request means for the caller: ClusterErrors that are safe to show, whatever the server answered.
import { ClusterError, type ClusterErrorKind } from '../errors.ts';
import type { Answer } from './answer.ts';

const LONGEST_MESSAGE = 500;

/** metav1.Status, as far as it is read. */
interface Status {
  readonly kind: 'Status';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: {
    readonly name?: string;
    readonly causes?: readonly { readonly reason?: string }[] | null;
    readonly retryAfterSeconds?: number;
  };
}

/** `ECONNREFUSED`, `UND_ERR_HEADERS_TIMEOUT`, `CERT_HAS_EXPIRED`, …: the innermost code of a network error, else its name. */
export function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.cause instanceof Error ? errorCode(error.cause) : error.name;
}

/** No answer, half an answer, or one that no API server gives. @param request which cluster, verb and object */
export function unreachable(request: string, error: unknown): ClusterError {
  const code = errorCode(error);
  return new ClusterError(`no complete answer (${code})`, { kind: 'unreachable', request, cause: error });
}

/** An answer that cannot be understood. Says nothing of its content: it may be anything. */
export const notUnderstood = (request: string, what: string): ClusterError =>
  new ClusterError(`the answer is not from a Kubernetes API: ${what}`, { kind: 'unreachable', request });

/** Why there are no credentials to send a request with. The message is safe to show. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError';
}

/** Nothing was sent. */
export const noCredentials = (request: string, error: CredentialsError): ClusterError =>
  new ClusterError(shortened(error.message), { kind: 'denied', request });

/**
 * The error of an answer that is not 2xx. Only a Status object's own words get into the message.
 * @param now ms since the epoch, for a Retry-After that is a date
 */
export function failureOf(answer: Answer, request: string, now: number): ClusterError {
  const status = statusIn(answer.text);
  const kind = kindOf(answer.status, status);
  if (kind === 'unreachable') return notUnderstood(request, `HTTP ${answer.status}`);
  const reason = reasonOf(status);
  const retryAfterMs = kind === 'busy' ? retryAfter(answer, status, now) : undefined;
  return new ClusterError(shortened(status?.message ?? `HTTP ${answer.status}`), {
    kind,
    request,
    status: answer.status,
    ...(reason !== undefined && { reason }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

function statusIn(text: string): Status | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return isStatus(json) ? json : undefined;
  } catch {
    return undefined; // a proxy's page
  }
}

const isStatus = (json: unknown): json is Status =>
  typeof json === 'object' && json !== null && 'kind' in json && json.kind === 'Status';

/*
 * 401 403            denied           409 AlreadyExists   exists
 * 404 of an object   notFound         409 else            conflict
 * 404 else           unsupported      410                 gone
 * 429 5xx            busy             500 range is full   exhausted
 * other 4xx          invalid          1xx 3xx             unreachable: something else answers there
 */
function kindOf(code: number, status: Status | undefined): ClusterErrorKind {
  if (code === 401 || code === 403) return 'denied';
  if (code === 404) return namesAnObject(status) ? 'notFound' : 'unsupported';
  if (code === 409) return status?.reason === 'AlreadyExists' ? 'exists' : 'conflict';
  if (code === 410) return 'gone';
  if (code === 500 && isRangeFull(status)) return 'exhausted';
  if (code === 429 || code >= 500) return 'busy';
  return code >= 400 ? 'invalid' : 'unreachable';
}

/** "No such object" names it; a server that does not know the resource, or no API server, cannot. */
const namesAnObject = (status: Status | undefined): boolean =>
  status?.reason === 'NotFound' && (status.details?.name ?? '') !== '';

/** What the ClusterIP allocators say (k8s.io/kubernetes, pkg/registry/core/service: ErrFull). */
const isRangeFull = (status: Status | undefined): boolean => /range is full/i.test(status?.message ?? '');

/** A cause says more than the reason it stands under: NamespaceTerminating is a cause of Forbidden. */
const reasonOf = (status: Status | undefined): string | undefined => {
  const causes = status?.details?.causes ?? [];
  const isTerminating = causes.some((cause) => cause.reason === 'NamespaceTerminating');
  return isTerminating ? 'NamespaceTerminating' : status?.reason;
};

/** Seconds or a date (RFC 9110); without the header, what the Status says. */
function retryAfter({ headers }: Answer, status: Status | undefined, now: number): number | undefined {
  const header = headers['retry-after'];
  if (typeof header === 'string') {
    if (/^\d+$/.test(header)) return Number(header) * 1000;
    const date = Date.parse(header);
    if (!Number.isNaN(date)) return Math.max(0, date - now);
  }
  const seconds = status?.details?.retryAfterSeconds ?? 0;
  return seconds > 0 ? seconds * 1000 : undefined;
}

const shortened = (message: string): string =>
  message.length <= LONGEST_MESSAGE ? message : `${message.slice(0, LONGEST_MESSAGE - 1)}…`;
