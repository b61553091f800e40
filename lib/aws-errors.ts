// What is said of a request to AWS that failed: enough to act on, and nothing that a signed request carries.

/** Errors whose message names resources and rights only. Others may quote what was signed: a session token is a part of that. */
const TELLING = new Set(['AccessDeniedException', 'ResourceNotFoundException', 'ValidationException']);

interface Failure {
  readonly name?: unknown;
  readonly code?: unknown; // of the operating system: ECONNREFUSED
  readonly message?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: unknown; readonly requestId?: unknown };
}

const isFailure = (error: unknown): error is Failure => typeof error === 'object' && error !== null;

/** `ThrottlingException (HTTP 400, request 4KBN…)`, with the service's words where they are safe. */
export function awsErrorText(error: unknown): string {
  if (!isFailure(error)) return 'unknown error';
  const name = nameOf(error);
  const { httpStatusCode: status, requestId } = error.$metadata ?? {};
  const places = [
    ...(typeof status === 'number' ? [`HTTP ${status}`] : []),
    ...(typeof requestId === 'string' ? [`request ${requestId}`] : []),
  ];
  const place = places.length === 0 ? '' : ` (${places.join(', ')})`;
  const words = TELLING.has(name) && typeof error.message === 'string' ? `: ${error.message}` : '';
  return `${name}${place}${words}`;
}

/** A failed connection is called `Error` or `AggregateError`; its code says more. */
function nameOf({ name, code }: Failure): string {
  if (typeof code === 'string' && /^E[A-Z]+$/.test(code)) return code;
  return typeof name === 'string' ? name : 'unknown error';
}
