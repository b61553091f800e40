// metav1.Status: every error that the API server answers with, in its real wording.
import type { FieldError } from './field-errors.ts';
import { aggregate, errorBody } from './field-errors.ts';

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: { readonly continue?: string };
  readonly status: 'Failure' | 'Success';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

/** A resource or kind with its API group, as messages name it. */
export interface Qualified {
  readonly group: string;
  readonly name: string;
}

const qualified = ({ group, name }: Qualified): string => (group === '' ? name : `${name}.${group}`);

/** An answer other than success. Thrown inside the server, written out by its HTTP side. */
export class StatusError extends Error {
  readonly status: Status;
  constructor(code: number, reason: string, message: string, details?: StatusDetails) {
    super(message);
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      ...(reason === '' ? {} : { reason }),
      ...(details === undefined ? {} : { details }),
      code,
    };
  }
  get code(): number {
    return this.status.code ?? 500;
  }
}

const about = (resource: Qualified, name: string): StatusDetails => ({
  ...(name === '' ? {} : { name }),
  ...(resource.group === '' ? {} : { group: resource.group }),
  ...(resource.name === '' ? {} : { kind: resource.name }),
});

export const badRequest = (message: string): StatusError => new StatusError(400, 'BadRequest', message);

export const unauthorized = (): StatusError => new StatusError(401, 'Unauthorized', 'Unauthorized');

export function forbidden(
  resource: Qualified,
  name: string,
  why: string,
  causes?: readonly StatusCause[],
): StatusError {
  const subject = name === '' ? qualified(resource) : `${qualified(resource)} "${name}"`;
  const details = { ...about(resource, name), ...(causes === undefined ? {} : { causes }) };
  return new StatusError(403, 'Forbidden', `${subject} is forbidden: ${why}`, details);
}

export const notFound = (resource: Qualified, name: string): StatusError =>
  new StatusError(404, 'NotFound', `${qualified(resource)} "${name}" not found`, about(resource, name));

/** The answer for a path that no resource is served at. */
export const noSuchResource = (): StatusError =>
  new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});

export const methodNotAllowed = (): StatusError =>
  new StatusError(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    {},
  );

export const notAcceptable = (accepted: readonly string[]): StatusError =>
  new StatusError(
    406,
    'NotAcceptable',
    `406: Not Acceptable\n\nAvailable representations: ${accepted.join(', ')}`,
    {},
  );

/** The media type is served, but not as the kind of object that is asked for. */
export const formNotAcceptable = (accepted: readonly string[]): StatusError =>
  new StatusError(
    406,
    'NotAcceptable',
    `only the following media types are accepted: ${accepted.join(', ')}`,
  );

export const alreadyExists = (resource: Qualified, name: string): StatusError =>
  new StatusError(
    409,
    'AlreadyExists',
    `${qualified(resource)} "${name}" already exists`,
    about(resource, name),
  );

export const conflict = (resource: Qualified, name: string, why: string): StatusError =>
  new StatusError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${why}`,
    about(resource, name),
  );

export const OBJECT_MODIFIED =
  'the object has been modified; please apply your changes to the latest version and try again';

/** The wanted resourceVersion is no longer kept. */
export const expired = (message: string): StatusError => new StatusError(410, 'Expired', message);

export const unsupportedMediaType = (accepted: readonly string[]): StatusError =>
  new StatusError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );

export function invalid(kind: Qualified, name: string, errors: readonly FieldError[]): StatusError {
  const causes = errors.map((error) => ({
    reason: error.type,
    message: errorBody(error),
    field: error.field,
  }));
  const details = { ...about(kind, name), causes };
  return new StatusError(
    422,
    'Invalid',
    `${qualified(kind)} "${name}" is invalid: ${aggregate(errors)}`,
    details,
  );
}

/** A JSON patch that is well formed but cannot be applied; the real server does not say why. */
export const unprocessable = (): StatusError =>
  new StatusError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});

export const internalError = (message: string): StatusError =>
  new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });

/** An error that the real server never made a Status of: a code and a message, no reason. */
export const plainError = (message: string): StatusError => new StatusError(500, '', message);

/** The asked resourceVersion lies in the future. */
export const resourceVersionTooLarge = (asked: number, current: number): StatusError =>
  new StatusError(504, 'Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });

/** The Status that a DELETE answers with for most kinds. */
export const deleted = (resource: Qualified, name: string, uid: string): Status => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  details: { ...about(resource, name), uid },
});
