// Errors of the outside world, named by what happens next.

/** What one failed request to a cluster means for the caller. */
export type ClusterErrorKind =
  | 'conflict' // 409 Conflict: the resourceVersion or uid it was decided on is no longer the present one
  | 'exists' // 409 AlreadyExists
  | 'notFound' // 404
  | 'gone' // 410: the list or watch position is too old
  | 'denied' // 401, 403
  | 'invalid' // 400, 422: the object itself
  | 'exhausted' // 500 that says the ClusterIP range is full: no retry helps
  | 'busy' // 429 and 5xx
  | 'unreachable' // no answer, half an answer, or no TLS
  | 'unsupported'; // the server does not know this kind

export interface ClusterErrorDetails {
  readonly kind: ClusterErrorKind;
  /** Which cluster, verb and object: `source: PATCH Service shop/web-west`. Never a token, never a body. */
  readonly request: string;
  readonly status?: number;
  readonly reason?: string; // the Status reason, e.g. NamespaceTerminating's cause or AlreadyExists
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

export class ClusterError extends Error {
  override readonly name = 'ClusterError';
  readonly kind: ClusterErrorKind;
  readonly request: string;
  readonly status: number | undefined;
  readonly reason: string | undefined;
  readonly retryAfterMs: number | undefined;

  /** @param message what the server said, shortened; safe to show */
  constructor(message: string, details: ClusterErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.kind = details.kind;
    this.request = details.request;
    this.status = details.status;
    this.reason = details.reason;
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** Whether sending the same request again can help. */
export const isRetryable = (error: unknown): error is ClusterError =>
  error instanceof ClusterError && (error.kind === 'busy' || error.kind === 'unreachable');

/** The stored state of a link cannot be read: never the same as "nothing is stored". */
export class StateError extends Error {
  override readonly name = 'StateError';
}

/** Bad input, all mistakes together; one line each: `field: expected …, got …`. */
export class InputError extends Error {
  override readonly name = 'InputError';
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(mistakes.join('\n'));
    this.mistakes = mistakes;
  }
}

/** Text of any thrown value, safe to show. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));
